# SPDX-License-Identifier: MIT
#
# The Makefile's part for tests, checks, fuzzers, benchmarks and the emulated machine. tests/README.md
# describes the tiers. tests/X.c is built as $(BUILD)/tests/X.

TEST_CFLAGS = $(call package,--cflags,cmocka)
TEST_LIBS = $(call package,--libs,cmocka)

FAKE_SRC := $(call c_files,tests/fake_kernel)
UNIT_SRC := $(foreach f,$(call c_files,tests/unit),$(if $(filter test_%,$(notdir $(f))),$(f)))
LIVE_SRC := $(sort $(wildcard tests/live/test_*.c))
SOAK_SRC := $(sort $(wildcard tests/soak/test_*.c))
LOAD_SRC := $(sort $(wildcard tests/load/*.c))
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))
BENCH_SRC := $(sort $(wildcard tests/bench/*.c))
GUEST_SRC := $(sort $(wildcard tests/guest/*.c))

TESTS_OBJ := $(call object,$(FAKE_SRC) $(filter-out %/helper_entry.c,$(wildcard tests/unit/shared/*.c)) \
	tests/soak/long_day.c)
program   = $(patsubst %.c,$(BUILD)/%,$(1))
UNIT_BIN := $(call program,$(UNIT_SRC) $(SOAK_SRC))
LIVE_BIN := $(call program,$(LIVE_SRC))
CORPUS_BIN := $(call program,$(FUZZ_SRC))
LOAD_BIN := $(patsubst tests/load/%.c,$(BUILD)/load/%,$(LOAD_SRC))
FUZZ_BIN := $(patsubst tests/fuzz/%.c,$(BUILD)/%,$(FUZZ_SRC))
BENCH_BIN := $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(BENCH_SRC))
GUEST_BIN := $(patsubst tests/guest/%.c,$(BUILD)/load/%,$(GUEST_SRC))

## Test programs

# $(call check_files,TARGET,FILES,PATTERNS) fails if git has a file of these PATTERNS that is not in
# FILES. A wildcard of a folder that was moved would match nothing, and the target would pass.
check_files = @printf '%s\n' $(2) | tests/check_file_list.sh $(1) $(3)

.PHONY: units live-units loads benches guest-programs objects

units: $(UNIT_BIN) $(CORPUS_BIN) $(BUILD)/table_lines ## build the unit tests
	$(call check_files,units,$(UNIT_SRC) $(SOAK_SRC) $(FUZZ_SRC),'tests/unit/*/test_*.c' 'tests/soak/test_*.c' 'tests/fuzz/fuzz_*.c')
live-units: $(LIVE_BIN) ## build the C programs that test-live runs
loads: $(LOAD_BIN) ## build the load programs that tests watch
guest-programs: $(GUEST_BIN) ## build the programs that tests run in the emulated machine
benches: $(BENCH_BIN) ## build the programs of the benchmark
objects: $(call object,$(C_FILES)) ## compile every C file, for its warnings
	$(call check_files,objects,$(C_FILES),'*.c')

$(BUILD)/obj/tests/fake_kernel/%: FILE_FLAGS = $(TEST_CFLAGS)
$(BUILD)/obj/tests/unit/% $(BUILD)/obj/tests/live/% $(BUILD)/obj/tests/soak/%: \
	FILE_FLAGS = $(TUI_CFLAGS) $(TEST_CFLAGS) $(if $(filter test_%,$(@F)),$(TEST_FILE_CFLAGS))

# What test programs share.
$(BUILD)/libtests.a: $(TESTS_OBJ)

# Units of core's rooms link libcore.a alone: the linker proves that core does not need ncurses.
CORE_UNIT_BIN := $(filter $(patsubst core/%/,$(BUILD)/tests/unit/%/%,$(wildcard core/*/)) \
	$(BUILD)/tests/unit/fake_kernel/%,$(UNIT_BIN))

# All but the tests of the helper processes themselves, which have children that misbehave. It stands
# behind libcore.a, which is named again.
HELPER_ENTRY := $(BUILD)/obj/tests/unit/shared/helper_entry.o
$(filter-out %/test_symbol_client %/test_symbol_sandbox %/test_opener_client,$(UNIT_BIN)) $(LIVE_BIN): \
	$(HELPER_ENTRY)

$(CORE_UNIT_BIN): $(BUILD)/%: $(BUILD)/obj/%.o $(BUILD)/libtests.a $(BUILD)/libcore.a
	$(call link,$(BUILD)/libcore.a $(TEST_LIBS) $(CORE_LIBS))

$(filter-out $(CORE_UNIT_BIN),$(UNIT_BIN)) $(LIVE_BIN): $(BUILD)/%: $(BUILD)/obj/%.o \
		$(BUILD)/libtests.a $(BUILD)/libtui.a $(BUILD)/libcore.a
	$(call link,$(BUILD)/libcore.a $(TEST_LIBS) $(TUI_LIBS) $(CORE_LIBS))

# A fuzz entry is built twice: as a test of its corpus, and with the main() of libFuzzer.
$(CORPUS_BIN): $(BUILD)/%: $(BUILD)/obj/%.o $(BUILD)/obj/tests/fuzz/corpus.o \
		$(BUILD)/libtests.a $(BUILD)/libtui.a $(BUILD)/libcore.a
	$(call link,$(TUI_LIBS) $(CORE_LIBS))

$(FUZZ_BIN): $(BUILD)/%: $(BUILD)/obj/tests/fuzz/%.o $(BUILD)/libtests.a $(BUILD)/libtui.a $(BUILD)/libcore.a
	$(call link,$(TUI_LIBS) $(CORE_LIBS),-fsanitize=fuzzer)

$(BUILD)/load/%: $(BUILD)/obj/tests/load/%.o
	$(call link,)

# Callers are found by frame pointers. A static program has no shared library.
$(BUILD)/obj/tests/load/hotspots.o $(BUILD)/obj/tests/load/library/%: FILE_FLAGS = \
	-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer $(if $(STATIC),,-DHOTSPOTS_LIBRARY)
ifeq ($(STATIC),)
$(BUILD)/obj/tests/load/library/%: FILE_FLAGS += -fPIC
$(BUILD)/load/libhotspots.so: $(BUILD)/obj/tests/load/library/hotspots_library.o
	$(call link,,-shared -Wl$(comma)-soname$(comma)$(@F))
$(BUILD)/load/hotspots: $(BUILD)/obj/tests/load/hotspots.o $(BUILD)/load/libhotspots.so
	$(call link,-Wl$(comma)-rpath$(comma)'$$ORIGIN')
endif

$(BENCH_BIN): $(BUILD)/bench/%: $(BUILD)/obj/tests/bench/%.o $(BUILD)/libtests.a \
		$(BUILD)/libtui.a $(BUILD)/libcore.a
	$(call link,$(TEST_LIBS) $(TUI_LIBS) $(CORE_LIBS))

$(GUEST_BIN): $(BUILD)/load/%: $(BUILD)/obj/tests/guest/%.o $(BUILD)/libcore.a
	$(call link,$(CORE_LIBS))

.PHONY: event-tables event-codes metric-values

event-tables: $(BUILD)/table_lines ## make the built-in table of the vendors' files in TABLES=DIR (core/tables)
	@BUILD=$(BUILD) core/tables/make_tables.py $(TABLES)

event-codes: units ## compare all codes of the vendors' events in TABLES=DIR (core/tables) with the table
	@tests/event_codes.py $(TABLES) >$(BUILD)/event_codes.txt
	@EVENT_CODES=$(BUILD)/event_codes.txt $(BUILD)/tests/unit/event/test_event_vendor

metric-values: units ## compute all metrics of the vendors' files in TABLES=DIR, and compare with the table's
	@tests/metric_values.py $(TABLES) >$(BUILD)/metric_values.txt
	@METRIC_VALUES=$(BUILD)/metric_values.txt $(BUILD)/tests/unit/metric/test_metric_values

## Builds with sanitizers

# The one build of clang: lint uses its warnings, tests and fuzzers use its sanitizers. The files of
# tests are not optimized and have no coverage for the fuzzers: this halves their compile time. lld
# takes half the time of ld.
CLANG ?= clang
CLANG_BUILD = CC="$(CLANG)" WERROR=1 SANITIZE=fuzzer-no-link,address,undefined \
	CFLAGS="-O1 -gline-tables-only" TEST_FILE_CFLAGS="-O0 -fno-sanitize=fuzzer-no-link" \
	LDFLAGS="-fuse-ld=lld -Wl,--build-id=sha1" BUILD=$(BUILD)/sanitize
THREADS_BUILD = SANITIZE=thread CFLAGS="-O1 -g" BUILD=$(BUILD)/threads

# Some kernels randomize addresses more than these sanitizers support.
UNSHUFFLED = $(shell setarch -R true 2>/dev/null && echo setarch -R)

# Live scripts that find nothing with a sanitized program. They boot another machine. Or they examine
# how the program was built, its memory, or that no process may trace it (LSan does). Or pmctop must
# keep up with many switches, and a sanitized one has a third of the speed. Or they examine the kernel
# or another program rather than pmctop. Or they need fibers (core/base/fiber.h).
UNSANITIZED := tests/guest/ terminal/journeys live/hardened tests/soak/ live/rights live/batch_test \
	live/targets live/record_faults live/replay_perf live/prometheus live/formats live/cost \
	live/install live/package live/static live/ssh live/readme live/illnesses unit/perf/test_contract_ \
	live/hung_processes live/test_process_call live/findings_test

# Units and live scripts with threads: the threads of core, the threads of --listen, and tests that read
# meanwhile.
THREAD_UNITS := engine/test_feed_thread perfdata/test_recording_file perfdata/test_recorder replay/test_replay_feed \
	snapshot/test_snapshot output/test_metrics_server output/test_metrics_export \
	base/test_published_file remote/test_link_watch run/test_tui_ending
THREAD_SCRIPTS := live/record_test live/listen live/replay_test terminal/replay terminal/config

# Units that take more than half a minute under valgrind, which is about 40 times slower. ASan checks
# them. test_kill_while_writing traces its children itself. test_tui_ending reads in which system call
# a thread is, test_fiber whether it waits: below valgrind, threads that wait for their turn are in
# read(2). test_engine_config starts a helper process, which would be valgrind itself.
UNVALGRINDED := tests/program/ test_sweep test_kill_while_writing test_tui_server test_tui_screens \
	test_tui_long_day test_history test_view$$ test_replay$$ test_replay_bytes test_metric$$ \
	test_output_day test_large_machines test_refresh_accuracy test_scaled_counts test_waits \
	test_limited_metrics test_tui_ending test_fiber test_engine_config test_tui_encode \
	test_replay_facts test_looks test_limited_machines test_tui_simulated test_engine_groups \
	test_metric_forms

## The gate: test and check

# Each tier prints its duration, without the time that installing packages takes.
timed = BEGAN_S=$$(date +%s) && export BEGAN_S &&

.PHONY: test check sanitize sanitize-threads valgrind

test: test-deps ## install what is missing, build, run the fast tests: their result depends on the code alone
	@$(timed) $(submake) all units && BUILD=$(BUILD) tests/run gate

check: test-deps lint-deps clang-deps ## the slow part of the gate: lint, sanitizers, valgrind, fuzzers
	+@MAKE="$(MAKE) --no-print-directory" tests/check.sh lint sanitize sanitize-threads valgrind fuzz-short

# test_scaled_counts repeats the same refresh 20,000 times for its statistics: sanitizers see nothing
# new in it.
sanitize: test-deps clang-deps ## run the fast tests under ASan, LSan and UBSan
	@$(timed) $(submake) $(CLANG_BUILD) all units && \
	BUILD=$(BUILD)/sanitize $(UNSHUFFLED) tests/run gate -x test_scaled_counts

sanitize-threads: test-deps ## run the units with threads under TSan
	@$(timed) $(submake) $(THREADS_BUILD) $(THREAD_UNITS:%=$(BUILD)/threads/tests/unit/%) && \
	BUILD=$(BUILD)/threads $(UNSHUFFLED) tests/run gate $(THREAD_UNITS:%='unit/%$$')

valgrind: lint-deps ## run the faster units under valgrind's memcheck
	@$(timed) $(submake) units && MEMCHECK=1 BUILD=$(BUILD) tests/run gate $(UNVALGRINDED:%=-x '%')

## The gate: lint

.PHONY: lint format format-check analyze

SOURCES = $(C_FILES) $(H_FILES)
CPPCHECKED = $(CORE_ALL) $(TUI_SRC) $(FAKE_SRC)

lint: lint-deps clang-deps format-check ## formatting, the order of the rooms, owners, comments, warnings of gcc and clang, cppcheck, gcc's analyzer
	@tests/rooms.py
	@tests/owners.py
	@tests/comments.py
	@$(submake) objects
	@! cat $(patsubst %.c,$(BUILD)/obj/%.warnings,$(C_FILES)) 2>/dev/null | grep .
	@$(submake) $(CLANG_BUILD) objects
	@$(submake) CC=gcc analyze
	@cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability -j $(shell nproc) \
		--inline-suppr --suppress=missingIncludeSystem --std=c11 --language=c \
		-D_GNU_SOURCE -I. $(CPPCHECKED)
	$(call check_files,cppcheck,$(CPPCHECKED),'core/*.c' 'tui/*.c' 'tests/fake_kernel/*.c')

format: ## rewrite the sources in the house style
	clang-format -i $(SOURCES)

format-check: lint-deps ## print the sources that are not in the house style
	@printf '%s\n' $(SOURCES) | xargs -P $(shell nproc) -n 50 clang-format --dry-run -Werror
	$(call check_files,format-check,$(SOURCES),'*.c' '*.h' ':!tests/fixtures')

# gcc's analyzer, not clang's: clang's takes four times as long, and does not connect a returned error
# with what the function filled. The reports of gcc 12 on uninitialized values are false after
# memcpy() and for our own stacks; valgrind checks for these.
analyze: $(patsubst %.c,$(BUILD)/analyzed/%,$(CORE_ALL) $(TUI_SRC)) ## find mistakes with gcc's analyzer
	$(call check_files,analyze,$(CORE_ALL) $(TUI_SRC),'core/*.c' 'tui/*.c')

$(BUILD)/analyzed/%: %.c $(H_FILES)
	$(folder)
	$(call step,SCAN,$<)
	$(Q)$(CC) -std=gnu11 -Werror -fanalyzer -Wno-analyzer-use-of-uninitialized-value \
		$(CORE_CFLAGS) $(TUI_CFLAGS) -D_GNU_SOURCE -I. \
		-S -o /dev/null $< && touch $@

## Fuzzing (tests/fuzz)

FUZZ_SECONDS ?= 60
FUZZ_RUNS ?= 5000
FUZZ_SEED ?= 0
FUZZ_LIMIT ?= -max_total_time=$(FUZZ_SECONDS)

.PHONY: fuzz fuzz-short fuzz-recordings fuzzers

fuzz: clang-deps ## fuzz every parser with libFuzzer for FUZZ_SECONDS=60 each
	@$(submake) $(CLANG_BUILD) fuzzers
	@FUZZ_LIMIT=$(FUZZ_LIMIT) FUZZ_SEED=$(FUZZ_SEED) $(UNSHUFFLED) \
		tests/fuzz/run.sh $(BUILD)/sanitize $(FUZZ)

# The limit is a number of inputs: with a time limit, a slower machine would test less.
fuzz-short: FUZZ_LIMIT = -runs=$(FUZZ_RUNS)
fuzz-short: FUZZ_SEED = 1
fuzz-short: fuzz ## fuzz every parser with the same FUZZ_RUNS=5000 inputs each time

fuzz-recordings: clang-deps ## 10,000 mutations of each stored perf.data: a form each, in files and pipes
	@$(submake) $(CLANG_BUILD) fuzzers
	@FUZZ_LIMIT=-runs=10000 FUZZ_SEED=1 $(UNSHUFFLED) tests/fuzz/run.sh $(BUILD)/sanitize --each perfdata

fuzzers: $(FUZZ_BIN) ## build what fuzz runs: needs CC=clang and the other options of CLANG_BUILD
	$(call check_files,fuzzers,$(FUZZ_SRC),'tests/fuzz/fuzz_*.c')

## Tests of this machine

.PHONY: test-live fresh sweep soak bench screenshots monitoring

ifndef SANITIZED
test-live: live-deps ## run the tests that examine this machine; SANITIZED=1: with sanitizers, under valgrind
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
	@tests/fresh.sh $(SUITE) $(BUILD)/fresh

sweep: live-deps ## make each system call of whole runs fail once, in every way (minutes)
	@$(submake) all $(BUILD)/tests/unit/engine/test_sweep
	@$(BUILD)/tests/unit/engine/test_sweep all
	@BUILD=$(BUILD) tests/live/faults_test.py all

SOAK_HOURS ?= 24
SOAK_MINUTES ?= 10
soak: live-deps ## run on a fake machine for its SOAK_HOURS=24, on this one for SOAK_MINUTES=10
	@$(submake) all units loads
	@CMOCKA_MESSAGE_OUTPUT=TAP $(BUILD)/tests/soak/test_tui_long_day $(SOAK_HOURS)
	@BUILD=$(BUILD) tests/soak/machine_test.py $(SOAK_MINUTES)

bench: bench-deps ## measure what things cost, beside peers: ROUNDS=5 of the benchmark
	@$(submake) all loads benches
	@BUILD=$(BUILD) tests/bench/bench.py $(BENCH)

screenshots: test-deps ## draw the README's pictures again, of the simulated machine
	@$(submake) $(BUILD)/tests/unit/screen/test_tui_simulated
	@PICTURES=tests/screenshots $(BUILD)/tests/unit/screen/test_tui_simulated

monitoring: ## fetch prometheus, promtool and node_exporter for the tests, without installing them
	@tests/monitoring/tools.sh $(BUILD)/monitoring

## The emulated machine with a real PMU (tests/guest)

GUEST := $(BUILD)/guest
GUEST_BUILD = $(call foreign,arm64)
# Loads that have shared libraries.
GUEST_DYNAMIC = $(BUILD)/arm64/dynamic/load/hotspots

.PHONY: guest guest-bench

# GUEST_SUITE is a suite of Debian. image.sh and boot.sh read it from the environment.
# The lock and the +: as for static-arm64.
guest: ## build the emulated arm64 machine and pmctop for it; GUEST_SUITE=sid: its kernel, too
	@.package/sysroot.sh $(BUILD)/arm64/sysroot arm64
	@tests/guest/image.sh $(GUEST)
	+@flock $(BUILD)/arm64/.lock $(submake) $(GUEST_BUILD) all loads guest-programs
	+@flock $(BUILD)/arm64/.lock $(submake) $(GUEST_BUILD)/dynamic STATIC= HTTP=0 $(GUEST_DYNAMIC)

guest-bench: guest ## build what the benchmark's part "emulated" runs there too
	+@$(submake) $(GUEST_BUILD) TEST_CFLAGS= TEST_LIBS= \
		$(addprefix $(BUILD)/arm64/bench/,floor one_record per_thread)
