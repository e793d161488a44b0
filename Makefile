# Fleetplan. `make help` lists the targets.
#
# MODE=release (default), asan, tsan, coverage, fuzz or fuzz-coverage. Each mode has its own folder build/MODE; the program of
# release is build/fleetplan. V=1 shows full commands. `make install` uses PREFIX and DESTDIR.

MODE    ?= release
PREFIX  ?= /usr/local
# Where systemd looks for units depends on the prefix: /usr/local and /usr are among its folders, others are not.
UNITDIR ?= $(PREFIX)/lib/systemd/system
CC      ?= gcc
PYTHON  ?= /usr/bin/python3
# HTTP tests mostly wait, so three files run at once on two cores if pytest-xdist is installed.
SERVER_TESTERS ?= 3
SERVER_TESTS ?= tests/server
BUILD   := build/$(MODE)
FOLDERS := base schema net planner hwdb storage api bench agent service server cli
PROGRAM := $(if $(filter release,$(MODE)),build/fleetplan,$(BUILD)/fleetplan)
VERSION := $(shell cat VERSION)
# The oldest versions: jansson for json_object_getn, SQLite for the operator ->>, libcurl for CURLOPT_QUICK_EXIT, libmicrohttpd for the
# memory of its parser (docs/decisions/0072-the-gate-reads-distances.md). The others are the versions of Debian 12, with which the tests run.
LIBRARIES := libmicrohttpd>=0.9.75 jansson>=2.14 sqlite3>=3.38 libcurl>=7.87 libsodium>=1.0.18 libxxhash>=0.8.1 zlib>=1.2.13
PACKAGES := $(foreach library,$(LIBRARIES),$(firstword $(subst >, ,$(library))))

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' '$(1)' '$(2)')

# --- flags -------------------------------------------------------------------------------------------------
# Hardening flags that this compiler and architecture support. `make help` lists the others.
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
# The fuzzers link the parsers and the code that these need: less than half of the sources, so that fewer files compile.
FUZZ_SOURCES := $(filter base/% schema/% net/% api/% hwdb/% $(patsubst %,planner/%/%,hardware model plan diagnosis measurement operators),$(SOURCES)) $(wildcard planner/*.c) \
	$(addprefix planner/,measurement/own_runs.c training/practice.c serving/serving_practice.c) \
	$(addprefix storage/sqlite/,checksum.c columns.c conflict_column.c cursor.c feed_maps.c maps.c) \
	$(addprefix agent/,agent_options.c link.c spool.c) $(addprefix server/,cors.c options.c origin.c) $(addprefix server/wire/,body.c gate.c media.c prefer.c target.c)
FUZZ_LIBRARY := $(BUILD)/libfuzzed.a
# TEST_LEFT_OUT: test programs to leave out, such as planner/test_serving_fleet_simulation.
TEST_SOURCES := $(filter-out $(TEST_LEFT_OUT:%=tests/%.c),$(sort $(wildcard tests/*/test_*.c tests/*/*/test_*.c)))
THREADED := agent base bench hwdb server storage
# These tests of the folders above start no threads, and take two minutes under ThreadSanitizer.
UNTHREADED := hwdb/test_mig bench/test_statistics storage/test_lease storage/test_faults
THREADED_SOURCES := $(filter-out $(UNTHREADED:%=tests/%.c),$(wildcard $(THREADED:%=tests/%/test_*.c)))
TESTS   := $(TEST_SOURCES:%.c=$(BUILD)/%)
CLANG ?= clang-14
FUZZERS := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
comma := ,
FUZZERS_WANTED := $(if $(FUZZ),$(patsubst %,$(BUILD)/tests/fuzz/fuzz_%,$(subst $(comma), ,$(FUZZ))),$(FUZZERS))
TEST_SUPPORT := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/support/*.c))

# Keep the objects of the test support. Otherwise make deletes them as intermediate files.
.SECONDARY:
.PHONY: all fakes test docs bench-storage check-crash check check-layers check-headers check-rows check-sources check-ptx check-cuda-abi check-opencl ptx check-server check-asan check-tsan check-clang check-oom check-plausibility \
	check-server-asan check-server-tsan check-style check-format coverage fuzz fuzz-short fuzz-corpus fuzz-coverage fuzz-run fuzz-coverage-run bench bench-planner bench-serving bench-queue check-api check-trace lint format run install uninstall sbom debian-package clean help effects check-effects validate check-accuracy known-answers check-known-answers fit fit-left-out
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

# Checks the versions once. An error names the library and what to install.
$(BUILD)/libraries: Makefile scripts/check-libraries.sh
	$(Q)mkdir -p $(@D)
	$(Q)scripts/check-libraries.sh $(foreach library,$(LIBRARIES),'$(library)') >$@.new && mv $@.new $@

$(BUILD)/%.o: %.c Makefile | $(BUILD)/libraries
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# These two files parse nothing. Instrumenting their comparisons would take most of the fuzzers' time.
build/fuzz/base/spelling.o build/fuzz/planner/diagnosis/power_law.o: ALL_CFLAGS += -O2 -fno-sanitize=fuzzer-no-link

# A .S file embeds data with .incbin. Its comment lines "# embeds: PATH" name the data and become prerequisites, because
# -MMD does not see an .incbin.
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

# Stand-ins for NVIDIA's libraries. All link to the first, because they share its clock and memory. tests/fakes/README.md
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
fakes: $(FAKES) ## build the stand-ins for NVIDIA's libraries, for tests and for trying the cuda backend without a GPU
$(BUILD)/tests/bench/test_cuda $(BUILD)/tests/bench/test_opencl_fake: | $(FAKES)

# The storms of the worst day load these into the daemon.
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

check: test check-layers check-headers check-rows check-sources ## run all quick checks

check-layers: $(PROGRAM) ## check the layers: includes, third-party headers, purity of the planner
	$(Q)scripts/check-layers.sh $(BUILD)

check-headers: ## check that every header compiles alone and starts with a comment
	$(Q)scripts/check-headers.sh $(CC) -std=c17 $(CPPFLAGS) $(WARN)

check-rows: ## check that a row of a field table does not compile if its member has another type
	$(Q)scripts/check-rows.sh $(CC) -std=c17 $(CPPFLAGS)

check-sources: ## check the house rules on length and leftovers
	$(Q)scripts/check-sources.sh

check-server: $(PROGRAM) $(FAKES) ## run the HTTP and process tests against the real daemon (SERVER_TESTS: only these files; FLEETPLAN_PROGRAM: another build)
	$(Q)FLEETPLAN_FAKES=$(CURDIR)/$(BUILD)/fakes $(PYTHON) -m pytest -q -p no:cacheprovider \
		$$($(PYTHON) -c 'import xdist' 2>/dev/null && echo "-n $(SERVER_TESTERS) --dist loadfile") $(SERVER_TESTS)

check-asan: ## run the C tests under AddressSanitizer and UBSan
	$(Q)$(MAKE) MODE=asan test

check-tsan: ## run the C tests of the folders with threads under ThreadSanitizer
	$(Q)$(MAKE) MODE=tsan TEST_SOURCES='$(THREADED_SOURCES)' test

check-oom: $(BUILD)/tests/oom/test_oom ## let every allocation fail once: requests, plans, reports, the catalogue, a commit
	$(Q)$<

check-plausibility: $(BUILD)/tests/plausibility/test_plausibility ## check 200,000 random trainings against physics and all measured values (`make test` runs 5,000)
	$(Q)$< 200000

check-clang: ## build everything with clang, without warnings, and run the C tests
	$(Q)$(MAKE) CC=clang BUILD=build/clang PROGRAM=build/clang/fleetplan all test

check-server-asan: ## run the HTTP and process tests against a daemon under AddressSanitizer and UBSan
	$(Q)$(MAKE) MODE=asan all
	$(Q)FLEETPLAN_PROGRAM=$(CURDIR)/build/asan/fleetplan $(MAKE) MODE=asan check-server

check-server-tsan: ## run the HTTP and process tests against a daemon under ThreadSanitizer
	$(Q)$(MAKE) MODE=tsan all
	$(Q)FLEETPLAN_PROGRAM=$(CURDIR)/build/tsan/fleetplan $(MAKE) MODE=tsan check-server

coverage: ## line coverage of every folder, from the C tests and the HTTP tests; each must reach 90 % (half an hour)
	$(Q)find build/coverage -name '*.gcda' -delete 2>/dev/null || true
	$(Q)$(MAKE) MODE=coverage all test
	$(Q)FLEETPLAN_PROGRAM=$(CURDIR)/build/coverage/fleetplan $(MAKE) MODE=coverage check-server
	$(Q)scripts/coverage.sh 90

# FUZZ=json,csv: only these fuzzers.
fuzz: ## fuzz every parser (libFuzzer, clang) until 10^8 executions in total; continues after a stop; FUZZ_SECONDS per turn
	$(Q)$(MAKE) MODE=fuzz CC=$(CLANG) fuzz-run

# Builds the programs for tests under sanitizers, without running them. scripts/test.sh does this during the HTTP tests.
.PHONY: sanitizer-builds programs fuzzers
sanitizer-builds:
	$(Q)$(MAKE) MODE=asan programs
	$(Q)$(MAKE) MODE=fuzz CC=$(CLANG) fuzzers
	$(Q)$(MAKE) MODE=tsan TEST_SOURCES='$(THREADED_SOURCES)' programs
programs: $(PROGRAM) $(TESTS)
fuzzers: $(FUZZERS)

fuzz-short: ## run each fuzzer from the corpus for at most ten seconds and 20,000 inputs, the same inputs in every run
	$(Q)$(MAKE) MODE=fuzz CC=$(CLANG) fuzz-run FUZZING=short

fuzz-corpus: ## rebuild the corpus with the inputs that fuzzing found
	$(Q)$(MAKE) MODE=fuzz CC=$(CLANG) fuzz-run FUZZING=corpus

fuzz-coverage: ## print how many lines of each parser the corpus reaches; each must reach 95 % (MISSED=1 lists the missed lines)
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

effects: $(EFFECTS) ## write tests/effects/effects.txt: the answers that each request field changes, and the direction
	$(Q)$< tests/effects >$(BUILD)/effects.txt && cp $(BUILD)/effects.txt tests/effects/effects.txt

check-effects: $(EFFECTS) ## check that every request field has an effect, and that tests/effects/effects.txt is up to date
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

validate: $(VALIDATORS) ## compare the planner with published training runs and serving measurements: print and write docs/accuracy.md
	$(Q)scripts/validate $(BUILD) docs

known-answers: $(PROGRAM) ## ask the program thirty questions with published answers: write docs/known-answers.md
	$(Q)scripts/known-answers.py $(PROGRAM) docs/known-answers.md

check-known-answers: $(PROGRAM) ## ask the questions again and compare the answers with docs/known-answers.md
	$(Q)scripts/known-answers.py $(PROGRAM) $(BUILD)/known-answers.md && diff -u docs/known-answers.md $(BUILD)/known-answers.md && echo 'known answers hold'

check-accuracy: $(VALIDATORS) ## compute docs/accuracy.md and its plots again with the shipped constants and compare them with the files
	$(Q)scripts/validate $(BUILD) $(BUILD)/accuracy >$(BUILD)/accuracy.log || { cat $(BUILD)/accuracy.log; exit 1; }
	$(Q)diff -u docs/accuracy.md $(BUILD)/accuracy/accuracy.md && \
		for plot in accuracy accuracy-reliability accuracy-serving; do cmp docs/$$plot.svg $(BUILD)/accuracy/$$plot.svg || exit 1; done && echo 'accuracy holds'

fit: $(BUILD)/tests/validation/fit_training $(BUILD)/tests/validation/fit_inference ## refit the models' constants to the published runs and measurements, and print them
	$(Q)$< $(VALIDATION_CASES)
	$(Q)$(BUILD)/tests/validation/fit_inference $(VALIDATION_CASES) tests/validation/mlenergy_inference.csv

fit-left-out: $(BUILD)/tests/validation/fit_training ## refit without each suite in turn: the error on unseen software
	$(Q)$< $(VALIDATION_CASES) --left-out

bench-storage: $(BUILD)/tests/bench/storage_rate ## measure durable puts and reads of plans, without HTTP
	$(Q)rm -f $(BUILD)/rate.db* && $< $(BUILD)/rate.db; rm -f $(BUILD)/rate.db*

check-crash: $(BUILD)/tests/storage/test_crash $(PROGRAM) ## check that 200 kills -9 and 50 power cuts under eight writers lose no acknowledged change
	CRASH_KILLS=200 CRASH_CUTS=50 $<
	$(PYTHON) tests/server/crash_daemon.py 200

WORST_DAY := $(patsubst %,$(BUILD)/tests/worst_day/%.so,power calls clock)
# STORMS selects storms, FACTOR scales the full counts: `make check-worst-day STORMS=kills,flips FACTOR=0.1`. With MODE=asan, MODE=tsan or
# VALGRIND=1 (a hundredth of the counts) only the tool's findings count, not the times.
, := ,
UNDER_VALGRIND := kills$(,)files$(,)clients$(,)unread
.PHONY: check-worst-day check-worst-day-short
check-worst-day: $(PROGRAM) $(WORST_DAY) ## run every storm of docs/robustness.md at its full counts (hours); CI runs the short form
	FLEETPLAN_PROGRAM=$(CURDIR)/$(PROGRAM) $(PYTHON) tests/worst_day/run.py --full --factor $(or $(FACTOR),$(if $(VALGRIND),0.01,1)) --build $(BUILD) \
		$(addprefix --under ,$(if $(VALGRIND),valgrind,$(filter asan tsan,$(MODE)))) $(addprefix --only ,$(or $(STORMS),$(if $(VALGRIND),$(UNDER_VALGRIND))))

check-worst-day-short: $(PROGRAM) $(WORST_DAY) ## run the storms of the worst day in less than a minute, with limits that do not depend on the machine's speed
	$(Q)timeout 300 $(PYTHON) tests/worst_day/run.py --build $(BUILD) $(if $(STORMS),--only $(STORMS))

check-trace: $(PROGRAM) ## send traces of 255 MiB to the daemon: print the time and the growth of its memory
	$(Q)$(PYTHON) tests/diagnosis/large_trace.py

check-api: $(PROGRAM) ## lint /openapi.json and fuzz the live daemon with schemathesis (PyPI, npm)
	$(Q)scripts/check-api.sh $(PROGRAM)

check-clients: $(PROGRAM) ## generate clients (Python, TypeScript, Go, Java) and use each against the daemon (PyPI, npm, Go, Maven)
	$(Q)scripts/check-clients.sh $(PROGRAM) $(CLIENTS)

check-api-roles: $(PROGRAM) ## test the API with schemathesis without a key, and as viewer, planner, agent and admin (PyPI)
	$(Q)scripts/check-api-roles.sh $(PROGRAM)

bench: bench-planner bench-serving bench-imports $(PROGRAM) $(BUILD)/tests/bench/bare_server ## compare rates and CPU with a bare libmicrohttpd program (needs wrk)
	$(Q)scripts/bench.sh $(PROGRAM) $(BUILD)/tests/bench/bare_server

bench-planner: $(PROGRAM) $(BUILD)/tests/bench/planner_rate $(BUILD)/tests/bench/offers_rate ## measure layouts per second and the time of estimates (needs wrk)
	$(Q)$(BUILD)/tests/bench/offers_rate
	$(Q)scripts/bench-planner.sh $(PROGRAM) $(BUILD)/tests/bench/planner_rate

.PHONY: bench-cpu
bench-cpu: $(BUILD)/tests/bench/cpu_rate ## compare the cpu backend's triad with a plain loop, and its products with OpenBLAS
	$(Q)$<

bench-serving: $(PROGRAM) $(BUILD)/tests/bench/serving_rate ## measure simulated requests per second and the time of sizing
	$(Q)scripts/bench-serving.sh $^

bench-imports: $(PROGRAM) ## import 100,000 prices while plans are written, and measure both and the requests after it (needs wrk)
	$(Q)scripts/bench-imports.sh $(PROGRAM)

bench-queue: $(PROGRAM) ## queue 10,000 benchmarks and measure claims, lists and plans meanwhile
	$(Q)$(PYTHON) tests/bench/queue.py $(PROGRAM)

OPENCL_TESTS := $(addprefix $(BUILD)/tests/bench/test_,kernels opencl opencl_fake tensor)
check-opencl: $(OPENCL_TESTS) ## test the opencl backend and every kernel on PoCL (Debian: pocl-opencl-icd) and on a failing stand-in
	$(Q)scripts/run-c-tests.sh $(OPENCL_TESTS)

ptx: ## compile the kernels of bench/kernels/ to the checked-in PTX (needs clang 14 of Debian 12)
	$(Q)scripts/ptx.sh bench/kernels

check-ptx: ## compile the kernels again and compare the result with the checked-in PTX
	$(Q)scripts/ptx.sh $(BUILD)/ptx
	$(Q)cmp bench/kernels/sm_60.ptx $(BUILD)/ptx/sm_60.ptx && cmp bench/kernels/sm_80.ptx $(BUILD)/ptx/sm_80.ptx && echo 'PTX holds'

check-cuda-abi: $(LIBRARY) ## check the declarations of NVIDIA's libraries in bench/ and the PTX with NVIDIA's own files (PyPI, Debian non-free; 4 GB)
	$(Q)CC='$(CC)' PYTHON=$(PYTHON) scripts/check-cuda-abi.sh build/nvidia $(LIBRARY) $(LIBS)

check-style: ## words to avoid, subjects of commits
	$(Q)scripts/check-style.sh

check-format: ## C sources are laid out as `make format` lays them out
	$(Q)git ls-files '*.c' '*.h' | xargs -P $(shell nproc) -n 50 clang-format --dry-run -Werror && echo "format holds"

lint: check-style check-format ## style, formatting, clang-tidy and cppcheck
	$(Q)printf '%s\n' $(SOURCES) | xargs -P $(shell nproc) -n 4 scripts/clang-tidy.sh -std=c17 $(filter-out -DFLEETPLAN_VERSION=%,$(CPPFLAGS)) -DFLEETPLAN_VERSION=__FILE__ --
	$(Q)scripts/cppcheck.sh $(FOLDERS)

format: ## lay out C sources with clang-format
	git ls-files '*.c' '*.h' | xargs -n 50 clang-format -i

run: $(PROGRAM) ## start the daemon on 127.0.0.1:8080
	$(PROGRAM) serve

# Manual pages and completions are written by the program that is installed, so it must run on this machine. SOURCE_DATE_EPOCH is the date of the pages.
install: export SOURCE_DATE_EPOCH ?= $(shell stat -c %Y VERSION)
install: $(PROGRAM) ## install the program, manual pages, completions, systemd unit and monitoring files under PREFIX
	$(Q)PROGRAM='$(PROGRAM)' PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' UNITDIR='$(UNITDIR)' scripts/install.sh

uninstall: ## remove what `make install` installed
	$(Q)PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' UNITDIR='$(UNITDIR)' scripts/install.sh --remove

sbom: $(PROGRAM) ## write build/fleetplan.spdx.json, a list of the program's parts (SPDX 2.3), from the linked libraries' Debian packages
	$(Q)$(PYTHON) scripts/sbom.py $(PROGRAM) >build/fleetplan.spdx.json && echo build/fleetplan.spdx.json

debian-package: $(PROGRAM) ## write build/fleetplan_VERSION_ARCHITECTURE.deb
	$(Q)scripts/debian-package.sh $(PROGRAM) build

clean: ## remove all build files
	rm -rf build

help: ## list the targets
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24
	@echo "  MODE=release|asan|tsan|coverage|fuzz|fuzz-coverage (each in build/MODE)  V=1 shows commands  PREFIX=$(PREFIX)  DESTDIR="
	@echo "  hardening flags that this compiler does not support:$(if $(DROPPED), $(DROPPED), none)"
