// SPDX-License-Identifier: MIT
#include "tests/unit/shared/code_scene.h"

#include "core/base/util.h"
#include "tests/unit/shared/profile_samples.h"
#include "tests/unit/shared/screen_snapshot.h"

#define LONG_NAME                                                                            \
	"std::_Hashtable<std::basic_string<char>, std::pair<std::basic_string<char> const, " \
	"int>, std::allocator<int> >::_M_find_before_node(unsigned long, "                   \
	"std::basic_string<char> const&, unsigned long) const"
#define MAIN "main@postgres"

static const struct code_event hardware[] = {
	{"cycles", SAMPLE_CYCLES},
	{"instructions", SAMPLE_INSTRUCTIONS},
	{"branch-misses", SAMPLE_BRANCH_MISSES},
	{"cache-misses", SAMPLE_CACHE_MISSES},
};

static const struct code_event software[] = {{"cpu-clock", TALLY_TASK_CLOCK}};

static const struct profile_samples usual[] = {
	{4121, 4121, 0, "cycles", "hash_lookup@postgres;exec_scan@postgres;" MAIN, 120, 1200},
	{4121, 4121, 0, "cycles", "hash_lookup@postgres", 4, 40},
	{4121, 4121, 0, "cycles", LONG_NAME "@libstdc++.so.6.0.30;exec_scan@postgres;" MAIN, 32,
	 320},
	{4121, 4121, 1, "cycles", "copy_user_generic@[kernel];vfs_read@[kernel];read@libc.so.6", 20,
	 200},
	{4121, 4121, 0, "cycles",
	 "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop@libext_rust.so;exec_scan@postgres",
	 12, 120},
	{4121, 4121, 0, "cycles", "libjit.so+0x1234", 8, 80},
	{4121, 4121, 0, "cycles", "[unknown]", 4, 40},
	{4121, 4121, 0, "instructions", "hash_lookup@postgres;exec_scan@postgres;" MAIN, 60, 600},
	{4121, 4121, 0, "instructions", LONG_NAME "@libstdc++.so.6.0.30;exec_scan@postgres;" MAIN,
	 90, 900},
	{4121, 4121, 1, "instructions",
	 "copy_user_generic@[kernel];vfs_read@[kernel];read@libc.so.6", 40, 400},
	{4121, 4121, 0, "instructions", "libjit.so+0x1234", 8, 80},
	{4121, 4121, 0, "branch-misses", LONG_NAME "@libstdc++.so.6.0.30;exec_scan@postgres", 50,
	 50},
	{4121, 4121, 0, "branch-misses", "hash_lookup@postgres;exec_scan@postgres;" MAIN, 20, 20},
	{4121, 4121, 0, "cache-misses", "hash_lookup@postgres;exec_scan@postgres;" MAIN, 80, 80},
	{4121, 4121, 0, "cache-misses", LONG_NAME "@libstdc++.so.6.0.30;exec_scan@postgres", 20,
	 20},
	{5000, 5000, 1, "cycles", "encode_frame@x265;main@x265", 14, 140},
	{5000, 5000, 1, "instructions", "encode_frame@x265;main@x265", 30, 300},
};

static const struct profile_samples later[] = {
	{4121, 4121, 0, "cycles", LONG_NAME "@libstdc++.so.6.0.30;exec_scan@postgres;" MAIN, 132,
	 1320},
	{4121, 4121, 0, "cycles", "btree_search@postgres;exec_scan@postgres;" MAIN, 50, 500},
	{4121, 4121, 1, "cycles", "copy_user_generic@[kernel];vfs_read@[kernel];read@libc.so.6", 18,
	 180},
	{4121, 4121, 0, "instructions", "btree_search@postgres;exec_scan@postgres;" MAIN, 150,
	 1500},
	{4121, 4121, 1, "instructions",
	 "copy_user_generic@[kernel];vfs_read@[kernel];read@libc.so.6", 50, 500},
};

static const struct profile_samples clock_alone[] = {
	{4121, 4121, 0, "cpu-clock", "hash_lookup@postgres;exec_scan@postgres;" MAIN, 150, 750},
	{4121, 4121, 0, "cpu-clock", "clear_page_erms@[kernel]", 48, 240},
};

static struct code_profile *flat_profile(void)
{
	static const char *const names[] = {
		"f1@a.out", "f2@a.out", "f3@a.out", "f4@a.out",  "f5@a.out",  "f6@a.out",
		"f7@a.out", "f8@a.out", "f9@a.out", "f10@a.out", "f11@a.out", "f12@a.out",
	};
	struct profile_samples samples[ARRAY_SIZE(names)];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		samples[i] =
			(struct profile_samples){4121, 4121, 0, "cpu-clock", names[i], 100, 100, 0};
	return profile_of_samples(software, ARRAY_SIZE(software), samples, ARRAY_SIZE(names));
}

static struct code_profile *profile_of(enum code_scene scene)
{
	switch (scene) {
	case CODE_SCENE:
		return profile_of_samples(hardware, ARRAY_SIZE(hardware), usual, ARRAY_SIZE(usual));
	case CODE_SCENE_LATER:
		return profile_of_samples(hardware, ARRAY_SIZE(hardware), later, ARRAY_SIZE(later));
	case CODE_SCENE_CLOCK:
		return profile_of_samples(software, ARRAY_SIZE(software), clock_alone,
					  ARRAY_SIZE(clock_alone));
	case CODE_SCENE_FLAT:
		return flat_profile();
	case CODE_SCENE_SILENT:
		return profile_of_samples(hardware, ARRAY_SIZE(hardware), NULL, 0);
	case CODE_SCENE_NONE:
		break;
	}
	return NULL;
}

struct snapshot *code_scene_snapshot(enum code_scene scene, unsigned nth, struct columns *columns)
{
	struct snapshot *snapshot = screen_snapshot(2);

	snapshot->time_ns += nth * NS_PER_S;
	snapshot->realtime_ns += nth * NS_PER_S;
	snapshot->code = profile_of(scene);
	if (columns) {
		columns_unref(snapshot->columns);
		snapshot->columns = columns_ref(columns);
	}
	return snapshot;
}
