#!/bin/sh
# Runs libFuzzer programs (build/fuzz/tests/fuzz/fuzz_NAME) over the corpus that is kept in tests/fuzz/corpus/NAME.
#
# fuzz.sh long FUZZER...   in turn, FUZZ_SECONDS each (default 300), again and again, until the executions of all together, counted from the
#                          first run on in build/fuzz/work/NAME/executions, are FUZZ_EXECUTIONS (default 100000000). Stopped at any moment it
#                          goes on from there. A finding stops its fuzzer alone, stays in build/fuzz/findings, and is tried again at the next start.
# fuzz.sh short FUZZER...  FUZZ_SECONDS each (default 10), as many at once as there are cores. From the kept corpus and one seed, at most
#                          20,000 inputs: the same ones at each run, so that what passed once passes again until the code changes.
# fuzz.sh corpus FUZZER... the kept corpus anew: of it, of seeds.py and of what was found beyond, the fewest inputs that reach as many edges.
# The exit status is 1 where one of them found something. Needs python3 for seeds.
set -u
what=$1
shift
limits='-timeout=25 -rss_limit_mb=2048 -print_final_stats=1'
work=build/fuzz/work
findings=build/fuzz/findings
mkdir -p "$work" "$findings"

# The longest input: what grows in a trace grows after hundreds of events.
length_of() { [ "$1" = fuzz_trace ] && echo -max_len=65536 || echo -max_len=16384; }

executions_of() { cat "$work/$1/executions" 2>/dev/null || echo 0; }

executions_of_all() {
	sum=0
	for program in "$@"; do sum=$((sum + $(executions_of "$(basename "$program")"))); done
	echo "$sum"
}

# one PROGRAM SECONDS [FLAGS]: a turn of one fuzzer, with flags over the kept corpus alone. What is new goes to its folder under work; its executions are added up.
one() {
	name=$(basename "$1")
	dictionary=tests/fuzz/$name.dict
	kept=tests/fuzz/corpus/${name#fuzz_}
	into=corpus
	if [ -n "${3:-}" ]; then
		into=short
		rm -rf "${work:?}/$name/short"
	fi
	mkdir -p "$work/$name/$into"
	[ -f "$dictionary" ] && dictionary=-dict=$dictionary || dictionary=
	[ -d "$kept" ] || kept=
	# shellcheck disable=SC2086
	"$1" -max_total_time="$2" ${3:-} $limits "$(length_of "$name")" $dictionary -artifact_prefix="$findings/$name-" "$work/$name/$into" $kept >"$work/$name/log" 2>&1
	status=$?
	[ "$status" -ne 72 ] || status=0 # it was interrupted
	done=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$name/log")
	echo $(($(executions_of "$name") + ${done:-0})) >"$work/$name/executions.new" && mv "$work/$name/executions.new" "$work/$name/executions"
	if [ "$status" -eq 0 ]; then
		echo "$name: ${done:-0} executions"
	else
		echo "$name: FAILED after ${done:-0} executions:"
		grep -E 'bug:|runtime error|ERROR:|SUMMARY:|Test unit written' "$work/$name/log" | head -n 6
	fi
	return "$status"
}

# A finding that fails no longer becomes an input like others. False while one fails still.
is_mended() {
	for input in "$findings/$(basename "$1")"-*; do
		[ -f "$input" ] || continue
		# shellcheck disable=SC2086
		"$1" $limits "$input" >/dev/null 2>&1 || return 1
		mkdir -p "$work/$(basename "$1")/corpus" && mv "$input" "$work/$(basename "$1")/corpus/"
	done
}

run_long() {
	wanted=${FUZZ_EXECUTIONS:-100000000}
	failed=
	stopped=
	trap 'stopped=1' INT TERM # what was done counts
	for program in "$@"; do is_mended "$program" || failed="$failed $(basename "$program")"; done
	while [ "$(executions_of_all "$@")" -lt "$wanted" ]; do
		ran=
		for program in "$@"; do
			name=$(basename "$program")
			case " $failed " in *" $name "*) continue ;; esac
			ran=1
			one "$program" "${FUZZ_SECONDS:-300}" || failed="$failed $name"
			[ -z "$stopped" ] || break 2
			[ "$(executions_of_all "$@")" -lt "$wanted" ] || break
		done
		[ -n "$ran" ] || break
	done
	for program in "$@"; do printf '%-24s %12d executions\n' "$(basename "$program")" "$(executions_of "$(basename "$program")")"; done
	echo "together $(executions_of_all "$@") of $wanted"
	[ -z "$failed" ] || { echo "fuzz.sh: findings of$failed: see $findings" >&2; exit 1; }
}

run_short() {
	printf '%s\n' "$@" | xargs -P "$(nproc)" -I '{}' sh "$0" turn '{}' >"$work/short.log"
	failed=$(grep -c 'FAILED' "$work/short.log")
	cat "$work/short.log"
	echo "fuzzers: $(($# - failed)) passed, $failed failed"
	[ "$failed" -eq 0 ]
}

# By edges alone: how often each is taken would keep ten times as many inputs.
run_corpus() {
	for program in "$@"; do
		name=$(basename "$program")
		kept=tests/fuzz/corpus/${name#fuzz_}
		rm -rf "$work/$name/seeds" "$work/$name/fewest"
		mkdir -p "$work/$name/seeds" "$work/$name/fewest" "$work/$name/corpus" "$kept"
		python3 tests/fuzz/seeds.py "$name" "$work/$name/seeds"
		"$program" -set_cover_merge=1 -use_counters=0 "$(length_of "$name")" -timeout=25 -rss_limit_mb=2048 -artifact_prefix="$findings/$name-" "$work/$name/fewest" "$kept" "$work/$name/seeds" \
			"$work/$name/corpus" >"$work/$name/merge.log" 2>&1 || { tail -n 20 "$work/$name/merge.log"; exit 1; }
		rm -f "$kept"/*
		cp "$work/$name/fewest"/* "$kept/"
		echo "$kept: $(find "$kept" -type f | wc -l) inputs, $(cat "$kept"/* | wc -c) bytes"
	done
}

case $what in
long) run_long "$@" ;;
short) run_short "$@" ;;
corpus) run_corpus "$@" ;;
turn) one "$1" "${FUZZ_SECONDS:-10}" '-seed=1 -runs=20000' || exit 0 ;; # of run_short, which reads the log
*) echo "fuzz.sh: long, short or corpus" >&2; exit 64 ;;
esac
