#!/bin/sh
# Runs libFuzzer programs (build/fuzz/tests/fuzz/fuzz_NAME) over the corpus in tests/fuzz/corpus/NAME.
#
# fuzz.sh long FUZZER...   runs the fuzzers by turns, FUZZ_SECONDS each (default 300), until all together have FUZZ_EXECUTIONS executions
#                          (default 100000000). build/fuzz/work/NAME/executions counts them from the first run on, so a stopped run
#                          continues. A finding stops only its fuzzer, stays in build/fuzz/findings, and is tried again at the next start.
# fuzz.sh short FUZZER...  runs each fuzzer for FUZZ_SECONDS (default 10), one per core at a time. It starts from the corpus and a fixed
#                          seed and runs at most 20,000 inputs, the same in every run: a pass stays a pass until the code changes.
# fuzz.sh corpus FUZZER... rebuilds the corpus: the fewest inputs of the corpus, of seeds.py and of new findings that reach the same edges.
# The exit status is 1 if a fuzzer found a fault. Needs python3 for the seeds.
set -u
what=$1
shift
limits='-timeout=25 -rss_limit_mb=2048 -print_final_stats=1'
work=build/fuzz/work
findings=build/fuzz/findings
mkdir -p "$work" "$findings"

# Prints the limit of the input's length. Traces need more: some of the reader's tables grow only after hundreds of events.
length_of() { [ "$1" = fuzz_trace ] && echo -max_len=65536 || echo -max_len=16384; }

executions_of() { cat "$work/$1/executions" 2>/dev/null || echo 0; }

executions_of_all() {
	sum=0
	for program in "$@"; do sum=$((sum + $(executions_of "$(basename "$program")"))); done
	echo "$sum"
}

# one PROGRAM SECONDS [FLAGS]: a turn of one fuzzer; with FLAGS, from the corpus alone. New inputs go to its folder under $work, and its executions are added up.
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
	[ "$status" -ne 72 ] || status=0 # the fuzzer was interrupted
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

# A finding that no longer fails becomes an ordinary input. False while a finding still fails.
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
	trap 'stopped=1' INT TERM # the turn's executions count
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
	[ -z "$failed" ] || { echo "fuzz.sh: faults found by$failed; the inputs are in $findings" >&2; exit 1; }
}

run_short() {
	printf '%s\n' "$@" | xargs -P "$(nproc)" -I '{}' sh "$0" turn '{}' >"$work/short.log"
	failed=$(grep -c 'FAILED' "$work/short.log")
	cat "$work/short.log"
	echo "fuzzers: $(($# - failed)) passed, $failed failed"
	[ "$failed" -eq 0 ]
}

# Selects inputs by edges. With the counts of each edge the corpus would have ten times as many inputs.
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
turn) one "$1" "${FUZZ_SECONDS:-10}" '-seed=1 -runs=20000' || exit 0 ;; # run_short calls this and reads the log
*) echo "usage: fuzz.sh long|short|corpus FUZZER..." >&2; exit 64 ;;
esac
