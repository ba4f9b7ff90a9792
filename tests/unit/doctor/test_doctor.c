// SPDX-License-Identifier: MIT
/* The findings on machines that refuse counting in many ways, each with its remedy. */
#include "tests/unit/shared/golden.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/doctor/doctor.h"
#include "core/doctor/out_doctor.h"
#include "tests/fake_kernel/fake_kernel.h"
#include "tests/fake_kernel/machines.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define STATUS(uid, capabilities, seccomp)                                                \
	"Name:\tpmctop\nUid:\t" uid "\t" uid "\t" uid "\t" uid "\nCapEff:\t" capabilities \
	"\nNoNewPrivs:\t0\nSeccomp:\t" seccomp "\nSeccomp_filters:\t" seccomp "\n"
#define ROOT    STATUS("0", "000001ffffffffff", "0")
#define USER    STATUS("1000", "0000000000000000", "0")
#define PERFMON STATUS("1000", "0000004000000000", "0")
#define FILTER  STATUS("0", "00000000a80425fb", "2") /* docker's root */

#define HOST                                                                                    \
	{"/proc/self/ns/pid", "pid:[4026531836]"}, {"/proc/self/ns/user", "user:[4026531837]"}, \
		{"/proc/self/ns/uts", "uts:[4026531838]"},                                      \
		{"/proc/self/ns/ipc", "ipc:[4026531839]"},                                      \
	{                                                                                       \
		"/proc/self/ns/cgroup", "cgroup:[4026531835]"                                   \
	}
#define CONTAINER                                                                               \
	{"/proc/self/ns/pid", "pid:[4026532300]"}, {"/proc/self/ns/user", "user:[4026531837]"}, \
	{                                                                                       \
		"/proc/self/ns/uts", "uts:[4026532298]"                                         \
	}
#define LIMITS                                                                                     \
	{                                                                                          \
		"/proc/self/limits", "Limit                     Soft Limit           Hard Limit  " \
				     "         Units     \n"                                       \
				     "Max open files            1024                 524288      " \
				     "         files     \n"                                       \
				     "Max locked memory         8388608              8388608     " \
				     "         bytes     \n"                                       \
	}
#define MACHINE                                                                                    \
	{"/proc/sys/kernel/osrelease", "6.12.0-1-amd64\n"}, {"/proc/sys/kernel/arch", "x86_64\n"}, \
		{"/proc/sys/kernel/cap_last_cap", "40\n"}, {"/proc/self/exe", "/usr/bin/pmctop"},  \
		LIMITS
#define TRACEFS                                                             \
	{                                                                   \
		"/sys/kernel/tracing/events/sched/sched_switch/id", "314\n" \
	}
#define VM_CPU                                                               \
	{                                                                    \
		"/proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU\n"  \
				 "flags\t\t: fpu vme hypervisor lahf_lm\n\n" \
	}

struct file {
	const char *path, *text;
};

/* An expected finding: a part of its text, and of a remedy if it must have one. */
struct wanted {
	const char *name;
	enum doctor_level level;
	const char *text, *remedy;
};

struct scene {
	const char *name;
	const struct fk_config *machine; /* its PMUs and CPUs; NULL: only config */
	struct fk_config config;
	struct file files[24];
	bool watchdog;
	unsigned hold;
	int no_dirs; /* errno of every directory, also /proc; 0: readable */
	const char *verdict;
	struct wanted wanted[10];
	const char *text, *json; /* goldens */
};

static const struct scene scenes[] = {
	{"root on a Zen",
	 &fk_machine_zen,
	 {.paranoid = 2, .tracefs = FK_TRACEFS_MOUNTED},
	 {{"/proc/self/status", ROOT}, HOST, MACHINE},
	 .verdict = "the whole system can be counted",
	 .wanted = {{"whole system", DOCTOR_OK, "every task on 4 CPUs"},
		    {"switch event", DOCTOR_OK, "the tracepoint sched:sched_switch"},
		    {"hardware", DOCTOR_OK, "cycles and instructions"},
		    {"tracepoints", DOCTOR_OK, "can be read"},
		    {"PMU", DOCTOR_OK, "cpu: 6 general counters, all free"},
		    {"user", DOCTOR_OK, "root, uid 0: CAP_PERFMON, CAP_SYS_ADMIN"},
		    {"paranoid", DOCTOR_OK, "2, which does not limit root"},
		    {"container", DOCTOR_OK, "none"},
		    {"NMI watchdog", DOCTOR_OK, "off"}},
	 .text = "tests/golden/doctor_root.txt",
	 .json = "tests/golden/doctor_root.json"},
	{"the NMI watchdog has a counter",
	 &fk_machine_zen,
	 {.paranoid = 2},
	 {{"/proc/self/status", ROOT}, HOST, MACHINE},
	 .watchdog = true,
	 .verdict = "the whole system can be counted",
	 .wanted = {{"PMU", DOCTOR_WARN, "5 of 6 general counters are free, the NMI watchdog"},
		    {"NMI watchdog", DOCTOR_WARN, "uses a counter",
		     "sudo sysctl kernel.nmi_watchdog=0"},
		    {"tracepoints", DOCTOR_BAD, "not mounted", "mount -t tracefs"}}},
	{"a profiler has two",
	 &fk_machine_neoverse,
	 {.paranoid = 2},
	 {{"/proc/self/status", ROOT}, HOST, MACHINE},
	 .hold = 2,
	 .verdict = "the whole system can be counted",
	 .wanted = {{"PMU", DOCTOR_WARN, "4 of 6 general counters are free, another profiler"},
		    {"CPU", DOCTOR_OK, "Neoverse N1, 4 online"},
		    {"events", DOCTOR_OK,
		     "110 events and 31 metrics of neoverse-n1 (version r4p1, 2025-08-08)"}}},
	{"two kinds of CPUs",
	 &fk_machine_hybrid,
	 {.paranoid = 2},
	 {{"/proc/self/status", ROOT}, HOST, MACHINE},
	 .verdict = "the whole system can be counted",
	 .wanted = {{"PMU", DOCTOR_OK, "cpu_atom: 6 general counters, all free"}}},
	{"an ordinary user, paranoid 2",
	 &fk_machine_zen,
	 {.unprivileged = true, .uid = 1000, .paranoid = 2},
	 {{"/proc/self/status", USER}, HOST, MACHINE},
	 .verdict = "own tasks can be counted in user mode",
	 .wanted = {{"whole system", DOCTOR_BAD, "perf_event_paranoid is 2, and no CAP_PERFMON",
		     "sudo sysctl kernel.perf_event_paranoid=0"},
		    {"whole system", DOCTOR_BAD,
		     "no: ", "sudo setcap cap_perfmon,cap_ipc_lock=ep /usr/bin/pmctop"},
		    {"own tasks", DOCTOR_WARN, "in user mode only"},
		    {"other tasks", DOCTOR_BAD, "only tasks of this user"},
		    {"hardware", DOCTOR_OK, "cycles and instructions"},
		    {"tracepoints", DOCTOR_BAD, "kernel mode and tracefs"},
		    {"user", DOCTOR_WARN, "uid 1000: no capability"},
		    {"paranoid", DOCTOR_WARN, "2: own tasks, in user mode only"}},
	 .text = "tests/golden/doctor_user.txt"},
	{"paranoid 1",
	 &fk_machine_zen,
	 {.unprivileged = true, .uid = 1000, .paranoid = 1},
	 {{"/proc/self/status", USER}, HOST, MACHINE},
	 .verdict = "own tasks can be counted",
	 .wanted = {{"own tasks", DOCTOR_OK, "in user and kernel mode"},
		    {"whole system", DOCTOR_BAD, "paranoid is 1", "paranoid=0"}}},
	{"a user without access to tracefs",
	 NULL,
	 {.uid = 1000, .tracefs = FK_TRACEFS_UNREADABLE},
	 {{"/proc/self/status", PERFMON}, HOST, MACHINE},
	 .verdict = "the whole system can be counted",
	 .wanted = {{"switch event", DOCTOR_WARN, "this user cannot read tracefs"},
		    {"tracepoints", DOCTOR_BAD, "cannot read",
		     "sudo mount -o remount,mode=750,gid=$(id -g) /sys/kernel/tracing"}}},
	{"a user without a mounted tracefs",
	 NULL,
	 {.uid = 1000},
	 {{"/proc/self/status", PERFMON}, HOST, MACHINE},
	 .verdict = "the whole system can be counted",
	 .wanted = {{"switch event", DOCTOR_WARN, "tracefs is not mounted"},
		    {"tracepoints", DOCTOR_BAD, "not mounted",
		     "sudo mount -t tracefs tracefs /sys/kernel/tracing"}}},
	{"RAW is refused at paranoid 0",
	 NULL,
	 {.unprivileged = true, .uid = 1000, .tracefs = FK_TRACEFS_MOUNTED},
	 {{"/proc/self/status", USER}, HOST, MACHINE},
	 .verdict = "the whole system can be counted",
	 .wanted = {{"switch event", DOCTOR_WARN, "RAW samples of tracepoints are refused",
		     "sudo sysctl kernel.perf_event_paranoid=-1"},
		    {"switch event", DOCTOR_WARN, "context-switches",
		     "sudo setcap cap_perfmon,cap_ipc_lock=ep /usr/bin/pmctop"}}},
	{"an id that the kernel refuses",
	 NULL,
	 {.tracefs = FK_TRACEFS_MOUNTED},
	 {{"/proc/self/status", ROOT}, HOST, MACHINE, TRACEFS},
	 .verdict = "the whole system can be counted",
	 .wanted = {{"switch event", DOCTOR_WARN, "does not open sched:sched_switch"}}},
	{"an unknown format",
	 NULL,
	 {.tracefs = FK_TRACEFS_MOUNTED},
	 {{"/proc/self/status", ROOT},
	  HOST,
	  MACHINE,
	  {FK_TRACING "/sched/sched_switch/format", "\33[2J"}},
	 .verdict = "the whole system can be counted",
	 .wanted = {{"switch event", DOCTOR_WARN, "is unknown"}}},
	{"a kernel without the tracepoint",
	 NULL,
	 {.tracefs = FK_TRACEFS_MOUNTED},
	 {{"/proc/self/status", ROOT},
	  HOST,
	  MACHINE,
	  {FK_TRACING "/sched/sched_switch/id", NULL},
	  {FK_TRACING "/sched/sched_switch/format", NULL}},
	 .verdict = "the whole system can be counted",
	 .wanted = {{"switch event", DOCTOR_WARN, "this kernel has no tracepoint"},
		    {"tracepoints", DOCTOR_OK, "tracefs can be read"}}},
	{"root with tracefs in another pid namespace",
	 NULL,
	 {.tracefs = FK_TRACEFS_MOUNTED},
	 {{"/proc/self/status", ROOT}, CONTAINER, MACHINE},
	 .verdict = "the whole system can be counted",
	 .wanted = {{"switch event", DOCTOR_WARN, "numbers of the host's pid namespace"}}},
	{"paranoid 0: no more is needed",
	 &fk_machine_zen,
	 {.unprivileged = true, .uid = 1000, .mlock_kb = 516},
	 {{"/proc/self/status", USER}, HOST, MACHINE, {"/proc/self/limits", ""}},
	 .verdict = "the whole system can be counted",
	 .wanted = {{"paranoid", DOCTOR_OK, "0: all CPUs for all users"},
		    {"open files", DOCTOR_OK, "unknown"},
		    {"locked memory", DOCTOR_WARN, "rings get smaller",
		     "perf_event_mlock_kb=1028"}}},
	{"Debian's paranoid 3",
	 &fk_machine_zen,
	 {.unprivileged = true, .uid = 1000, .paranoid = 3},
	 {{"/proc/self/status", USER}, HOST, MACHINE},
	 .verdict = "nothing can be counted here; only /proc is read",
	 .wanted = {{"paranoid", DOCTOR_BAD, "3: no counting without a capability (Debian"},
		    {"own tasks", DOCTOR_BAD, "only figures from /proc"},
		    {"hardware", DOCTOR_BAD, "for the same reason"},
		    {"PMU", DOCTOR_WARN, "not tried, because"},
		    {"whole system", DOCTOR_BAD, "perf_event_paranoid is 3",
		     "sudo /usr/bin/pmctop"}}},
	{"Ubuntu's paranoid 4",
	 &fk_machine_zen,
	 {.unprivileged = true, .uid = 1000, .paranoid = 4},
	 {{"/proc/self/status", USER}, HOST, MACHINE},
	 .verdict = "nothing can be counted here; only /proc is read",
	 .wanted = {{"paranoid", DOCTOR_BAD, "4: no counting without a capability (Ubuntu)"},
		    {"whole system", DOCTOR_BAD, "perf_event_paranoid is 4", "paranoid=0"}}},
	{"CAP_PERFMON",
	 &fk_machine_zen,
	 {.uid = 1000, .paranoid = 2},
	 {{"/proc/self/status", PERFMON}, HOST, MACHINE},
	 .verdict = "the whole system can be counted",
	 .wanted = {{"user", DOCTOR_OK, "uid 1000: CAP_PERFMON"},
		    {"paranoid", DOCTOR_OK, "does not limit this process"},
		    {"locked memory", DOCTOR_OK, "516 KiB a CPU"}}},
	{"CAP_PERFMON on a kernel that needs CAP_SYS_ADMIN",
	 &fk_machine_zen,
	 {.unprivileged = true, .uid = 1000, .paranoid = 4},
	 {{"/proc/self/status", PERFMON}, HOST, MACHINE},
	 .verdict = "nothing can be counted here; only /proc is read",
	 .wanted = {{"whole system", DOCTOR_BAD, "this kernel needs CAP_SYS_ADMIN",
		     "setcap cap_sys_admin,cap_ipc_lock=ep"}}},
	{"Linux before CAP_PERFMON",
	 &fk_machine_zen,
	 {.unprivileged = true, .uid = 1000, .paranoid = 2},
	 {{"/proc/self/status", USER}, HOST, MACHINE, {"/proc/sys/kernel/cap_last_cap", "37\n"}},
	 .verdict = "own tasks can be counted in user mode",
	 .wanted = {{"whole system", DOCTOR_BAD, "no: ", "setcap cap_sys_admin,cap_ipc_lock=ep"}}},
	{"docker's seccomp: EPERM",
	 &fk_machine_zen,
	 {.denied = EPERM, .paranoid = 2},
	 {{"/proc/self/status", FILTER}, CONTAINER, MACHINE, {"/.dockerenv", ""}},
	 .verdict = "nothing can be counted here; only /proc is read",
	 .wanted = {{"whole system", DOCTOR_BAD, "a seccomp filter of docker",
		     "docker run --cap-add PERFMON ..."},
		    {"seccomp", DOCTOR_BAD, "2 filters: perf_event_open returns EPERM"},
		    {"container", DOCTOR_WARN, "docker, with a pid namespace of its own"},
		    {"paranoid", DOCTOR_WARN, "2: own tasks"}},
	 .text = "tests/golden/doctor_docker.txt"},
	{"seccomp: ENOSYS",
	 &fk_machine_zen,
	 {.denied = ENOSYS, .paranoid = 2},
	 {{"/proc/self/status", FILTER}, HOST, MACHINE},
	 .verdict = "nothing can be counted here; only /proc is read",
	 .wanted = {{"whole system", DOCTOR_BAD, "a seccomp filter refuses",
		     "SystemCallFilter=perf_event_open"},
		    {"seccomp", DOCTOR_BAD, "returns ENOSYS"},
		    {"kernel", DOCTOR_OK, "Linux 6.12.0-1-amd64, x86_64"}}},
	{"a kernel without perf",
	 &fk_machine_zen,
	 {.denied = ENOSYS},
	 {{"/proc/self/status", ROOT},
	  HOST,
	  MACHINE,
	  {"/proc/sys/kernel/perf_event_paranoid", NULL}},
	 .verdict = "nothing can be counted here; only /proc is read",
	 .wanted = {{"whole system", DOCTOR_BAD, "built without CONFIG_PERF_EVENTS",
		     "CONFIG_PERF_EVENTS=y"},
		    {"kernel", DOCTOR_BAD, "built without CONFIG_PERF_EVENTS"},
		    {"seccomp", DOCTOR_OK, "no filter"},
		    {"paranoid", DOCTOR_BAD, "there is no kernel.perf_event_paranoid"}}},
	{"a security module",
	 &fk_machine_zen,
	 {.denied = EACCES, .paranoid = 2},
	 {{"/proc/self/status", ROOT}, HOST, MACHINE},
	 .verdict = "nothing can be counted here; only /proc is read",
	 .wanted = {{"whole system", DOCTOR_BAD, "a security module refuses", "dmesg"}}},
	{"podman, rootless",
	 &fk_machine_zen,
	 {.unprivileged = true, .paranoid = 2},
	 {{"/proc/self/status", STATUS("0", "000001ffffffffff", "2")},
	  {"/proc/self/ns/pid", "pid:[4026532300]"},
	  {"/proc/self/ns/user", "user:[4026532301]"},
	  MACHINE,
	  {"/run/.containerenv", "engine=podman\n"}},
	 .verdict = "own tasks can be counted in user mode",
	 .wanted = {{"whole system", DOCTOR_BAD, "capabilities of a user namespace do not count",
		     "on the host: sudo sysctl kernel.perf_event_paranoid=0"},
		    {"container", DOCTOR_WARN, "podman, with a pid and a user namespace"},
		    {"user", DOCTOR_WARN, "root, uid 0 of a user namespace"},
		    {"seccomp", DOCTOR_OK, "2 filters, perf_event_open is allowed"}}},
	{"kubernetes, with rights",
	 &fk_machine_zen,
	 {.paranoid = 2},
	 {{"/proc/self/status", ROOT},
	  CONTAINER,
	  MACHINE,
	  {"/run/secrets/kubernetes.io/serviceaccount/token", "x"},
	  {"/proc/self/cgroup", "0::/kubepods/burstable/pod1\n"}},
	 .verdict = "the whole system can be counted",
	 .wanted = {{"whole system", DOCTOR_WARN, "outside this pid namespace have no rows",
		     "hostPID: true"},
		    {"other tasks", DOCTOR_OK, "in this pid namespace"},
		    {"container", DOCTOR_WARN, "kubernetes"}}},
	{"namespaces of an unknown manager",
	 &fk_machine_zen,
	 {.unprivileged = true, .paranoid = 2},
	 {{"/proc/self/status", ROOT},
	  MACHINE,
	  {"/proc/self/uid_map", "         0       1000          1\n"},
	  {"/proc/2/stat", "2 (sh) S 1 2 1 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 77 0 0\n"}},
	 .verdict = "own tasks can be counted in user mode",
	 .wanted = {{"container", DOCTOR_WARN, "a container, with a pid and a user namespace"}}},
	{"a VM without a PMU, made from docker's image",
	 NULL,
	 {.cpus = 2, .no_pmu = true, .paranoid = 2, .tracefs = FK_TRACEFS_MOUNTED},
	 {{"/proc/self/status", ROOT}, HOST, MACHINE, VM_CPU, {"/.dockerenv", ""}},
	 .verdict = "the whole system can be counted, but no hardware events",
	 .wanted = {{"hardware", DOCTOR_BAD, "this VM has no counters", "qemu -cpu host,pmu=on"},
		    {"VM", DOCTOR_WARN, "yes, without a PMU; hypervisor: unknown"},
		    {"PMU", DOCTOR_BAD, "none"},
		    {"CPU", DOCTOR_OK, "Some CPU, 2 online"},
		    {"container", DOCTOR_OK, "none"}},
	 .text = "tests/golden/doctor_vm.txt",
	 .json = "tests/golden/doctor_vm.json"},
	{"VMware",
	 NULL,
	 {.no_pmu = true},
	 {{"/proc/self/status", ROOT},
	  HOST,
	  MACHINE,
	  VM_CPU,
	  {"/sys/class/dmi/id/sys_vendor", "VMware, Inc.\n"},
	  {"/sys/class/dmi/id/product_name", "VMware7,1\n"}},
	 .verdict = "the whole system can be counted, but no hardware events",
	 .wanted = {{"hardware", DOCTOR_BAD, "this VM", "vpmc.enable = \"TRUE\""},
		    {"VM", DOCTOR_WARN, "hypervisor: VMware"}}},
	{"no PMU, no VM",
	 NULL,
	 {.no_pmu = true},
	 {{"/proc/self/status", ROOT}, HOST, MACHINE},
	 .verdict = "the whole system can be counted, but no hardware events",
	 .wanted = {{"hardware", DOCTOR_BAD, "this machine has no counters", "dmesg"}}},
	{"hidepid, no_new_privs, few descriptors",
	 &fk_machine_zen,
	 {.unprivileged = true, .uid = 1000, .paranoid = 2},
	 {{"/proc/self/status",
	   "Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0\nNoNewPrivs:\t1\nSeccomp:\t0\n"},
	  HOST,
	  MACHINE,
	  {"/proc/self/limits", "Max open files            64                   100       files\n"},
	  {"/proc/sys/kernel/perf_event_max_sample_rate", "500\n"},
	  {"/proc/self/mountinfo",
	   "22 27 0:21 / /proc rw,relatime - proc proc rw,hidepid=invisible\n"}},
	 .verdict = "own tasks can be counted in user mode",
	 .wanted = {{"/proc", DOCTOR_WARN, "hidepid=invisible", "remount,hidepid=0 /proc"},
		    {"user", DOCTOR_WARN, "no_new_privs"},
		    {"open files", DOCTOR_WARN, "64 (at most 100): too few for 4 CPUs",
		     "sudo prlimit --pid $$ --nofile=128"},
		    {"sampling", DOCTOR_WARN, "at most 500 a second",
		     "perf_event_max_sample_rate=100000"}}},
	{"nothing is known",
	 NULL,
	 {.denied = EPERM},
	 {{"/proc/sys/kernel/perf_event_paranoid", NULL},
	  {"/sys/devices/system/cpu/online", NULL},
	  {"/sys/devices/system/cpu/possible", NULL}},
	 .verdict = "nothing can be counted here; only /proc is read",
	 .wanted = {{"user", DOCTOR_WARN, "unknown"},
		    {"paranoid", DOCTOR_WARN, "unknown"},
		    {"kernel", DOCTOR_OK, "of unknown release"},
		    {"seccomp", DOCTOR_BAD, "probably a filter"}}},
	{"no /sys",
	 NULL,
	 {.no_pmu = true},
	 {{"/proc/self/status", ROOT},
	  HOST,
	  MACHINE,
	  {"/sys/devices/system/cpu/online", NULL},
	  {"/sys/devices/system/cpu/possible", NULL},
	  {"/proc/stat", NULL}},
	 .verdict = "the whole system can be counted, but no hardware events",
	 .wanted = {{"whole system", DOCTOR_WARN, "the number of CPUs is unknown"},
		    {"CPU", DOCTOR_WARN, "unknown"},
		    {"/sys", DOCTOR_WARN, "cannot be read", "sudo mount -t sysfs sysfs /sys"}}},
	{"neither /proc nor /sys",
	 NULL,
	 {.no_pmu = true},
	 {{"/sys/devices/system/cpu/online", NULL}, {"/sys/devices/system/cpu/possible", NULL}},
	 .no_dirs = ENOENT,
	 .verdict = "nothing can be counted here without /proc",
	 .wanted = {{"whole system", DOCTOR_BAD, "no: /proc is empty"},
		    {"own tasks", DOCTOR_BAD, "for the same reason"},
		    {"/proc", DOCTOR_BAD, "is empty", "sudo mount -t proc proc /proc"},
		    {"/sys", DOCTOR_WARN, "cannot be read", "sudo mount -t sysfs sysfs /sys"}}},
	{"no descriptors",
	 NULL,
	 {.no_pmu = true},
	 {{"/proc/self/status", ROOT}, HOST, MACHINE},
	 .no_dirs = EMFILE,
	 .verdict = "nothing can be counted here without /proc",
	 .wanted = {{"whole system", DOCTOR_BAD, "no: /proc cannot be read"},
		    {"/proc", DOCTOR_BAD, "cannot be read: Too many open files", "ulimit -n"}}},
};

static struct fk *set_scene(const struct scene *scene)
{
	struct fk_config config = scene->config;

	if (scene->machine) {
		config = *scene->machine;
		config.paranoid = scene->config.paranoid;
		config.unprivileged = scene->config.unprivileged;
		config.uid = scene->config.uid;
		config.denied = scene->config.denied;
		config.tracefs = scene->config.tracefs;
		config.mlock_kb = scene->config.mlock_kb;
	}
	struct fk *fk = fk_new(&config);
	/* Of the doctor itself, which runs while its own counters are tried. */
	fk_task(fk, &(struct fk_spec){.tid = 900,
				      .uid = config.uid,
				      .comm = "pmctop",
				      .rates = {[FK_CYCLES] = {2, 1}, [FK_INSTRUCTIONS] = {1, 1}}});
	fk_switch(fk, 0, 900);
	fk_self_task(fk, 900);
	for (const struct file *file = scene->files; file->path; file++)
		fk_file(fk, file->path, file->text);
	fk_watchdog(fk, scene->watchdog);
	if (scene->no_dirs)
		fk_fail(fk, FK_DIR_EACH, 0, scene->no_dirs);
	for (unsigned cpu = 0; scene->hold && cpu < config.cpus; cpu++)
		fk_hold(fk, (int)cpu, scene->hold);
	return fk;
}

static bool has_remedy(const struct finding *finding, const char *part)
{
	for (size_t i = 0; i < finding->n_remedies; i++)
		if (strstr(finding->remedies[i], part))
			return true;
	return false;
}

static void check_finding(const struct scene *scene, const struct doctor *doctor,
			  const struct wanted *wanted)
{
	for (size_t i = 0; i < doctor->n; i++) {
		const struct finding *finding = &doctor->items[i];

		if (strcmp(finding->name, wanted->name) != 0)
			continue;
		if (finding->level != wanted->level || !strstr(finding->text, wanted->text))
			fail_msg("%s: %s: %s: %s", scene->name, wanted->name,
				 doctor_level_name(finding->level), finding->text);
		if (wanted->remedy && !has_remedy(finding, wanted->remedy))
			fail_msg("%s: %s: no remedy like %s", scene->name, wanted->name,
				 wanted->remedy);
		return;
	}
	fail_msg("%s: no finding %s", scene->name, wanted->name);
}

static char *print(const struct doctor *doctor, bool json, unsigned width)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	if (json)
		out_doctor_json(doctor, file);
	else
		out_doctor_text(doctor, width, false, file);
	fclose(file);
	return text;
}

static void check_page(const struct doctor *doctor, const char *name)
{
	char *text = print(doctor, false, 80);
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (text_width(line) > 80)
			fail_msg("%s: too wide: %s", name, line);
	free(text);
}

static void test_scenes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++) {
		const struct scene *scene = &scenes[i];
		struct fk *fk = set_scene(scene);
		struct sys sys = fk_sys(fk);
		struct doctor doctor;

		doctor_examine(&sys, NULL, &doctor);
		if (strcmp(doctor.verdict, scene->verdict) != 0)
			fail_msg("%s: %s", scene->name, doctor.verdict);
		assert_int_equal(doctor_can_count(&doctor),
				 strstr(scene->verdict, "nothing") == NULL);
		for (const struct wanted *wanted = scene->wanted; wanted->name; wanted++)
			check_finding(scene, &doctor, wanted);
		check_page(&doctor, scene->name);
		if (scene->text) {
			char *text = print(&doctor, false, 80);
			golden_check(scene->text, text);
			free(text);
		}
		if (scene->json) {
			char *text = print(&doctor, true, 0);
			golden_check(scene->json, text);
			free(text);
		}
		doctor_fini(&doctor);
		assert_int_equal(fk_open_fds(fk), 0);
		fk_free(fk);
	}
}

/* Foreign bytes are made printable, on the page and in JSON. */
static void test_hostile(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){.no_pmu = true});
	struct sys sys = fk_sys(fk);
	struct doctor doctor;

	(void)state;
	fk_file(fk, "/proc/cpuinfo", "model name\t: \33[2J\"x\"\xff\n");
	doctor_examine(&sys, NULL, &doctor);
	char *text = print(&doctor, false, 0), *json = print(&doctor, true, 0);
	assert_null(strchr(text, '\33'));
	assert_non_null(strstr(text, "\xEF\xBF\xBD[2J\"x\"\xEF\xBF\xBD"));
	assert_non_null(strstr(json, "\\u001b[2J\\\"x\\\"\xEF\xBF\xBD"));
	free(text);
	free(json);
	doctor_fini(&doctor);
	fk_free(fk);
}

static void test_color(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct doctor doctor;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 900});
	doctor_examine(&sys, NULL, &doctor);
	out_doctor_text(&doctor, 80, true, file);
	fclose(file);
	assert_non_null(strstr(text, "\33[32mok\33[m   whole system"));
	free(text);
	doctor_fini(&doctor);
	fk_free(fk);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scenes),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_color),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
