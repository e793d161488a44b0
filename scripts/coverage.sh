#!/bin/sh
# Prints the line coverage of each folder after `make coverage`. With a percentage as argument, each must reach it.
set -eu
least=${1:-0}
bad=0
for folder in base schema net planner hwdb storage api bench agent service server cli; do
	percent=$(gcovr -r . --object-directory build/coverage --filter "$folder/" build/coverage 2>/dev/null |
		awk '/^TOTAL/ {sub(/%/, "", $4); print $4}')
	printf '%-8s %s %%\n' "$folder" "${percent:-0}"
	awk -v percent="${percent:-0}" -v least="$least" 'BEGIN {exit percent + 0 < least + 0}' || { echo "$folder: below $least %" >&2; bad=1; }
done
exit "$bad"
