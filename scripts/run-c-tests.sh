#!/bin/sh
# Runs CMocka programs in parallel, prints the logs of failed programs, and ends with "N passed, N failed" over all cases.
# usage: run-c-tests.sh PROGRAM...
set -u
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} sh -c '
	log=$1/$(echo "$2" | tr / _).log began=$(date +%s%N)
	timeout "${TEST_TIMEOUT_S:-300}" "$2" >"$log" 2>&1 || { echo "FAILED: $2 (exit $?)" >>"$log"; touch "$log.bad"; }
	echo "$((($(date +%s%N) - began) / 1000000)) ms $2" >>"$1/took"
' sh "$out" {}
passed=$(cat "$out"/*.log | grep -c '^\[       OK \]')
failed=$(for log in "$out"/*.log; do grep '^\[  FAILED  \] [a-z_0-9A-Z]*$' "$log" | sort -u; done | wc -l)
bad=$(ls "$out"/*.bad 2>/dev/null | wc -l)
for log in "$out"/*.bad; do
	[ -e "$log" ] && cat "${log%.bad}" && [ "$failed" -eq 0 ] && failed=$bad
done
echo "the slowest of them:"
sort -rn "$out/took" | head -n "${SLOWEST_SHOWN:-10}"
echo "C programs: $#, with failures: $bad"
echo "$passed passed, $failed failed"
[ "$bad" -eq 0 ] && [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
