# Fleetplan. `make help` lists what can be made.
#
# MODE=release (default), asan, tsan, coverage, fuzz or fuzz-coverage; each has its own folder build/MODE, and the release program
# is also build/fleetplan. V=1 shows full commands. PREFIX and DESTDIR are honoured by install.

MODE    ?= release
PREFIX  ?= /usr/local
CC      ?= gcc
PYTHON  ?= /usr/bin/python3
# HTTP tests mostly wait: three files at once on two cores, where pytest-xdist is installed
SERVER_TESTERS ?= 3
SERVER_TESTS ?= tests/server
BUILD   := build/$(MODE)
FOLDERS := base schema net planner hwdb storage api bench agent service server cli
PROGRAM := $(if $(filter release,$(MODE)),build/fleetplan,$(BUILD)/fleetplan)
VERSION := $(shell cat VERSION)
PACKAGES := libmicrohttpd jansson sqlite3 libcurl libsodium libxxhash zlib

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' '$(1)' '$(2)')

# --- flags -------------------------------------------------------------------------------------------------
# Hardening flags that this compiler and architecture know; what was dropped is listed by `make help`.
HARDEN_WANTED := -fstack-protector-strong -fstack-clash-protection -fcf-protection -ftrivial-auto-var-init=zero
probe = $(shell echo 'int x;' | $(CC) -Werror $(1) -x c -c -o /dev/null - 2>/dev/null && echo $(1))
HARDEN  := $(foreach flag,$(HARDEN_WANTED),$(call probe,$(flag)))
DROPPED := $(filter-out $(HARDEN),$(HARDEN_WANTED))
WARN_WANTED := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes -Wmissing-prototypes \
	-Wvla -Wformat=2 -Wswitch-enum -Wnull-dereference -Wundef -Wpointer-arith -Wcast-align -Wwrite-strings -Werror
WARN    := $(WARN_WANTED)
CFLAGS_release  := -O2 -D_FORTIFY_SOURCE=3 $(HARDEN)
CFLAGS_asan     := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS_tsan     := -O1 -fsanitize=thread -fno-omit-frame-pointer
CFLAGS_coverage := -O0 --coverage
CFLAGS_fuzz     := -O1 -w -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
LDFLAGS_release := -pie -Wl,-z,relro,-z,now -Wl,-z,noexecstack
LDFLAGS_asan    := -fsanitize=address,undefined
LDFLAGS_tsan    := -fsanitize=thread
LDFLAGS_coverage := --coverage
LDFLAGS_fuzz    := -fsanitize=fuzzer,address,undefined
CFLAGS_fuzz-coverage := -O0 -w -fprofile-instr-generate -fcoverage-mapping
LDFLAGS_fuzz-coverage := -fsanitize=fuzzer -fprofile-instr-generate

CPPFLAGS += -D_GNU_SOURCE -I. -Itests -I$(BUILD) -DFLEETPLAN_VERSION='"$(VERSION)"' $(shell pkg-config --cflags $(PACKAGES))
ALL_CFLAGS = -std=c17 -g -fPIE -pthread -ffp-contract=off $(WARN) $(CFLAGS_$(MODE)) $(CFLAGS)
ALL_LDFLAGS = -pthread $(LDFLAGS_$(MODE)) $(LDFLAGS)
LIBS := $(shell pkg-config --libs $(PACKAGES)) -lm -ldl

# --- what is built -----------------------------------------------------------------------------------------
SOURCES := $(sort $(wildcard $(foreach f,$(FOLDERS),$(f)/*.c $(f)/*/*.c)))
EMBEDS  := $(sort $(wildcard $(foreach f,$(FOLDERS),$(f)/*.S $(f)/*/*.S)))
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o) $(EMBEDS:%.S=$(BUILD)/%.S.o)
MAIN    := $(BUILD)/cli/main.o
LIBRARY := $(BUILD)/libfleetplan.a
# What the fuzzers link: the parsers and what they need, less than half of the whole, so that few files are compiled.
FUZZ_SOURCES := $(filter base/% schema/% net/% api/% hwdb/% $(patsubst %,planner/%/%,hardware model plan diagnosis measurement operators),$(SOURCES)) $(wildcard planner/*.c) \
	$(addprefix planner/,measurement/own_runs.c training/practice.c serving/serving_practice.c) \
	$(addprefix storage/sqlite/,checksum.c columns.c conflict_column.c cursor.c feed_maps.c maps.c) \
	$(addprefix agent/,agent_options.c link.c spool.c) $(addprefix server/,cors.c options.c origin.c) $(addprefix server/wire/,body.c gate.c media.c prefer.c target.c)
FUZZ_LIBRARY := $(BUILD)/libfuzzed.a
# TEST_LEFT_OUT: programs that are not wanted, as planner/test_serving_fleet_simulation.
TEST_SOURCES := $(filter-out $(TEST_LEFT_OUT:%=tests/%.c),$(sort $(wildcard tests/*/test_*.c tests/*/*/test_*.c)))
THREADED := agent base bench hwdb server storage
# Of their tests these have no thread beside them, and take two minutes under ThreadSanitizer.
UNTHREADED := hwdb/test_mig bench/test_statistics storage/test_lease storage/test_faults
THREADED_SOURCES := $(filter-out $(UNTHREADED:%=tests/%.c),$(wildcard $(THREADED:%=tests/%/test_*.c)))
TESTS   := $(TEST_SOURCES:%.c=$(BUILD)/%)
CLANG ?= clang-14
FUZZERS := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
comma := ,
FUZZERS_WANTED := $(if $(FUZZ),$(patsubst %,$(BUILD)/tests/fuzz/fuzz_%,$(subst $(comma), ,$(FUZZ))),$(FUZZERS))
TEST_SUPPORT := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/support/*.c))

# Objects of the test support are kept: make takes them for intermediate files otherwise.
.SECONDARY:
.PHONY: all fakes test docs bench-storage check-crash check check-layers check-headers check-rows check-sources check-ptx check-cuda-abi check-opencl ptx check-server check-asan check-tsan check-clang check-oom check-plausibility \
	check-server-asan check-server-tsan coverage fuzz fuzz-short fuzz-corpus fuzz-coverage fuzz-run fuzz-coverage-run bench bench-planner bench-serving bench-queue check-api check-trace lint format run install clean help effects check-effects validate check-accuracy known-answers check-known-answers fit fit-left-out
all: $(PROGRAM) ## build the program: build/fleetplan (make alone does the same)

$(PROGRAM): $(MAIN) $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $(MAIN) $(LIBRARY) $(LIBS)

$(FUZZ_LIBRARY): $(FUZZ_SOURCES:%.c=$(BUILD)/%.o) $(patsubst %.S,$(BUILD)/%.S.o,$(filter hwdb/%,$(EMBEDS)))
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

$(LIBRARY): $(filter-out $(MAIN),$(OBJECTS))
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

$(BUILD)/%.o: %.c Makefile
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# The search for near words and the fit of a curve parse nothing. Following their comparisons would take most of the fuzzers' time.
build/fuzz/base/spelling.o build/fuzz/planner/diagnosis/power_law.o: ALL_CFLAGS += -O2 -fno-sanitize=fuzzer-no-link

# A .S file embeds data with .incbin. What it embeds is named in its comment lines "# embeds: PATH", which become
# prerequisites: neither -MMD nor the compiler can see an .incbin.
$(BUILD)/%.S.o: %.S Makefile
	$(call say,AS,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -I. -c -o $@ $<
define embed_rule
$(BUILD)/$(1).o: $(shell sed -n 's/^# embeds: //p' $(1))
endef
$(foreach s,$(EMBEDS),$(eval $(call embed_rule,$(s))))

$(BUILD)/tests/%: tests/%.c $(TEST_SUPPORT) $(LIBRARY)
	$(call say,TEST,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -MF $@.d $(ALL_LDFLAGS) -o $@ $< $(filter %.o,$^) $(LIBRARY) $(LIBS) -lcmocka

# Stand-ins for NVIDIA's libraries, linked to the first of them, whose clock and memory they share. tests/fakes/README.md
FAKES := $(addprefix $(BUILD)/fakes/,libcuda.so.1 libnvidia-ml.so.1 libcublasLt.so.12 libnccl.so.2 without-graphs/libcuda.so.1 too-old/libcuda.so.1 opencl/libOpenCL.so.1 opencl/too-old/libOpenCL.so.1)
FAKE_FLAGS = $(CPPFLAGS) -std=c17 -g -O2 -fPIC -shared -ffp-contract=off $(filter-out -Wmissing-prototypes -Wstrict-prototypes,$(WARN)) -Wno-null-dereference
FAKE_DRIVER := $(addprefix tests/fakes/,cuda.c kernels.c memory.c script.c) bench/cuda/cuda_format.c
FAKE_HEADERS := $(wildcard tests/fakes/*.h) bench/cuda/cuda_format.h bench/cuda/nvml.h bench/cuda/cublaslt.h
fake = $(Q)mkdir -p $(@D) && $(CC) $(FAKE_FLAGS) -Wl,-soname,$(@F) -o $@ $(filter %.c,$^)

$(BUILD)/fakes/libcuda.so.1: $(FAKE_DRIVER) $(FAKE_HEADERS) Makefile
	$(call say,FAKE,$@)
	$(fake) -lm
$(BUILD)/fakes/without-graphs/libcuda.so.1: $(FAKE_DRIVER) $(FAKE_HEADERS) Makefile
	$(call say,FAKE,$@)
	$(fake) -DFAKE_WITHOUT_GRAPHS -lm
$(BUILD)/fakes/too-old/libcuda.so.1: tests/fakes/cuda_too_old.c Makefile
	$(call say,FAKE,$@)
	$(fake)
$(BUILD)/fakes/libnvidia-ml.so.1: tests/fakes/nvml.c $(BUILD)/fakes/libcuda.so.1 $(FAKE_HEADERS)
	$(call say,FAKE,$@)
	$(fake) -Wl,-rpath,'$$ORIGIN' -L$(@D) -l:libcuda.so.1
$(BUILD)/fakes/libcublasLt.so.12: tests/fakes/cublaslt.c $(BUILD)/fakes/libcuda.so.1 $(FAKE_HEADERS)
	$(call say,FAKE,$@)
	$(fake) -Wl,-rpath,'$$ORIGIN' -L$(@D) -l:libcuda.so.1
$(BUILD)/fakes/libnccl.so.2: tests/fakes/nccl.c $(BUILD)/fakes/libcuda.so.1 $(FAKE_HEADERS)
	$(call say,FAKE,$@)
	$(fake) -Wl,-rpath,'$$ORIGIN' -L$(@D) -l:libcuda.so.1
$(BUILD)/fakes/opencl/libOpenCL.so.1: tests/fakes/opencl.c Makefile
	$(call say,FAKE,$@)
	$(fake)
$(BUILD)/fakes/opencl/too-old/libOpenCL.so.1: tests/fakes/opencl.c Makefile
	$(call say,FAKE,$@)
	$(fake) -DFAKE_TOO_OLD
fakes: $(FAKES) ## stand-ins for NVIDIA's libraries, for tests and for trying the cuda backend without a GPU
$(BUILD)/tests/bench/test_cuda $(BUILD)/tests/bench/test_opencl_fake: | $(FAKES)

# Loaded into the daemon by the storms of the worst day.
$(BUILD)/tests/worst_day/power.so: tests/worst_day/power.c tests/support/vfs_powerloss.c tests/support/vfs_powerloss.h Makefile
	$(call say,LOADED,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS) -std=c17 -g -O2 -fPIC -shared -pthread $(WARN) -Wl,-z,defs -o $@ $(filter %.c,$^) -lsqlite3

$(BUILD)/tests/worst_day/calls.so: tests/worst_day/calls.c Makefile
	$(call say,LOADED,$@)
	$(Q)mkdir -p $(@D) && $(CC) -D_GNU_SOURCE -std=c17 -g -O2 -fPIC -shared -fno-builtin $(filter-out -Wmissing-prototypes -Wstrict-prototypes -Wpedantic,$(WARN)) -o $@ $< -ldl

$(BUILD)/tests/worst_day/clock.so: tests/worst_day/clock.c Makefile
	$(call say,LOADED,$@)
	$(Q)mkdir -p $(@D) && $(CC) -D_GNU_SOURCE -std=c17 -g -O2 -fPIC -shared -pthread $(filter-out -Wmissing-prototypes -Wstrict-prototypes -Wpedantic,$(WARN)) -o $@ $< -ldl

$(BUILD)/tests/oom/test_oom: $(BUILD)/tests/oom/failing_malloc.o

$(BUILD)/tests/effects/test_fields: $(patsubst %,$(BUILD)/tests/effects/%.o,answer change)

$(BUILD)/tests/plausibility/test_plausibility: $(patsubst %,$(BUILD)/tests/plausibility/%.o,answer checks draw)

$(FUZZERS): $(BUILD)/tests/fuzz/%: tests/fuzz/%.c $(BUILD)/tests/fuzz/input.o $(FUZZ_LIBRARY)
	$(call say,FUZZER,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -MF $@.d $(ALL_LDFLAGS) -o $@ $(filter %.c %.o,$^) $(FUZZ_LIBRARY) $(LIBS)

-include $(wildcard $(BUILD)/tests/*/*.d $(SOURCES:%.c=$(BUILD)/%.d) $(TESTS:%=%.d) $(FUZZERS:%=%.d) $(TEST_SUPPORT:.o=.d))

# --- targets -----------------------------------------------------------------------------------------------
test: $(PROGRAM) $(TESTS) ## build and run every C test, in parallel
	$(Q)scripts/run-c-tests.sh $(TESTS)

docs: $(BUILD)/tests/api/write_documents ## write docs/openapi.json, docs/fields.md and docs/leases.md from the tables
	$(Q)$< docs

check: test check-layers check-headers check-rows check-sources ## everything that is quick

check-layers: $(PROGRAM) ## prove the layers: includes, third-party headers, purity of the planner
	$(Q)scripts/check-layers.sh $(BUILD)

check-headers: ## every header compiles alone and explains itself
	$(Q)scripts/check-headers.sh $(CC) -std=c17 $(CPPFLAGS) $(WARN)

check-rows: ## a row of a field table that does not fit its member does not compile
	$(Q)scripts/check-rows.sh $(CC) -std=c17 $(CPPFLAGS)

check-sources: ## house rules on length and leftovers
	$(Q)scripts/check-sources.sh

check-server: $(PROGRAM) $(FAKES) ## HTTP and process tests against the real daemon (SERVER_TESTS: some files; FLEETPLAN_PROGRAM: another build)
	$(Q)FLEETPLAN_FAKES=$(CURDIR)/$(BUILD)/fakes $(PYTHON) -m pytest -q -p no:cacheprovider \
		$$($(PYTHON) -c 'import xdist' 2>/dev/null && echo "-n $(SERVER_TESTERS) --dist loadfile") $(SERVER_TESTS)

check-asan: ## the C tests under AddressSanitizer and UBSan
	$(Q)$(MAKE) MODE=asan test

check-tsan: ## the C tests of the rooms that start threads, under ThreadSanitizer
	$(Q)$(MAKE) MODE=tsan TEST_SOURCES='$(THREADED_SOURCES)' test

check-oom: $(BUILD)/tests/oom/test_oom ## every allocation fails once: requests, plans, reports, the catalogue, a commit
	$(Q)$<

check-plausibility: $(BUILD)/tests/plausibility/test_plausibility ## 200,000 random trainings against physics and what was ever measured (`make test` runs 5,000)
	$(Q)$< 200000

check-clang: ## everything built by clang without a warning, and its C tests
	$(Q)$(MAKE) CC=clang BUILD=build/clang PROGRAM=build/clang/fleetplan all test

check-server-asan: ## the HTTP and process tests against a daemon under AddressSanitizer and UBSan
	$(Q)$(MAKE) MODE=asan all
	$(Q)FLEETPLAN_PROGRAM=$(CURDIR)/build/asan/fleetplan $(MAKE) MODE=asan check-server

check-server-tsan: ## the HTTP and process tests against a daemon under ThreadSanitizer
	$(Q)$(MAKE) MODE=tsan all
	$(Q)FLEETPLAN_PROGRAM=$(CURDIR)/build/tsan/fleetplan $(MAKE) MODE=tsan check-server

coverage: ## line coverage of every folder, from the C tests; schema, planner, api and storage must reach 90 %
	$(Q)find build/coverage -name '*.gcda' -delete 2>/dev/null || true
	$(Q)$(MAKE) MODE=coverage all test
	$(Q)scripts/coverage.sh 90

# FUZZ=json,csv: those alone.
fuzz: ## libFuzzer (clang) over every parser until 10^8 executions are done in all, going on where it stopped; FUZZ_SECONDS a turn
	$(Q)$(MAKE) MODE=fuzz CC=$(CLANG) fuzz-run

# What tests need under sanitizers, built and not run: scripts/test.sh does so beside the HTTP tests.
.PHONY: sanitizer-builds programs fuzzers
sanitizer-builds:
	$(Q)$(MAKE) MODE=asan programs
	$(Q)$(MAKE) MODE=fuzz CC=$(CLANG) fuzzers
	$(Q)$(MAKE) MODE=tsan TEST_SOURCES='$(THREADED_SOURCES)' programs
programs: $(PROGRAM) $(TESTS)
fuzzers: $(FUZZERS)

fuzz-short: ## from the kept corpus, ten seconds and 20,000 inputs each at most, the same ones at each run
	$(Q)$(MAKE) MODE=fuzz CC=$(CLANG) fuzz-run FUZZING=short

fuzz-corpus: ## the kept corpus anew, with what fuzzing found
	$(Q)$(MAKE) MODE=fuzz CC=$(CLANG) fuzz-run FUZZING=corpus

fuzz-coverage: ## lines of each parser that the kept corpus reaches; each must reach 95 % (MISSED=1 lists the others)
	$(Q)$(MAKE) MODE=fuzz-coverage CC=$(CLANG) fuzz-coverage-run

fuzz-run: $(FUZZERS_WANTED)
	$(Q)scripts/fuzz.sh $(or $(FUZZING),long) $^

fuzz-coverage-run: $(FUZZERS)
	$(Q)$(PYTHON) scripts/fuzz-coverage.py 95 $^

$(BUILD)/tests/bench/bare_server: tests/bench/bare_server.c Makefile
	$(call say,BENCH,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(LIBS)

$(BUILD)/tests/bench/storage_rate $(BUILD)/tests/bench/offers_rate: $(BUILD)/tests/bench/%: tests/bench/%.c $(LIBRARY)
	$(call say,BENCH,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(LIBRARY) $(LIBS)

$(BUILD)/tests/bench/planner_rate: tests/bench/planner_rate.c $(TEST_SUPPORT) $(LIBRARY)
	$(call say,BENCH,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(filter %.o,$^) $(LIBRARY) $(LIBS) -lcmocka

$(BUILD)/tests/bench/cpu_rate: tests/bench/cpu_rate.c $(LIBRARY)
	$(call say,BENCH,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(LIBRARY) $(LIBS)

$(BUILD)/tests/bench/serving_rate: tests/bench/serving_rate.c $(LIBRARY)
	$(call say,BENCH,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(LIBRARY) $(LIBS)

EFFECTS := $(BUILD)/tests/effects/sweep
$(EFFECTS): tests/effects/sweep.c $(patsubst %,$(BUILD)/tests/effects/%.o,answer change) $(LIBRARY)
	$(call say,SWEEP,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -MF $@.d $(ALL_LDFLAGS) -o $@ $< $(filter %.o,$^) $(LIBRARY) $(LIBS)

effects: $(EFFECTS) ## write tests/effects/effects.txt: what each field of each request moves, and which way
	$(Q)$< tests/effects >$(BUILD)/effects.txt && cp $(BUILD)/effects.txt tests/effects/effects.txt

check-effects: $(EFFECTS) ## no field of a request is without effect, and what each moves stands in tests/effects/effects.txt
	$(Q)$< tests/effects >$(BUILD)/effects.txt
	$(Q)diff -u tests/effects/effects.txt $(BUILD)/effects.txt && echo 'effects hold'

VALIDATION_CASES := tests/validation
VALIDATIONS := $(BUILD)/tests/validation/validate_training $(BUILD)/tests/validation/fit_training $(BUILD)/tests/validation/validate_sweeps

VALIDATION_OBJECTS := $(patsubst %,$(BUILD)/tests/validation/%.o,product suites cases promises runs samples slices solver fit judge document document_runs plot reliability_plot)

$(VALIDATIONS): $(BUILD)/tests/validation/%: tests/validation/%.c $(VALIDATION_OBJECTS) $(LIBRARY)
	$(call say,VALID,$@)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -MF $@.d $(ALL_LDFLAGS) -o $@ $< $(VALIDATION_OBJECTS) $(LIBRARY) $(LIBS)

$(BUILD)/tests/validation/test_validation: $(VALIDATION_OBJECTS)

SERVING_VALIDATIONS := $(BUILD)/tests/validation/validate_inference $(BUILD)/tests/validation/fit_inference $(BUILD)/tests/validation/validate_energy

SERVING_VALIDATION_OBJECTS := $(patsubst %,$(BUILD)/tests/validation/%.o,product suites solver serving_cases serving_fit serving_scores serving_judge serving_power serving_fits serving_document serving_plot)

$(SERVING_VALIDATIONS): $(BUILD)/tests/validation/%: tests/validation/%.c $(SERVING_VALIDATION_OBJECTS) $(LIBRARY)
	$(call say,VALID,$@)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -MF $@.d $(ALL_LDFLAGS) -o $@ $< $(SERVING_VALIDATION_OBJECTS) $(LIBRARY) $(LIBS)

VALIDATORS := $(patsubst %,$(BUILD)/tests/validation/validate_%,training sweeps inference energy)

validate: $(VALIDATORS) ## the planner against published training runs and serving measurements: prints and writes docs/accuracy.md
	$(Q)scripts/validate $(BUILD) docs

known-answers: $(PROGRAM) ## thirty questions with published answers, asked of the program: writes docs/known-answers.md
	$(Q)scripts/known-answers.py $(PROGRAM) docs/known-answers.md

check-known-answers: $(PROGRAM) ## docs/known-answers.md is what this program answers: asked again and compared
	$(Q)scripts/known-answers.py $(PROGRAM) $(BUILD)/known-answers.md && diff -u docs/known-answers.md $(BUILD)/known-answers.md && echo 'known answers hold'

check-accuracy: $(VALIDATORS) ## docs/accuracy.md and the shipped constants are this planner's: computed again and compared
	$(Q)scripts/validate $(BUILD) $(BUILD)/accuracy >$(BUILD)/accuracy.log || { cat $(BUILD)/accuracy.log; exit 1; }
	$(Q)diff -u docs/accuracy.md $(BUILD)/accuracy/accuracy.md && \
		for plot in accuracy accuracy-reliability accuracy-serving; do cmp docs/$$plot.svg $(BUILD)/accuracy/$$plot.svg || exit 1; done && echo 'accuracy holds'

fit: $(BUILD)/tests/validation/fit_training $(BUILD)/tests/validation/fit_inference ## refit the models' constants to the published runs and measurements, and print them
	$(Q)$< $(VALIDATION_CASES)
	$(Q)$(BUILD)/tests/validation/fit_inference $(VALIDATION_CASES) tests/validation/mlenergy_inference.csv

fit-left-out: $(BUILD)/tests/validation/fit_training ## the same without each suite in turn: the error on software never seen
	$(Q)$< $(VALIDATION_CASES) --left-out

bench-storage: $(BUILD)/tests/bench/storage_rate ## durable puts and reads of plans, without HTTP
	$(Q)rm -f $(BUILD)/rate.db* && $< $(BUILD)/rate.db; rm -f $(BUILD)/rate.db*

check-crash: $(BUILD)/tests/storage/test_crash $(PROGRAM) ## 200 kills -9 and 50 power cuts under eight writers: nothing acknowledged is lost
	CRASH_KILLS=200 CRASH_CUTS=50 $<
	$(PYTHON) tests/server/crash_daemon.py 200

WORST_DAY := $(patsubst %,$(BUILD)/tests/worst_day/%.so,power calls clock)
# STORMS, FACTOR: which of them, and what part of the full counts, as `make check-worst-day STORMS=kills,flips FACTOR=0.1`. MODE=asan, MODE=tsan or
# VALGRIND=1 (a hundredth of the counts): what is found meanwhile is judged, and no time.
, := ,
UNDER_VALGRIND := kills$(,)files$(,)clients$(,)unread
.PHONY: check-worst-day check-worst-day-short
check-worst-day: $(PROGRAM) $(WORST_DAY) ## every storm of docs/robustness.md at its full counts (hours); its short form runs in CI
	FLEETPLAN_PROGRAM=$(CURDIR)/$(PROGRAM) $(PYTHON) tests/worst_day/run.py --full --factor $(or $(FACTOR),$(if $(VALGRIND),0.01,1)) --build $(BUILD) \
		$(addprefix --under ,$(if $(VALGRIND),valgrind,$(filter asan tsan,$(MODE)))) $(addprefix --only ,$(or $(STORMS),$(if $(VALGRIND),$(UNDER_VALGRIND))))

check-worst-day-short: $(PROGRAM) $(WORST_DAY) ## the storms of the worst day in less than a minute, judged by what no slow machine changes
	$(Q)timeout 300 $(PYTHON) tests/worst_day/run.py --build $(BUILD) $(if $(STORMS),--only $(STORMS))

check-trace: $(PROGRAM) ## traces of 255 MiB through the daemon: time, and how far its memory grows
	$(Q)$(PYTHON) tests/diagnosis/large_trace.py

check-api: $(PROGRAM) ## lint /openapi.json and fuzz the live daemon with schemathesis (PyPI, npm)
	$(Q)scripts/check-api.sh $(PROGRAM)

check-api-roles: $(PROGRAM) ## the API as each role meets it: schemathesis without a key, and as viewer, planner, agent and admin (PyPI)
	$(Q)scripts/check-api-roles.sh $(PROGRAM)

bench: bench-planner bench-serving bench-imports $(PROGRAM) $(BUILD)/tests/bench/bare_server ## rates and CPU against bare libmicrohttpd programs (needs wrk)
	$(Q)scripts/bench.sh $(PROGRAM) $(BUILD)/tests/bench/bare_server

bench-planner: $(PROGRAM) $(BUILD)/tests/bench/planner_rate $(BUILD)/tests/bench/offers_rate ## layouts a second, and how long estimates take (needs wrk)
	$(Q)$(BUILD)/tests/bench/offers_rate
	$(Q)scripts/bench-planner.sh $(PROGRAM) $(BUILD)/tests/bench/planner_rate

.PHONY: bench-cpu
bench-cpu: $(BUILD)/tests/bench/cpu_rate ## the cpu backend's triad against a plain loop, and its products against OpenBLAS
	$(Q)$<

bench-serving: $(PROGRAM) $(BUILD)/tests/bench/serving_rate ## requests simulated a second, and how long sizing takes
	$(Q)scripts/bench-serving.sh $^

bench-imports: $(PROGRAM) ## 100,000 prices imported while plans are written, and what follows (needs wrk)
	$(Q)scripts/bench-imports.sh $(PROGRAM)

bench-queue: $(PROGRAM) ## 10,000 queued benchmarks: what claims, lists and plans take meanwhile
	$(Q)$(PYTHON) tests/bench/queue.py $(PROGRAM)

OPENCL_TESTS := $(addprefix $(BUILD)/tests/bench/test_,kernels opencl opencl_fake tensor)
check-opencl: $(OPENCL_TESTS) ## the opencl backend and every kernel, on PoCL (Debian: pocl-opencl-icd) and on a stand-in that fails
	$(Q)scripts/run-c-tests.sh $(OPENCL_TESTS)

ptx: ## compile the kernels of bench/kernels/ to the PTX that is checked in (clang 14, as Debian 12 has it)
	$(Q)scripts/ptx.sh bench/kernels

check-ptx: ## the PTX that is checked in is what clang makes of the kernels
	$(Q)scripts/ptx.sh $(BUILD)/ptx
	$(Q)cmp bench/kernels/sm_60.ptx $(BUILD)/ptx/sm_60.ptx && cmp bench/kernels/sm_80.ptx $(BUILD)/ptx/sm_80.ptx && echo 'PTX holds'

check-cuda-abi: $(LIBRARY) ## what bench/ declares of NVIDIA's libraries, and the PTX, against the real ones (PyPI, Debian non-free; 4 GB)
	$(Q)CC='$(CC)' PYTHON=$(PYTHON) scripts/check-cuda-abi.sh build/nvidia $(LIBRARY) $(LIBS)

lint: ## clang-tidy and cppcheck
	$(Q)printf '%s\n' $(SOURCES) | xargs -P $(shell nproc) -n 4 scripts/clang-tidy.sh -std=c17 $(filter-out -DFLEETPLAN_VERSION=%,$(CPPFLAGS)) -DFLEETPLAN_VERSION=__FILE__ --
	$(Q)scripts/cppcheck.sh $(FOLDERS)

format: ## lay out C sources with clang-format
	clang-format -i $(shell git ls-files '*.c' '*.h')

run: $(PROGRAM) ## start the daemon on 127.0.0.1:8080
	$(PROGRAM) serve

install: $(PROGRAM) ## install the program under PREFIX
	install -D -m 755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/fleetplan

clean: ## remove everything built
	rm -rf build

help: ## list the targets
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24
	@echo "  MODE=release|asan|tsan|coverage|fuzz|fuzz-coverage (each in build/MODE)  V=1 shows commands  PREFIX=$(PREFIX)  DESTDIR="
	@echo "  hardening flags this compiler does not know:$(if $(DROPPED), $(DROPPED), none)"
