# SPDX-License-Identifier: MIT
#
# One Makefile for every build: `make help` lists what it can do. Everything made goes to $(BUILD).
#
#   another machine      make CROSS=aarch64-linux-gnu- SYSROOT=dir STATIC=1 BUILD=build/arm64
#   another compiler     make CC=clang WERROR=1 BUILD=build/clang
#   sanitizers           make SANITIZE=address,undefined BUILD=build/asan
#   the commands shown   make V=1

BUILD    ?= build
Q        := $(if $(V),,@)
say       = $(if $(V),,@printf '  %-4s %s\n' $(1) $(2))
VERSION  := 0.1.0

ifdef CROSS
CC       := $(CROSS)gcc
AR       := $(CROSS)ar
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
PKG_STATIC := $(if $(STATIC),--static)

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wwrite-strings -Wvla -Wundef -Wformat=2 -Wimplicit-fallthrough -Wnull-dereference \
	-Wdouble-promotion -Wcast-qual -Wconversion -Wno-sign-conversion \
	-Wno-missing-field-initializers

CFLAGS   ?= -O2 -g
ALL_CFLAGS = -std=gnu11 $(WARNINGS) $(if $(WERROR),-Werror) $(if $(STATIC),,-fPIE) \
	$(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all) \
	-D_GNU_SOURCE -DPMCTOP_VERSION='"$(VERSION)"' -I. $(SYSROOT_CFLAGS) $(CFLAGS)
ALL_LDFLAGS = $(if $(STATIC),-static,-pie) $(if $(SANITIZE),-fsanitize=$(SANITIZE)) $(LDFLAGS)

# libpfm4 ships no .pc file on Debian; the others are asked for.
CORE_CFLAGS = $(shell $(PKG_CONFIG) --cflags inih)
CORE_LIBS = $(SYSROOT_LIBS) -lpfm $(shell $(PKG_CONFIG) $(PKG_STATIC) --libs inih) -lm -lpthread
TUI_CFLAGS = $(shell $(PKG_CONFIG) --cflags ncursesw)
TUI_LIBS  = $(shell $(PKG_CONFIG) $(PKG_STATIC) --libs ncursesw)
TEST_CFLAGS = $(shell $(PKG_CONFIG) --cflags cmocka)
TEST_LIBS = $(shell $(PKG_CONFIG) --libs cmocka)

CORE_SRC := $(sort $(wildcard core/*.c))
TUI_SRC  := $(sort $(wildcard tui/*.c))
THEMES   := $(sort $(wildcard themes/*.theme))
FAKE_SRC := $(sort $(wildcard tests/fake_kernel/*.c))
UNIT_SRC := $(sort $(wildcard tests/unit/test_*.c))
LOAD_SRC := $(sort $(wildcard tests/load/*.c))
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))
BENCH_SRC := $(sort $(wildcard tests/bench/bench_*.c))

object    = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
CORE_OBJ := $(call object,$(CORE_SRC))
TUI_OBJ  := $(call object,$(TUI_SRC)) $(BUILD)/obj/themes_builtin.o
SCREEN_OBJ := $(filter-out %/main.o,$(TUI_OBJ))
FAKE_OBJ := $(call object,$(FAKE_SRC))
UNIT_BIN := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(UNIT_SRC))
LOAD_BIN := $(patsubst tests/load/%.c,$(BUILD)/load/%,$(LOAD_SRC))
FUZZ_BIN := $(patsubst tests/fuzz/%.c,$(BUILD)/%,$(FUZZ_SRC))
BENCH_BIN := $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(BENCH_SRC))
REPLAY_BIN := $(patsubst tests/fuzz/%.c,$(BUILD)/tests/test_%,$(FUZZ_SRC))

# As many jobs as there are CPUs, unless someone has said how many.
submake = $(MAKE) --no-print-directory $(if $(findstring j,$(filter-out --%,$(MAKEFLAGS))),,-j$(shell nproc))

.PHONY: all run test units loads bench benches screenshots guest fuzz fuzzers format format-check \
	sanitize lint deps test-deps lint-deps fuzz-deps bench-deps clean help
.DELETE_ON_ERROR:
.SECONDARY:

all: $(BUILD)/pmctop ## build build/pmctop

run: deps ## install what is missing, build, start pmctop
	@$(submake) all
	@exec $(BUILD)/pmctop $(ARGS)

test: test-deps ## install what is missing, build and run every test
	@$(submake) all units loads
	@BUILD=$(BUILD) tests/run

units: $(UNIT_BIN) $(REPLAY_BIN) ## build the unit tests
loads: $(LOAD_BIN) ## build the load programs that tests watch

bench: bench-deps ## install what is missing, build and run the benchmarks: what things cost
	@$(submake) all loads benches
	@for program in $(BENCH_BIN); do $$program || exit 1; done
	@BUILD=$(BUILD) tests/bench/bytes.py
	@BUILD=$(BUILD) tests/bench/upkeep.py
	@BUILD=$(BUILD) tests/bench/latency.py

benches: $(BENCH_BIN)

screenshots: test-deps ## README's pictures anew, from real runs here and in the emulated machine
	@$(submake) all loads guest
	@BUILD=$(BUILD) tests/screenshots/make.py tests/screenshots

# Links what the target depends on with these libraries and flags.
define link
@mkdir -p $(@D)
$(call say,LINK,$@)
$(Q)$(CC) $(ALL_LDFLAGS) $(2) -o $@ $^ $(1)
endef

$(BUILD)/pmctop: $(TUI_OBJ) $(BUILD)/libcore.a
	$(call link,$(TUI_LIBS) $(CORE_LIBS))

$(BUILD)/libcore.a: $(CORE_OBJ)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

# Core's tests link libcore.a alone: the linker proves that core knows nothing of ncurses.
$(BUILD)/tests/test_tui_%: $(BUILD)/obj/tests/unit/test_tui_%.o $(FAKE_OBJ) \
		$(SCREEN_OBJ) $(BUILD)/libcore.a
	$(call link,$(TEST_LIBS) $(TUI_LIBS) $(CORE_LIBS))

$(BUILD)/tests/%: $(BUILD)/obj/tests/unit/%.o $(FAKE_OBJ) $(BUILD)/libcore.a
	$(call link,$(TEST_LIBS) $(CORE_LIBS))

# A fuzz entry twice: as a test that replays its corpus, and with libFuzzer's main (make fuzz).
$(BUILD)/tests/test_fuzz_tui_%: $(BUILD)/obj/tests/fuzz/fuzz_tui_%.o \
		$(BUILD)/obj/tests/fuzz/replay.o $(SCREEN_OBJ) $(BUILD)/libcore.a
	$(call link,$(TUI_LIBS) $(CORE_LIBS))

$(BUILD)/tests/test_fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(BUILD)/obj/tests/fuzz/replay.o \
		$(BUILD)/libcore.a
	$(call link,$(CORE_LIBS))

$(BUILD)/fuzz_tui_%: $(BUILD)/obj/tests/fuzz/fuzz_tui_%.o \
		$(SCREEN_OBJ) $(BUILD)/libcore.a
	$(call link,$(TUI_LIBS) $(CORE_LIBS),-fsanitize=fuzzer)

$(BUILD)/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(BUILD)/libcore.a
	$(call link,$(CORE_LIBS),-fsanitize=fuzzer)

$(BUILD)/load/%: $(BUILD)/obj/tests/load/%.o
	$(call link,)

$(BUILD)/bench/bench_screen: $(BUILD)/obj/tests/bench/bench_screen.o \
		$(SCREEN_OBJ) $(BUILD)/libcore.a
	$(call link,$(TUI_LIBS) $(CORE_LIBS))

$(BUILD)/bench/%: $(BUILD)/obj/tests/bench/%.o $(BUILD)/libcore.a
	$(call link,$(CORE_LIBS))

$(BUILD)/obj/core/%.o: FILE_FLAGS = $(CORE_CFLAGS)
$(BUILD)/obj/tui/%.o: FILE_FLAGS = $(TUI_CFLAGS)
$(BUILD)/obj/tests/fake_kernel/%.o: FILE_FLAGS = $(TEST_CFLAGS)
$(BUILD)/obj/tests/unit/%.o: FILE_FLAGS = $(TUI_CFLAGS) $(TEST_CFLAGS)

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) $(FILE_FLAGS) -MMD -MP -c -o $@ $<

# The themes as C strings, so that pmctop is one file.
$(BUILD)/themes_builtin.c: $(THEMES) Makefile
	@mkdir -p $(@D)
	@{ echo '#include "tui/theme.h"'; \
	   echo 'const struct theme_builtin theme_builtins[] = {'; \
	   for t in $(THEMES); do echo "{\"$$(basename $$t .theme)\","; \
	     sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n"/' $$t; echo '},'; done; \
	   echo '{0, 0},'; echo '};'; } > $@

$(BUILD)/obj/themes_builtin.o: $(BUILD)/themes_builtin.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

-include $(CORE_OBJ:.o=.d) $(TUI_OBJ:.o=.d) $(FAKE_OBJ:.o=.d) \
	$(patsubst %.c,$(BUILD)/obj/%.d,$(UNIT_SRC) $(LOAD_SRC) $(FUZZ_SRC) $(BENCH_SRC) tests/fuzz/replay.c)

## ---- the emulated machine with a real PMU (tests/guest)

GUEST := $(BUILD)/guest

guest: ## build the emulated arm64 machine and pmctop for it
	@tests/guest/image.sh $(GUEST)
	@$(submake) CROSS=aarch64-linux-gnu- SYSROOT=$(GUEST)/sysroot STATIC=1 \
		BUILD=$(BUILD)/arm64 all loads

## ---- fuzzing (tests/fuzz)

FUZZ_SECONDS ?= 60

fuzz: fuzz-deps ## fuzz every parser with libFuzzer for FUZZ_SECONDS=60 each
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz/run.sh $(BUILD)/fuzz $(FUZZ)

fuzzers: $(FUZZ_BIN)

## ---- checks

SOURCES = $(wildcard core/*.[ch] tui/*.[ch] tests/*/*.[ch])

format: ## rewrite the sources in the house style
	clang-format -i $(SOURCES)

format-check: lint-deps ## say which sources are not in the house style
	@clang-format --dry-run -Werror $(SOURCES)

sanitize: test-deps ## run the unit tests under ASan and UBSan
	@$(submake) SANITIZE=address,undefined BUILD=$(BUILD)/sanitize all units
	@BUILD=$(BUILD)/sanitize tests/run $(BUILD)/sanitize/tests

lint: lint-deps format-check ## formatting, -Werror with gcc and clang, cppcheck
	@$(submake) CC=gcc WERROR=1 BUILD=$(BUILD)/lint-gcc all units loads benches
	@$(submake) CC=clang WERROR=1 BUILD=$(BUILD)/lint-clang all units loads benches
	@cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability \
		--inline-suppr --suppress=missingIncludeSystem --std=c11 --language=c \
		-D_GNU_SOURCE -DPMCTOP_VERSION='"0"' -I. $(CORE_SRC) $(TUI_SRC) $(FAKE_SRC)

## ---- packages

BUILD_PACKAGES := gcc make pkg-config libc6-dev libncurses-dev libpfm4-dev libinih-dev
TEST_PACKAGES  := $(BUILD_PACKAGES) libcmocka-dev python3 tmux procps util-linux \
	linux-perf libcap2-bin \
	qemu-system-arm gcc-aarch64-linux-gnu libc6-dev-arm64-cross cpio
BENCH_PACKAGES := python3 procps htop btop
LINT_PACKAGES  := $(TEST_PACKAGES) clang clang-format cppcheck

deps:
	@$(call install,$(BUILD_PACKAGES))
test-deps:
	@$(call install,$(TEST_PACKAGES))
lint-deps:
	@$(call install,$(LINT_PACKAGES))
# Those that the benchmarks compare with: what cannot be installed is left out.
bench-deps:
	@$(call install,$(BUILD_PACKAGES))
	@($(call install,$(BENCH_PACKAGES))) || true
# Debian packages libFuzzer apart, by clang's version; others have it with clang.
fuzz-deps:
	@$(call install,$(BUILD_PACKAGES) clang)
	@tests/fuzz/run.sh --probe || ( \
	$(call install,libclang-rt-$$(clang -dumpversion | cut -d. -f1)-dev) ) || true

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
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | column -t -s '|'
