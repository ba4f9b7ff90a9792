# SPDX-License-Identifier: MIT
#
# `make help` lists all targets. Everything that is built is in $(BUILD), one folder for each kind of
# build. Shell programs are in .package/; the tests and checks are in tests/tests.mk.
#
#   another machine       make CROSS=aarch64-linux-gnu- SYSROOT=dir STATIC=1 BUILD=build/arm64
#   another compiler      make CC=clang WERROR=1 BUILD=build/clang
#   without --listen      make HTTP=0 BUILD=build/no-http
#   another version       make VERSION=1.2.3
#   sanitizers            make SANITIZE=address,undefined BUILD=build/asan
#   not hardened          make HARDEN=0 BUILD=build/soft
#   show all commands     make V=1

BUILD    ?= build
ifeq ($(BUILD),)
override BUILD := build
endif
Q        := $(if $(V),,@)
comma    := ,
empty    :=
space    := $(empty) $(empty)
# These are make's own functions: a process for each of a thousand recipes would take longer.
# $(call step,WHAT,FILE) prints one line, unless V=1 prints the command.
step      = $(if $(V),,$(info $(space) $(1) $(2)))
# Makes the folder of the target.
folder    = $(if $(wildcard $(@D)/.),,@mkdir -p $(@D))
# $(call once,NAME,COMMAND) is what a command prints. It runs once for each NAME, when it is needed.
once      = $(if $(filter undefined,$(origin once_$(1))),$(eval once_$(1) := $$(shell $(2))))$(once_$(1))

# The version (.package/version.sh) is that of git or make dist. Without them it is this one.
VERSION   = $(shell .package/version.sh 0.1.0)

## Compiler

# An outer make may pass on a CC for this machine. With CROSS only its ccache or distcc is kept.
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

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wwrite-strings -Wvla -Wundef -Wformat=2 -Wimplicit-fallthrough -Wnull-dereference \
	-Wdouble-promotion -Wcast-qual -Wconversion -Wno-sign-conversion \
	-Wno-missing-field-initializers
# For THREAD_STACK_BYTES (core/base/thread.h). Sanitizers have larger frames.
FRAME_WARNING = $(if $(SANITIZE),,-Wframe-larger-than=32768)

CFLAGS   ?= -O2 -g

# The compiler is tried with each flag (.package/flags.sh).
HARDEN   ?= 1
ifneq ($(filter-out 0,$(HARDEN)),)
HARDEN_CFLAGS = $(call once,harden,SANITIZE=$(SANITIZE) .package/flags.sh harden $(CC) $(SYSROOT_CFLAGS) $(CFLAGS))
HARDEN_LDFLAGS := $(addprefix -Wl$(comma)-z$(comma),relro now noexecstack separate-code)
endif
STATIC_LDFLAGS = $(shell .package/flags.sh static $(CC) $(SYSROOT_CFLAGS) $(CFLAGS))

# -ffp-contract=off: the last digit of a * b + c is the same on every architecture.
ALL_CFLAGS = -std=gnu11 $(WARNINGS) $(if $(WERROR),-Werror) -fPIE $(HARDEN_CFLAGS) \
	$(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all) \
	-ffp-contract=off -D_GNU_SOURCE -I. $(SYSROOT_CFLAGS) $(CFLAGS)
ALL_LDFLAGS = $(if $(STATIC),$(STATIC_LDFLAGS),-pie) $(HARDEN_LDFLAGS) \
	$(if $(SANITIZE),-fsanitize=$(SANITIZE)) $(LDFLAGS)

# $(call foreign,ARCH) sets the variables for another architecture, by Debian's name. A package has the
# static programs of this machine's $(ARCH) and of $(OTHER_ARCH).
CROSS_amd64 := x86_64-linux-gnu-
CROSS_arm64 := aarch64-linux-gnu-
foreign   = CROSS=$(CROSS_$(1)) SYSROOT=$(BUILD)/$(1)/sysroot STATIC=1 BUILD=$(BUILD)/$(1)
ARCH      = $(shell dpkg --print-architecture 2>/dev/null)
OTHER_ARCH = $(if $(filter amd64 arm64,$(ARCH)),$(filter-out $(ARCH),amd64 arm64))

## Libraries

# libmicrohttpd is for --listen. A static program has no --listen: libmicrohttpd needs GnuTLS and its
# libraries, and not all of them exist as static ones.
HTTP     ?= $(if $(STATIC),0,1)
HTTP_NAME = $(if $(filter 0,$(HTTP)),,libmicrohttpd)

# libpfm4 and libiberty have no .pc files on Debian. libiberty is a static library only.
PKG_STATIC = $(if $(STATIC),--static)
# $(call package,--cflags or --libs,LIBRARIES): what pkg-config prints.
package   = $(call once,$(subst $(space),,$(1) $(2)),$(PKG_CONFIG) $(1) $(2))
CORE_CFLAGS = $(call package,--cflags,inih libzstd liblzma jansson $(HTTP_NAME))
CORE_LIBS = $(SYSROOT_LIBS) -lpfm -liberty $(call package,$(PKG_STATIC) --libs,inih libzstd liblzma jansson $(HTTP_NAME)) -lm -lpthread
TUI_CFLAGS = $(call package,--cflags,ncursesw)
TUI_LIBS  = $(call package,$(PKG_STATIC) --libs,ncursesw)

## Files

# The .c files of a folder and of its subfolders.
c_files   = $(sort $(wildcard $(1)/*.c $(1)/*/*.c))
CORE_ALL := $(call c_files,core)
CORE_SRC := $(filter-out %/table_lines.c %/metrics_server$(if $(filter 0,$(HTTP)),,_absent).c,$(CORE_ALL))
TUI_SRC  := $(call c_files,tui)
THEMES   := $(sort $(wildcard themes/*.theme))
# Every C file and every header, those of the tests too.
C_FILES  := $(foreach d,core tui $(wildcard tests/*/),$(call c_files,$(d:/=)))
H_FILES  := $(sort $(wildcard $(foreach d,core tui tests/*,$(d)/*.h $(d)/*/*.h)))

object    = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
CORE_OBJ := $(call object,$(CORE_SRC))
TUI_OBJ  := $(call object,$(TUI_SRC)) $(BUILD)/obj/themes_builtin.o $(BUILD)/obj/terminal_types.o \
	$(BUILD)/obj/host_script.o

# Made of tables in the sources.
OPTION_TEXTS := $(BUILD)/pmctop.1 $(addprefix $(BUILD)/completions/,_pmctop pmctop.bash pmctop.fish)
MADE_TEXTS   := $(OPTION_TEXTS) $(BUILD)/pmctop-metrics.7

## The usual targets

# Runs make again, with one job for each CPU unless -j was given.
submake = $(MAKE) --no-print-directory $(if $(findstring j,$(filter-out --%,$(MAKEFLAGS))),,-j$(shell nproc))

.PHONY: all run static static-amd64 static-arm64 clean help always
.DELETE_ON_ERROR:
.SECONDARY:

all: $(BUILD)/pmctop $(MADE_TEXTS) ## build build/pmctop, its manual and completions

run: deps ## install what is missing, build, start pmctop
	@$(submake) all
	@exec $(BUILD)/pmctop $(ARGS)

static: $(BUILD)/static/pmctop ## build build/static/pmctop, which needs nothing else on its machine

# The lock: tests that run at the same time build for arm64 at the same time. The +: make does not
# recognize itself behind flock, and would give the inner one no jobs.
static-arm64: ## build build/arm64/static/pmctop, the same for arm64 (static-amd64: for amd64)
static-amd64 static-arm64: static-%:
	@.package/sysroot.sh $(BUILD)/$*/sysroot $*
	+@flock $(BUILD)/$*/.lock $(submake) $(call foreign,$*) static

clean: ## remove everything that was built
	rm -rf $(BUILD)

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-16s  %s\n", $$1, $$2 }' \
		Makefile tests/tests.mk

## Compiling

$(BUILD)/obj/core/%: FILE_FLAGS = $(FRAME_WARNING) $(CORE_CFLAGS)
$(BUILD)/obj/tui/%: FILE_FLAGS = $(FRAME_WARNING) $(TUI_CFLAGS) $(CORE_CFLAGS)

# The warnings are kept beside the object: lint fails if there are any, and compiles nothing again.
define compile
$(folder)
$(call step,CC  ,$<)
$(Q)$(CC) $(ALL_CFLAGS) $(FILE_FLAGS) -MMD -MP -c -o $@ $< 2>$(@:.o=.warnings) || failed=1; \
	[ ! -s $(@:.o=.warnings) ] || cat $(@:.o=.warnings) >&2; [ ! "$$failed" ]
endef

$(BUILD)/obj/%.o: %.c | $(BUILD)/headers_checked
	$(compile)

# The assembler reads it, so the compiler lists no dependency.
$(BUILD)/obj/core/event/event_table_frame.o: core/tables/tables.zst

# Generated C.
$(BUILD)/obj/%.o: $(BUILD)/%.c | $(BUILD)/headers_checked
	$(compile)

# The scripts below read these. $(BUILD)/headers_checked is made before anything is compiled.
PROBED   := $(BUILD)/headers_checked $(BUILD)/version.c $(BUILD)/static/version.c
$(PROBED): export COMPILER = $(CC) $(SYSROOT:%=-B%/usr/lib/$(MULTIARCH)/) $(SYSROOT_CFLAGS) $(CFLAGS)
$(PROBED): export PKG_CONFIG_COMMAND = $(PKG_CONFIG)

$(BUILD)/headers_checked: export IN_SYSROOT = $(SYSROOT)
$(BUILD)/headers_checked:
	@mkdir -p $(@D)
	@.package/check_headers.sh $(if $(CROSS),gcc-$(subst _,-,$(CROSS:-=)),$(or $(filter clang%,$(CC)),gcc)) $(HTTP_NAME)
	@touch $@

# No test links these: core/base/version.c replaces them, so a new commit rebuilds no test.
$(BUILD)/version.c $(BUILD)/static/version.c: always | $(BUILD)/headers_checked
	@mkdir -p $(@D)
	@.package/version_c.sh $@ '$(VERSION)' \
		'$(if $(STATIC),$(comma) static)$(if $(filter-out 0,$(HARDEN)),$(comma) hardened)' \
		inih libzstd liblzma jansson ncursesw $(HTTP_NAME)

$(BUILD)/themes_builtin.c: .package/themes_c.sh $(THEMES)
	@mkdir -p $(@D)
	@$^ >$@

$(BUILD)/host_script.c: .package/host_script_c.sh tui/remote/host_setup.sh
	@mkdir -p $(@D)
	@$^ >$@

$(BUILD)/terminal_types.c: .package/terminal_types_c.sh
	@mkdir -p $(@D)
	@$^ >$@

# Pages of the manual and completions, with the tables of these sources.
$(BUILD)/pmctop-metrics.7: .package/c_tables.awk .package/metrics_page.awk tui/pmctop-metrics.7.in \
		core/sys/cpu_kind.c $(wildcard core/metric/*.def core/metric/*.c)
$(OPTION_TEXTS): $(BUILD)/%: .package/c_tables.awk .package/option_texts.awk tui/%.in \
		tui/options/option_table.c core/output/batch_format.c core/event/event_modifier.c core/snapshot/rollup.c
$(MADE_TEXTS):
	@mkdir -p $(@D)
	@awk $(addprefix -f ,$(wordlist 1,2,$^)) $(word 3,$^) >$@

## Linking

# $(call link,LIBRARIES,FLAGS) links the prerequisites of the target.
define link
$(folder)
$(call step,LINK,$@)
$(Q)$(CC) $(ALL_LDFLAGS) $(2) -o $@ $^ $(1)
endef

$(BUILD)/pmctop: $(TUI_OBJ) $(BUILD)/obj/version.o $(BUILD)/libcore.a
	$(call link,$(TUI_LIBS) $(CORE_LIBS))

# make_tables.py runs it. The table that it makes is stored, so no build needs it.
$(BUILD)/table_lines: $(BUILD)/obj/core/tables/table_lines.o $(BUILD)/libcore.a
	$(call link,$(CORE_LIBS))

# The static program has the same objects, except two. An object in the command replaces that of the
# same content in libcore.a.
$(BUILD)/static/%: private override STATIC = 1
$(BUILD)/static/%: private override HTTP = 0
$(BUILD)/static/pmctop: private override LDFLAGS += -s
$(BUILD)/static/pmctop: $(TUI_OBJ) $(BUILD)/obj/static/version.o \
		$(BUILD)/obj/core/output/metrics_server_absent.o $(BUILD)/libcore.a
	$(call link,$(TUI_LIBS) $(CORE_LIBS))

# libtui.a is pmctop without main().
$(BUILD)/libcore.a: $(CORE_OBJ)
$(BUILD)/libtui.a: $(filter-out %/main.o,$(TUI_OBJ))
$(BUILD)/lib%.a:
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

## Installing (DESTDIR is for packages) and packaging

PREFIX   ?= /usr/local
# zsh reads this folder below /usr/local. Below /usr Debian's reads share/zsh/vendor-completions.
ZSH_DIR  ?= share/zsh/site-functions

# FILE=PATH below PREFIX. The themes are built in; these copies are examples for a theme file.
INSTALLED := $(BUILD)/pmctop=bin/pmctop \
	$(BUILD)/pmctop.1=share/man/man1/pmctop.1 \
	$(BUILD)/pmctop-metrics.7=share/man/man7/pmctop-metrics.7 \
	tui/pmctop-remote.7=share/man/man7/pmctop-remote.7 \
	$(BUILD)/completions/pmctop.bash=share/bash-completion/completions/pmctop \
	$(BUILD)/completions/_pmctop=$(ZSH_DIR)/_pmctop \
	$(BUILD)/completions/pmctop.fish=share/fish/vendor_completions.d/pmctop.fish \
	$(foreach f,README.md LICENSE,$(f)=share/doc/pmctop/$(f)) \
	$(foreach f,$(wildcard core/output/monitoring/*),$(f)=share/doc/pmctop/monitoring/$(notdir $(f))) \
	$(foreach f,$(THEMES),$(f)=share/doc/pmctop/$(f))

.PHONY: install install-caps uninstall deb dist
# In the environment, so that the shell expands no character of them.
install install-caps uninstall: export INTO = $(DESTDIR)$(PREFIX)
install install-caps uninstall: export BELOW = $(PREFIX)
install-caps: export ONLY_GROUP = $(GROUP)

install: all ## install pmctop into PREFIX=/usr/local
	@.package/install.sh install $(INSTALLED)

install-caps: all ## install it so that all users, or those of GROUP=perf, may count without root
	@.package/install.sh install-caps $(INSTALLED)

uninstall: ## remove what install put there
	@.package/install.sh uninstall $(INSTALLED)

# Without a sysroot (77: none can be made here) it has no program for the other architecture: that of an
# earlier build is removed.
deb: deb-deps ## build build/pmctop_VERSION_ARCH.deb, with the static programs of amd64 and arm64
	@rm -rf $(BUILD)/deb
	@$(submake) static
	$(if $(OTHER_ARCH),+@.package/sysroot.sh $(BUILD)/$(OTHER_ARCH)/sysroot $(OTHER_ARCH) && \
		$(submake) static-$(OTHER_ARCH) || \
		{ [ $$? = 77 ] && rm -f $(BUILD)/$(OTHER_ARCH)/static/pmctop; })
	@$(submake) install DESTDIR=$(BUILD)/deb/root PREFIX=/usr ZSH_DIR=share/zsh/vendor-completions
	@.package/deb.sh $(BUILD) $(VERSION) $(OTHER_ARCH)

dist: RELEASE = $(patsubst %+dirty,%,$(VERSION:.dirty=))
dist: ## build build/pmctop-VERSION.tar.gz, the sources of the last commit
	@mkdir -p $(BUILD)
	git archive --add-virtual-file=pmctop-$(RELEASE)/.package/version:$(RELEASE) \
		--prefix=pmctop-$(RELEASE)/ -o $(BUILD)/pmctop-$(RELEASE).tar.gz HEAD

## Debian packages

# Only `make run`, `make test` and these targets themselves install packages. Other targets that need
# some fail with their names.
DEPS      = .package/deps.sh $(if $(filter run test %deps,$(MAKECMDGOALS)),install,check) $@

BUILD_PACKAGES := gcc make pkg-config libc6-dev libncurses-dev libpfm4-dev libinih-dev \
	libzstd-dev liblzma-dev libjansson-dev libiberty-dev libmicrohttpd-dev
TEST_PACKAGES  := $(BUILD_PACKAGES) libcmocka-dev python3
# The compiler for $(OTHER_ARCH): gcc-x86-64-linux-gnu, of x86_64-linux-gnu-.
DEB_PACKAGES    = dpkg-dev $(if $(OTHER_ARCH),gcc-$(subst _,-,$(CROSS_$(OTHER_ARCH):-=)) \
	libc6-dev-$(OTHER_ARCH)-cross)
LIVE_PACKAGES   = $(TEST_PACKAGES) $(DEB_PACKAGES) lintian man-db mandoc bash-completion zsh fish jq tmux \
	procps util-linux strace linux-perf valgrind libcap2-bin python3-prometheus-client \
	qemu-system-arm cpio g++ golang-go xz-utils openssh-client openssh-server sudo tcsh mksh \
	busybox-static
BENCH_PACKAGES := python3 procps htop btop atop tiptop linux-perf valgrind

.PHONY: deps deb-deps test-deps live-deps lint-deps clang-deps bench-deps

deps: ## install what is missing to build it
	@$(DEPS) $(BUILD_PACKAGES)
deb-deps: ## the same for deb
	@$(DEPS) $(BUILD_PACKAGES) $(DEB_PACKAGES)
test-deps: ## the same for test
	@$(DEPS) $(TEST_PACKAGES)
live-deps: ## the same for test-live
	@$(DEPS) $(LIVE_PACKAGES)
lint-deps: test-deps ## the same for lint and valgrind
	@$(DEPS) clang-format cppcheck valgrind
# The benchmark leaves out programs that cannot be installed.
bench-deps: test-deps ## the same for bench, as far as they can be installed
	@$(DEPS) $(BENCH_PACKAGES) || true
# Debian has the sanitizers and libFuzzer in a package for each version of clang.
clang-deps: ## the same for what needs clang: fuzz, sanitize, lint
	@$(DEPS) $(BUILD_PACKAGES) clang lld
	@tests/fuzz/run.sh --probe || \
		$(DEPS) libclang-rt-$$(clang -dumpversion | cut -d. -f1)-dev

include tests/tests.mk

-include $(patsubst %.o,%.d,$(TUI_OBJ) $(call object,$(C_FILES)))
