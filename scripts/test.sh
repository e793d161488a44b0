#!/bin/sh
# Installs the packages for the tests (Debian 12) and runs the tests: layers and house rules, C tests, accuracy and effects, HTTP tests
# against the real daemon, storms, the C tests and some HTTP tests under ASan and UBSan, every fuzzer for ten seconds, and the C tests
# with threads under TSan. Ends with the total, "N passed, N failed".
set -eu
cd "$(dirname "$0")/.."
start=$(date +%s)
scripts/packages.sh build test
scripts/page-tools.sh || echo 'the tests of the page in a browser are skipped: chromium or playwright-core could not be installed'
log=$(mktemp)
trap 'rm -f "$log" "$log.step" "$log.why" "$log.took"' EXIT
trap 'kill $builds 2>/dev/null; exit 130' INT TERM HUP
: >"$log.why"
failed=0
builds=

# why NAME: prints the lines of a failed step that name the test and the reason. Messages of house rules and linkers have no common
# pattern, so it also prints the last lines, each once.
telling='FAILED|\[ +(ERROR|LINE) +\]|(^| )(fatal )?error:|undefined reference|^(E  |ERROR )|(Address|Leak|Thread)Sanitizer|runtime error:|^make.*\*\*\*'
why() {
	echo "== $1"
	{
		grep -E "$telling" "$log.step" | head -n 30
		grep -vE '^make.*(Entering|Leaving) directory|^  [A-Z]+ +[^ ]+$|^\[( RUN      |       OK )\]' "$log.step" | tail -n 15
	} | awk '!seen[$0]++'
}

# step NAME COMMAND...: runs the command, prints the end of its output, and counts a failure
step() {
	name=$1
	shift
	echo "== $name"
	began=$(date +%s)
	"$@" >"$log.step" 2>&1 || {
		echo "== $name FAILED"
		failed=$((failed + 1))
		why "$name" >>"$log.why"
	}
	tail -n "${LINES_SHOWN:-40}" "$log.step"
	cat "$log.step" >>"$log"
	rm -f "$log.step"
	took=$(($(date +%s) - began))
	echo "== $name: $took s"
	echo "$took s $name" >>"$log.took"
}

# Tests of other hosts and their faults also run under sanitizers. `make check-server-asan` runs all tests (12 minutes on two cores).
sanitized='agents altered_bytes audit drain feeds foreign_file half_close http imports plans scopes trust wrong_keys'

step build make -j"$(nproc)"
step house make check-layers check-headers check-rows check-sources check-ptx check-style check-format
step 'C tests' make -j"$(nproc)" test
step predictions make -j"$(nproc)" check-accuracy check-known-answers check-effects
# HTTP tests mostly wait, so the programs for the sanitizers are built meanwhile at a low priority. The steps below report their faults.
nice -n 19 make sanitizer-builds >/dev/null 2>&1 &
builds=$!
step 'HTTP tests' make check-server
wait "$builds" || :
step 'worst day' make check-worst-day-short
# Without long simulations of code that other tests of serving run, too. `make check-asan` runs all.
step 'C tests under ASan and UBSan' make -j"$(nproc)" check-asan TEST_LEFT_OUT='planner/test_serving_fleet_simulation planner/test_serving_practice planner/test_serving_sizing plausibility/test_plausibility'
step 'HTTP tests under ASan and UBSan' make -j"$(nproc)" check-server-asan SERVER_TESTS="$(printf 'tests/server/test_%s.py ' $sanitized)"
step 'fuzzers, ten seconds each' make -j"$(nproc)" fuzz-short
step 'C tests under TSan' make -j"$(nproc)" check-tsan TEST_LEFT_OUT='storage/test_checksums storage/test_crash bench/test_cpu_model'

passed=$(grep -oE '[0-9]+ passed' "$log" | awk '{sum += $1} END {print sum + 0}')
tests_failed=$(grep -oE '[0-9]+ failed' "$log" | awk '{sum += $1} END {print sum + 0}')
[ "$tests_failed" -ge "$failed" ] || tests_failed=$failed
# The failures come last, so that the end of a truncated log has them.
if [ "$failed" -gt 0 ]; then
	echo "== what failed"
	cat "$log.why"
fi
echo "== the five slowest"
sort -rn "$log.took" | head -n 5
echo "== all in $(($(date +%s) - start)) s"
echo "$passed passed, $tests_failed failed"
[ "$failed" -eq 0 ] && [ "$tests_failed" -eq 0 ] && [ "$passed" -gt 0 ]
