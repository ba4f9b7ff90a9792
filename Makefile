# SPDX-License-Identifier: MIT
#
# One Makefile for every build: `make help` lists what it can do. Everything made goes to $(BUILD).
#
#   another machine      make CROSS=aarch64-linux-gnu- SYSROOT=dir STATIC=1 BUILD=build/arm64
#   another compiler     make CC=clang WERROR=1 BUILD=build/clang
#   without --listen     make HTTP=0 BUILD=build/no-http
#   of another number    make VERSION=1.2.3
#   sanitizers           make SANITIZE=address,undefined BUILD=build/asan
#   not hardened         make HARDEN=0 BUILD=build/soft
#   the commands shown   make V=1

BUILD    ?= build
ifeq ($(BUILD),)
override BUILD := build
endif
Q        := $(if $(V),,@)
say       = $(if $(V),,@printf '  %-4s %s\n' $(1) $(2))
NUMBER   := 0.1.0
comma    := ,

# Of a CC for this machine, which make hands down to every make below, another machine's compiler
# takes no more than what stands in front of it.
ifdef CROSS
override CC := $(filter ccache distcc,$(CC)) $(CROSS)gcc
override AR := $(CROSS)ar
else
CC       ?= cc
AR       ?= ar
endif

ifdef SYSROOT
MULTIARCH := $(patsubst %-,%,$(CROSS))
PKG_CONFIG ?= PKG_CONFIG_SYSROOT_DIR=$(SYSROOT) \
	PKG_CONFIG_LIBDIR=$(SYSROOT)/usr/lib/$(MULTIARCH)/pkgconfig:$(SYSROOT)/usr/share/pkgconfig pkg-config
SYSROOT_CFLAGS := -isystem $(SYSROOT)/usr/include -isystem $(SYSROOT)/usr/include/$(MULTIARCH)
SYSROOT_LIBS := -L$(SYSROOT)/usr/lib/$(MULTIARCH)
else
PKG_CONFIG ?= pkg-config
endif
PKG_STATIC = $(if $(STATIC),--static)

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wwrite-strings -Wvla -Wundef -Wformat=2 -Wimplicit-fallthrough -Wnull-dereference \
	-Wdouble-promotion -Wcast-qual -Wconversion -Wno-sign-conversion \
	-Wno-missing-field-initializers

CFLAGS   ?= -O2 -g
# -ffp-contract=off: a * b + c has the same last digit on every architecture.
ALL_CFLAGS = -std=gnu11 $(WARNINGS) $(if $(WERROR),-Werror) -fPIE $(HARDEN_CFLAGS) \
	$(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all) \
	-ffp-contract=off -D_GNU_SOURCE -I. $(SYSROOT_CFLAGS) $(CFLAGS)
ALL_LDFLAGS = $(if $(STATIC),$(STATIC_LDFLAGS),-pie) $(HARDEN_LDFLAGS) \
	$(if $(SANITIZE),-fsanitize=$(SANITIZE)) $(LDFLAGS)

# Hardening: whatever of it this compiler takes without a word, beside the CFLAGS that it was given;
# of words after one try, the first that it does. Sanitizers look themselves for what
# _FORTIFY_SOURCE and wrapping overflows are for. Not here: -ftrivial-auto-var-init, which hides from
# valgrind what was forgotten, and -fno-delete-null-pointer-checks, which silences -Wnull-dereference.
HARDEN ?= 1
define harden_cflags
try() { for flag; do $(CC) $(SYSROOT_CFLAGS) $(CFLAGS) -Werror $$flag -include features.h \
	-x c -S -o /dev/null /dev/null 2>/dev/null && echo "$$flag" && break; done; }; \
try -fstack-protector-strong; try -fstack-clash-protection; \
try -fcf-protection -mbranch-protection=standard; \
$(if $(SANITIZE),,try -fno-strict-overflow; \
try "-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3" "-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2")
endef
define static_ldflags
echo 'int main(void) { return 0; }' | $(CC) $(SYSROOT_CFLAGS) $(CFLAGS) -fPIE -static-pie -x c - \
	-o /dev/null 2>/dev/null && echo -static-pie || echo -static
endef
# Asked once, and only where something is compiled.
once = $(eval $(1) := $(2))$($(1))
HARDEN_CFLAGS = $(call once,HARDEN_CFLAGS,$(if $(filter-out 0,$(HARDEN)),$(shell $(harden_cflags))))
HARDEN_LDFLAGS = $(if $(filter-out 0,$(HARDEN)),$(addprefix -Wl$(comma)-z$(comma),relro now noexecstack separate-code))
STATIC_LDFLAGS = $(call once,STATIC_LDFLAGS,$(shell $(static_ldflags)))

# What git says in a clone: the commits since the last release, or which one it is, and whether
# anything was changed since: 0.1.0, 0.1.0+12.gda45510, 0.1.0+gda45510.dirty; as Debian orders them.
# Else what make dist has left here, or the next release. A clone may be another user's (su).
define describe
[ -e .git ] || exec cat .package/version 2>/dev/null; \
git -c safe.directory='*' describe --tags --match 'v[0-9]*' --always --dirty 2>/dev/null | \
	sed -e 's/^v//; t tag' -e 's/^/$(NUMBER)-g/; : tag' -e 's/-rc/~rc/; s/-/+/; s/-/./g'
endef
VERSION = $(call once,VERSION,$(or $(shell $(describe)),$(NUMBER)))

# libmicrohttpd, for --listen. Not in a static program: it would link GnuTLS and all that wants, and
# not all of that has static libraries.
HTTP ?= $(if $(STATIC),0,1)
HTTP_NAME = $(if $(filter 0,$(HTTP)),,libmicrohttpd)

# libpfm4 ships no .pc file on Debian; the others are asked for.
CORE_CFLAGS = $(shell $(PKG_CONFIG) --cflags inih libzstd $(HTTP_NAME))
CORE_LIBS = $(SYSROOT_LIBS) -lpfm $(shell $(PKG_CONFIG) $(PKG_STATIC) --libs inih libzstd $(HTTP_NAME)) -lm -lpthread
TUI_CFLAGS = $(shell $(PKG_CONFIG) --cflags ncursesw)
TUI_LIBS  = $(shell $(PKG_CONFIG) $(PKG_STATIC) --libs ncursesw)
TEST_CFLAGS = $(shell $(PKG_CONFIG) --cflags cmocka)
TEST_LIBS = $(shell $(PKG_CONFIG) --libs cmocka)

# All of a folder, and of the folders in it.
c_files   = $(sort $(wildcard $(1)/*.c $(1)/*/*.c))
CORE_ALL := $(call c_files,core)
CORE_SRC := $(filter-out %/metrics_server$(if $(filter 0,$(HTTP)),,_absent).c,$(CORE_ALL))
TUI_SRC  := $(call c_files,tui)
THEMES   := $(sort $(wildcard themes/*.theme))
FAKE_SRC := $(call c_files,tests/fake_kernel)
UNIT_SRC := $(foreach f,$(call c_files,tests/unit),$(if $(filter test_%,$(notdir $(f))),$(f)))
LIVE_SRC := $(sort $(wildcard tests/live/test_*.c))
SOAK_SRC := $(sort $(wildcard tests/soak/test_*.c))
LOAD_SRC := $(sort $(wildcard tests/load/*.c))
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))
BENCH_SRC := $(sort $(wildcard tests/bench/*.c))
# Every C file there is, and every header.
C_FILES  := $(foreach d,core tui $(wildcard tests/*/),$(call c_files,$(d:/=)))
H_FILES  := $(sort $(wildcard $(foreach d,core tui tests/*,$(d)/*.h $(d)/*/*.h)))

object    = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
CORE_OBJ := $(call object,$(CORE_SRC))
TUI_OBJ  := $(call object,$(TUI_SRC)) $(BUILD)/obj/themes_builtin.o $(BUILD)/obj/terminal_types.o
TESTS_OBJ := $(call object,$(FAKE_SRC) $(wildcard tests/unit/shared/*.c) tests/soak/long_day.c)
# tests/X.c is built as $(BUILD)/tests/X.
program   = $(patsubst %.c,$(BUILD)/%,$(1))
UNIT_BIN := $(call program,$(UNIT_SRC) $(SOAK_SRC))
LIVE_BIN := $(call program,$(LIVE_SRC))
CORPUS_BIN := $(call program,$(FUZZ_SRC))
LOAD_BIN := $(patsubst tests/load/%.c,$(BUILD)/load/%,$(LOAD_SRC))
FUZZ_BIN := $(patsubst tests/fuzz/%.c,$(BUILD)/%,$(FUZZ_SRC))
BENCH_BIN := $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(BENCH_SRC))

# As many jobs as there are CPUs, unless someone has said how many.
submake = $(MAKE) --no-print-directory $(if $(findstring j,$(filter-out --%,$(MAKEFLAGS))),,-j$(shell nproc))

.PHONY: all run static install install-caps uninstall deb dist test check test-live fresh units live-units loads objects bench benches screenshots guest monitoring
.PHONY: guest-bench fuzz fuzz-short fuzzers sweep soak format format-check \
	sanitize sanitize-threads valgrind analyze lint
.PHONY: always deps deb-deps test-deps live-deps lint-deps clang-deps bench-deps clean help
.DELETE_ON_ERROR:
.SECONDARY:

all: $(BUILD)/pmctop ## build build/pmctop

run: deps ## install what is missing, build, start pmctop
	@$(submake) all
	@exec $(BUILD)/pmctop $(ARGS)

## ---- installing: DESTDIR is for packages, GROUP for those who may count all that runs

PREFIX    ?= /usr/local
# To the shell it is a variable, so that any character may be in it.
install install-caps uninstall: export INTO = $(DESTDIR)$(PREFIX)
# Every zsh looks there below /usr/local, and below /usr all but Debian's: share/zsh/vendor-completions.
ZSH_DIR   ?= share/zsh/site-functions

# What else is installed, and where below PREFIX. Themes are built in: these are to begin one's own.
FILES := tui/pmctop.1=share/man/man1/pmctop.1 \
	tui/completions/pmctop.bash=share/bash-completion/completions/pmctop \
	tui/completions/_pmctop=$(ZSH_DIR)/_pmctop \
	tui/completions/pmctop.fish=share/fish/vendor_completions.d/pmctop.fish \
	$(foreach f,README.md LICENSE,$(f)=share/doc/pmctop/$(f)) \
	$(foreach f,$(wildcard core/output/monitoring/*),$(f)=share/doc/pmctop/monitoring/$(notdir $(f))) \
	$(foreach f,$(THEMES),$(f)=share/doc/pmctop/$(f))
PLACES := bin/pmctop $(foreach f,$(FILES),$(lastword $(subst =, ,$(f))))
# Those of the system stay when they are empty.
FOLDERS := $(filter-out $(if $(filter /usr /usr/local,$(abspath $(PREFIX))),bin/ share/man/man1/),$(sort $(dir $(PLACES))))

# install(1) unlinks what it replaces, so that one may run meanwhile.
define put
@said=$$(install -D -T $(2) -- $(1) "$$INTO/$(3)" 2>&1) || \
	{ echo "$$said: try it as root, or with a PREFIX of your own" >&2; exit 1; }
$(call say,INST,"$$INTO/$(3)")

endef
define put_all
$(call put,$(BUILD)/pmctop,$(1),bin/pmctop)
$(foreach f,$(FILES),$(call put,$(firstword $(subst =, ,$(f))),-m 644,$(lastword $(subst =, ,$(f)))))
endef

install: all ## install pmctop into PREFIX=/usr/local
	$(call put_all,-m 755)

# Nothing but what is below there, wherever ZSH_DIR and CDPATH lead.
uninstall: ## remove what install put there
	@[ ! -d "$$INTO/" ] || { CDPATH= cd -- "$$INTO/" && rm -f $(PLACES:%=./%) && \
		for folder in $(FOLDERS:%=./%); do rmdir -p "$$folder" 2>/dev/null || true; done; }

# Nothing more is needed (tests/live/rights_test.py proves it), and before Linux 5.8 nothing less
# than cap_sys_admin lets count. Last, as chgrp takes capabilities away.
install-caps: all ## install it so that everybody, or GROUP=perf alone, may count without root
	@[ -z "$(GROUP)" ] || getent group "$(GROUP)" >/dev/null || \
		{ echo "There is no group $(GROUP): groupadd $(GROUP)" >&2; exit 1; }
	$(call put_all,$(if $(GROUP),-g "$(GROUP)" -m 750,-m 755))
	@count=cap_perfmon; [ "$$(cat /proc/sys/kernel/cap_last_cap)" -ge 38 ] || count=cap_sys_admin; \
	caps=$$count,cap_ipc_lock=ep; program=$$INTO/bin/pmctop; \
	echo "  setcap $$caps $$program"; setcap $$caps "$$program" || { \
	echo "$$program is there, but counts no more than whoever starts it may:" \
		"run this as root, with libcap2-bin installed, or choose a PREFIX on a file system" \
		"that keeps capabilities." >&2; exit 1; }

deb: deb-deps ## build build/pmctop_VERSION_ARCH.deb, for dpkg -i
	@rm -rf $(BUILD)/deb
	@$(submake) install DESTDIR=$(BUILD)/deb/root PREFIX=/usr ZSH_DIR=share/zsh/vendor-completions
	@.package/deb.sh $(BUILD) $(VERSION)

dist: RELEASE = $(patsubst %+dirty,%,$(VERSION:.dirty=))
dist: ## build build/pmctop-VERSION.tar.gz, the sources of the last commit
	@mkdir -p $(BUILD)
	git archive --add-virtual-file=pmctop-$(RELEASE)/.package/version:$(RELEASE) \
		--prefix=pmctop-$(RELEASE)/ -o $(BUILD)/pmctop-$(RELEASE).tar.gz HEAD

## ---- tests: the tiers, as tests/README.md describes them

# Each tier prints how long it took, without the installing of packages.
timed = BEGAN_S=$$(date +%s) && export BEGAN_S &&

test: test-deps ## install what is missing, build, run the fast tests: their result depends on the code alone
	@$(timed) $(submake) all units && BUILD=$(BUILD) tests/run gate

check: test-deps lint-deps clang-deps ## the slow part of the gate: lint, sanitizers, valgrind, fuzzers
	+@MAKE="$(MAKE) --no-print-directory" tests/check.sh lint sanitize sanitize-threads valgrind fuzz-short

ifndef SANITIZED
test-live: live-deps ## run the tests that look at this machine; SANITIZED=1: with sanitizers, under valgrind
	@$(timed) $(submake) all units live-units loads benches && { $(submake) guest || true; } && \
	BUILD=$(BUILD) tests/run live
else
test-live: live-deps clang-deps
	@$(timed) $(submake) $(CLANG_BUILD) all units live-units loads && \
	BUILD=$(BUILD)/sanitize $(UNSHUFFLED) tests/run live $(UNSANITIZED:%=-x %)
	@$(timed) $(submake) $(THREADS_BUILD) all loads && \
	BUILD=$(BUILD)/threads $(UNSHUFFLED) tests/run live $(THREAD_SCRIPTS)
	@$(submake) all && BUILD=$(BUILD) tests/valgrind.sh
endif

fresh: ## run the README's two commands in a minimal Debian: SUITE=bookworm or SUITE=trixie
	@$(call install,debootstrap)
	@tests/fresh.sh $(SUITE) $(BUILD)/fresh

sweep: live-deps ## let each system call of whole runs fail once, in every way (minutes)
	@$(submake) all $(BUILD)/tests/unit/engine/test_sweep
	@$(BUILD)/tests/unit/engine/test_sweep all
	@BUILD=$(BUILD) tests/live/faults_test.py all

SOAK_HOURS ?= 24
SOAK_MINUTES ?= 10
soak: live-deps ## watch a fake machine for SOAK_HOURS=24 of its own, this one for SOAK_MINUTES=10
	@$(submake) all units loads
	@CMOCKA_MESSAGE_OUTPUT=TAP $(BUILD)/tests/soak/test_tui_long_day $(SOAK_HOURS)
	@BUILD=$(BUILD) tests/soak/machine_test.py $(SOAK_MINUTES)

units: $(UNIT_BIN) $(CORPUS_BIN) ## build the unit tests
	$(call seen,units,$(UNIT_SRC) $(SOAK_SRC) $(FUZZ_SRC),'tests/unit/*/test_*.c' 'tests/soak/test_*.c' 'tests/fuzz/fuzz_*.c')
live-units: $(LIVE_BIN) ## build the C programs that test-live runs
loads: $(LOAD_BIN) ## build the load programs that tests watch
objects: $(call object,$(C_FILES)) ## compile every C file there is, for its warnings
	$(call seen,objects,$(C_FILES),'*.c')

# A tool fails that does not see every file which git has of these patterns.
seen = @printf '%s\n' $(2) | tests/seen.sh $(1) $(3)

bench: bench-deps ## say what things cost, beside peers: ROUNDS=5 of the benchmark
	@$(submake) all loads benches
	@BUILD=$(BUILD) tests/bench/bench.py $(BENCH)

benches: $(BENCH_BIN) ## build the programs of the benchmark

screenshots: live-deps ## take README's pictures anew, of real runs here and in the emulated machine
	@$(submake) all loads guest
	@BUILD=$(BUILD) tests/screenshots/make.py tests/screenshots

# Links what the target depends on with these libraries and flags.
define link
@mkdir -p $(@D)
$(call say,LINK,$@)
$(Q)$(CC) $(ALL_LDFLAGS) $(2) -o $@ $^ $(1)
endef

$(BUILD)/pmctop: $(TUI_OBJ) $(BUILD)/obj/version.o $(BUILD)/libcore.a
	$(call link,$(TUI_LIBS) $(CORE_LIBS))

# One file that runs on any Linux of this architecture: another way to link, and of what stands
# twice here, the archive's is not taken.
static: $(BUILD)/static/pmctop ## build build/static/pmctop, which needs nothing else on its machine
$(BUILD)/static/%: private override STATIC = 1
$(BUILD)/static/%: private override HTTP = 0
$(BUILD)/static/pmctop: private override LDFLAGS += -s
$(BUILD)/static/pmctop: $(TUI_OBJ) $(BUILD)/obj/static/version.o \
		$(BUILD)/obj/core/output/metrics_server_absent.o $(BUILD)/libcore.a
	$(call link,$(TUI_LIBS) $(CORE_LIBS))

# What pmctop shows, without its main(); and what test programs share.
$(BUILD)/libcore.a: $(CORE_OBJ)
$(BUILD)/libtui.a: $(filter-out %/main.o,$(TUI_OBJ))
$(BUILD)/libtests.a: $(TESTS_OBJ)
$(BUILD)/lib%.a:
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

# Units of core's rooms link libcore.a alone: the linker proves that core knows nothing of ncurses.
CORE_UNIT_BIN := $(filter $(patsubst core/%/,$(BUILD)/tests/unit/%/%,$(wildcard core/*/)) \
	$(BUILD)/tests/unit/fake_kernel/%,$(UNIT_BIN))

$(CORE_UNIT_BIN): $(BUILD)/%: $(BUILD)/obj/%.o $(BUILD)/libtests.a $(BUILD)/libcore.a
	$(call link,$(TEST_LIBS) $(CORE_LIBS))

$(filter-out $(CORE_UNIT_BIN),$(UNIT_BIN)) $(LIVE_BIN): $(BUILD)/%: $(BUILD)/obj/%.o \
		$(BUILD)/libtests.a $(BUILD)/libtui.a $(BUILD)/libcore.a
	$(call link,$(TEST_LIBS) $(TUI_LIBS) $(CORE_LIBS))

# A fuzz entry twice: as a test that runs its corpus, and with libFuzzer's main (make fuzz).
$(CORPUS_BIN): $(BUILD)/%: $(BUILD)/obj/%.o $(BUILD)/obj/tests/fuzz/corpus.o \
		$(BUILD)/libtui.a $(BUILD)/libcore.a
	$(call link,$(TUI_LIBS) $(CORE_LIBS))

$(FUZZ_BIN): $(BUILD)/%: $(BUILD)/obj/tests/fuzz/%.o $(BUILD)/libtui.a $(BUILD)/libcore.a
	$(call link,$(TUI_LIBS) $(CORE_LIBS),-fsanitize=fuzzer)

$(BUILD)/load/%: $(BUILD)/obj/tests/load/%.o
	$(call link,)

$(BENCH_BIN): $(BUILD)/bench/%: $(BUILD)/obj/tests/bench/%.o $(BUILD)/libtests.a \
		$(BUILD)/libtui.a $(BUILD)/libcore.a
	$(call link,$(TEST_LIBS) $(TUI_LIBS) $(CORE_LIBS))

$(BUILD)/obj/core/%: FILE_FLAGS = $(CORE_CFLAGS)
$(BUILD)/obj/tui/%: FILE_FLAGS = $(TUI_CFLAGS) $(CORE_CFLAGS)
$(BUILD)/obj/tests/fake_kernel/%: FILE_FLAGS = $(TEST_CFLAGS)
$(BUILD)/obj/tests/unit/% $(BUILD)/obj/tests/live/% $(BUILD)/obj/tests/soak/%: FILE_FLAGS = $(TUI_CFLAGS) $(TEST_CFLAGS)

# What is missing is said in one line, before the compiler says it in many: a library by pkg-config,
# its header, and the package that has both.
WANTED = -,stdio.h,libc6-dev -,perfmon/pfmlib_perf_event.h,libpfm4-dev inih,ini.h,libinih-dev \
	libzstd,zstd.h,libzstd-dev ncursesw,curses.h,libncurses-dev \
	$(if $(HTTP_NAME),$(HTTP_NAME)$(comma)microhttpd.h$(comma)libmicrohttpd-dev)
define look_for_wanted
missing=; $(CC) --version || missing=" $(if $(CROSS),gcc-$(CROSS:-=),$(or $(filter clang%,$(CC)),gcc))"; \
$(PKG_CONFIG) --version || missing="$$missing pkg-config"; \
[ -n "$$missing" ] || for want in $(WANTED); do IFS=,; set -- $$want; unset IFS; \
	{ [ $$1 = - ] || flags=$$($(PKG_CONFIG) --cflags $$1); } && echo "#include <$$2>" | \
	$(CC) $(SYSROOT_CFLAGS) $(CFLAGS) $$flags -E -x c - || missing="$$missing $$3"; done
endef

$(BUILD)/wanted:
	@mkdir -p $(@D)
	@{ $(look_for_wanted); } >/dev/null 2>&1; [ -z "$$missing" ] || { \
	echo "pmctop cannot be built without these$(SYSROOT:%= in %): sudo apt-get install$$missing" >&2; exit 1; }
	@touch $@

define compile
@mkdir -p $(@D)
$(call say,CC,$<)
$(Q)$(CC) $(ALL_CFLAGS) $(FILE_FLAGS) -MMD -MP -c -o $@ $<
endef

$(BUILD)/obj/%.o: %.c | $(BUILD)/wanted
	$(compile)

# What is made here is C too.
$(BUILD)/obj/%.o: $(BUILD)/%.c | $(BUILD)/wanted
	$(compile)

# libpfm4 says "4.0" of itself, whatever it is.
define libraries
{ readlink -f $$($(CC) $(SYSROOT:%=-B%/usr/lib/$(MULTIARCH)/) -print-file-name=libpfm.so) | \
	sed -n 's/.*[.]so[.]/libpfm /p'; for library in inih libzstd ncursesw $(HTTP_NAME); do \
	echo $$library $$($(PKG_CONFIG) --modversion $$library); done; } | paste -sd, | sed 's/,/, /g'
endef

# Looked at each time and written where it is another, so that a commit costs one link. No test has
# it: libcore.a has one that stands for it (core/base/version.c).
$(BUILD)/version.c $(BUILD)/static/version.c: always | $(BUILD)/wanted
	@mkdir -p $(@D)
	@new=$@.$$$$; { echo '#include "core/base/version.h"'; \
	   echo 'const char version[] = "$(VERSION)";'; \
	   echo "const char version_build[] = \"$$($(CC) -dumpmachine)$(if $(STATIC),$(comma) static)\""; \
	   echo "\"$(if $(filter-out 0,$(HARDEN)),$(comma) hardened), with $$($(libraries))\";"; } >$$new && \
	if cmp -s $$new $@; then rm $$new; else mv $$new $@; fi

# The themes as C strings, so that pmctop is one file.
$(BUILD)/themes_builtin.c: $(THEMES) Makefile
	@mkdir -p $(@D)
	@{ echo '#include "tui/term/theme.h"'; \
	   echo 'const struct theme_builtin theme_builtins[] = {'; \
	   for t in $(THEMES); do echo "{\"$$(basename $$t .theme)\","; \
	     sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n"/' $$t; echo '},'; done; \
	   echo '{0, 0},'; echo '};'; } > $@

# The first one stands in for all others.
TERMINAL_TYPES := xterm-256color linux screen screen-256color tmux tmux-256color vt100 vt220

$(BUILD)/terminal_types.c: Makefile
	@mkdir -p $(@D)
	@{ echo '#include "tui/term/terminal_type.h"'; \
	   echo 'const struct terminal_type terminal_types[] = {'; \
	   for t in $(TERMINAL_TYPES); do \
	     infocmp -0 -Q2 $$t 2>/dev/null | sed -n "s/^b64:.*/{\"$$t\", \"&\"},/p"; done; \
	   echo '{0, 0},'; echo '};'; } > $@

-include $(patsubst %.o,%.d,$(TUI_OBJ) $(call object,$(C_FILES)))

## ---- the emulated machine with a real PMU (tests/guest)

GUEST := $(BUILD)/guest

# Tests that run at once ask for it at once.
guest: ## build the emulated arm64 machine and pmctop for it
	@tests/guest/image.sh $(GUEST)
	+@flock $(GUEST)/.lock $(submake) CROSS=aarch64-linux-gnu- SYSROOT=$(GUEST)/sysroot STATIC=1 \
		BUILD=$(BUILD)/arm64 all loads

guest-bench: guest ## build what the benchmark's part "emulated" runs there too
	+@$(submake) CROSS=aarch64-linux-gnu- SYSROOT=$(GUEST)/sysroot STATIC=1 BUILD=$(BUILD)/arm64 \
		TEST_CFLAGS= TEST_LIBS= $(addprefix $(BUILD)/arm64/bench/,floor one_record per_thread)

static-arm64: ## build build/arm64/static/pmctop, the static program for arm64
	@tests/guest/image.sh $(GUEST)
	+@flock $(GUEST)/.lock $(submake) CROSS=aarch64-linux-gnu- SYSROOT=$(GUEST)/sysroot STATIC=1 \
		BUILD=$(BUILD)/arm64 static

monitoring: ## fetch prometheus, promtool and node_exporter for the tests, without installing them
	@tests/monitoring/tools.sh $(BUILD)/monitoring

## ---- fuzzing (tests/fuzz)

FUZZ_SECONDS ?= 60
FUZZ_RUNS ?= 5000
FUZZ_SEED ?= 0
FUZZ_LIMIT ?= -max_total_time=$(FUZZ_SECONDS)

fuzz: clang-deps ## fuzz every parser with libFuzzer for FUZZ_SECONDS=60 each
	@$(submake) $(CLANG_BUILD) fuzzers
	@FUZZ_LIMIT=$(FUZZ_LIMIT) FUZZ_SEED=$(FUZZ_SEED) $(UNSHUFFLED) \
		tests/fuzz/run.sh $(BUILD)/sanitize $(FUZZ)

# A number of inputs, not a time, which would be another test on a slower machine.
fuzz-short: FUZZ_LIMIT = -runs=$(FUZZ_RUNS)
fuzz-short: FUZZ_SEED = 1
fuzz-short: fuzz ## fuzz every parser with the same FUZZ_RUNS=5000 inputs each time

fuzzers: $(FUZZ_BIN) ## build what fuzz runs: takes CC=clang and more, as fuzz says it
	$(call seen,fuzzers,$(FUZZ_SRC),'tests/fuzz/fuzz_*.c')

## ---- checks

SOURCES = $(C_FILES) $(H_FILES)

format: ## rewrite the sources in the house style
	clang-format -i $(SOURCES)

format-check: lint-deps ## say which sources are not in the house style
	@clang-format --dry-run -Werror $(SOURCES)
	$(call seen,format-check,$(SOURCES),'*.c' '*.h')

# Of clang there is one build: its warnings are lint's, its sanitizers and libFuzzer the tests'.
CLANG ?= clang
CLANG_BUILD = CC="$(CLANG)" WERROR=1 SANITIZE=fuzzer-no-link,address,undefined \
	CFLAGS="-O1 -gline-tables-only" BUILD=$(BUILD)/sanitize

# The address space of some kernels is shuffled more than these sanitizers can stand.
UNSHUFFLED = $(shell setarch -R true 2>/dev/null && echo setarch -R)

sanitize: test-deps clang-deps ## run the fast tests under ASan, LSan and UBSan
	@$(timed) $(submake) $(CLANG_BUILD) all units && \
	BUILD=$(BUILD)/sanitize $(UNSHUFFLED) tests/run gate

# Live scripts that say nothing with a sanitized program. They boot another machine. Or they examine
# the program as it is built, its memory, or that no process may trace it (LSan traces). Or they want
# pmctop to keep up with a storm, which it cannot at a third of its speed. Or they examine the kernel
# or another program more than pmctop.
UNSANITIZED := tests/guest/ terminal/journeys live/hardened tests/soak/ live/rights live/live_test \
	live/targets live/record_life live/replay_perf live/prometheus live/formats live/cost \
	live/install live/package live/static live/readme unit/perf/test_contract_

# Units and live scripts with threads: those of core, those of --listen, and the tests that read
# while these run.
THREAD_UNITS := engine/test_feed_thread perfdata/test_recording_file perfdata/test_recorder replay/test_replay_feed \
	snapshot/test_snapshot output/test_metrics_server output/test_metrics_export \
	base/test_published_file
THREAD_SCRIPTS := live/record_test live/listen live/replay_test terminal/replay terminal/config
THREADS_BUILD = SANITIZE=thread CFLAGS="-O1 -g" BUILD=$(BUILD)/threads

sanitize-threads: test-deps ## run the units with threads under TSan
	@$(timed) $(submake) $(THREADS_BUILD) $(THREAD_UNITS:%=$(BUILD)/threads/tests/unit/%) && \
	BUILD=$(BUILD)/threads $(UNSHUFFLED) tests/run gate $(THREAD_UNITS:%='unit/%$$')

# Units that take more than half a minute under valgrind, which is some 40 times slower: ASan sees as
# much of them. test_kill_while_writing traces its children itself.
UNVALGRINDED := tests/program/ test_sweep test_kill_while_writing test_tui_server test_tui_screens \
	test_tui_long_day test_history test_view$$ test_replay$$ test_metric$$ test_output_day test_large_machines \
	test_refresh_accuracy test_scaled_counts

valgrind: lint-deps ## run the faster units under valgrind's memcheck
	@$(timed) $(submake) units && MEMCHECK=1 BUILD=$(BUILD) tests/run gate $(UNVALGRINDED:%=-x '%')

# gcc's analyzer rather than clang's, which takes four times as long and does not know what an error
# that was returned says about what was filled. What gcc 12 says of values that are not initialized
# is wrong wherever they went through memcpy() or a stack of our own: valgrind looks for those.
analyze: $(patsubst %.c,$(BUILD)/analyzed/%,$(CORE_ALL) $(TUI_SRC)) ## look for mistakes with gcc's analyzer
	$(call seen,analyze,$(CORE_ALL) $(TUI_SRC),'core/*.c' 'tui/*.c')

$(BUILD)/analyzed/%: %.c $(H_FILES)
	@mkdir -p $(@D)
	$(call say,SCAN,$<)
	$(Q)$(CC) -std=gnu11 -Werror -fanalyzer -Wno-analyzer-use-of-uninitialized-value \
		$(CORE_CFLAGS) $(TUI_CFLAGS) -D_GNU_SOURCE -I. \
		-c -o /dev/null $< && touch $@

CPPCHECKED = $(CORE_ALL) $(TUI_SRC) $(FAKE_SRC)

lint: lint-deps clang-deps format-check ## formatting, the order of the rooms, comments, -Werror with gcc and clang, cppcheck, gcc's analyzer
	@tests/rooms.py
	@tests/comments.py
	@$(submake) CC=gcc WERROR=1 BUILD=$(BUILD)/werror objects
	@$(submake) $(CLANG_BUILD) objects
	@$(submake) CC=gcc analyze
	@cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability -j $(shell nproc) \
		--inline-suppr --suppress=missingIncludeSystem --std=c11 --language=c \
		-D_GNU_SOURCE -I. $(CPPCHECKED)
	$(call seen,cppcheck,$(CPPCHECKED),'core/*.c' 'tui/*.c' 'tests/fake_kernel/*.c')

## ---- packages

BUILD_PACKAGES := gcc make pkg-config libc6-dev libncurses-dev libpfm4-dev libinih-dev \
	libzstd-dev libmicrohttpd-dev
DEB_PACKAGES   := $(BUILD_PACKAGES) dpkg-dev
TEST_PACKAGES  := $(BUILD_PACKAGES) libcmocka-dev python3
LIVE_PACKAGES  := $(TEST_PACKAGES) dpkg-dev lintian man-db mandoc bash-completion zsh fish jq tmux \
	procps util-linux strace linux-perf valgrind libcap2-bin python3-prometheus-client \
	qemu-system-arm gcc-aarch64-linux-gnu libc6-dev-arm64-cross cpio
BENCH_PACKAGES := python3 procps htop btop atop tiptop linux-perf valgrind
LINT_PACKAGES  := clang-format cppcheck valgrind

deps: ## install what is missing to build it
	@$(call install,$(BUILD_PACKAGES))
deb-deps: ## the same for deb
	@$(call install,$(DEB_PACKAGES))
test-deps: ## the same for test
	@$(call install,$(TEST_PACKAGES))
live-deps: ## the same for test-live
	@$(call install,$(LIVE_PACKAGES))
lint-deps: test-deps ## the same for lint and valgrind
	@$(call install,$(LINT_PACKAGES))
# Those that the benchmarks compare with: what cannot be installed is left out.
bench-deps: ## the same for bench, as far as it can be had
	@$(call install,$(TEST_PACKAGES))
	@($(call install,$(BENCH_PACKAGES))) || true
# Debian packages the sanitizers and libFuzzer apart, by clang's version; others have them with clang.
clang-deps: ## the same for what takes clang: fuzz, sanitize, lint
	@$(call install,$(BUILD_PACKAGES) clang)
	@tests/fuzz/run.sh --probe || ( \
	$(call install,libclang-rt-$$(clang -dumpversion | cut -d. -f1)-dev) )

# Installs what dpkg does not know yet: as root, through a sudo that asks nothing, or by telling.
define install
command -v dpkg-query >/dev/null || exit 0; \
missing=; for package in $(1); do \
	dpkg-query -W -f='$${Status}' $$package 2>/dev/null | grep -q 'ok installed' || \
	missing="$$missing $$package"; done; \
[ -n "$$missing" ] || exit 0; \
if [ "$$(id -u)" = 0 ]; then root=; elif sudo -n true 2>/dev/null; then root=sudo; else \
	echo "Packages are missing. Install them with:" >&2; \
	echo "    sudo apt-get install$$missing" >&2; exit 1; fi; \
echo "Installing$$missing"; \
$$root apt-get -qq update && \
DEBIAN_FRONTEND=noninteractive $$root apt-get -qq install -y --no-install-recommends $$missing >/dev/null
endef

clean: ## remove everything that was built
	rm -rf $(BUILD)

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-16s  %s\n", $$1, $$2 }' Makefile
