#!/bin/sh
# Checks the layers: the rules of scripts/rooms.py, and that the planner's objects use only pure functions of libc and libm.
# usage: check-layers.sh BUILD_FOLDER
set -u
build=${1:-build/release}
bad=0
complain() { printf '%s\n' "$1" >&2; bad=1; }

/usr/bin/python3 scripts/rooms.py || bad=1

# The planner is pure: this list has every outside symbol that it may use.
pure=$(dirname "$0")/planner-symbols.txt
objects=$(find "$build/planner" -name '*.o' 2>/dev/null)
[ -n "$objects" ] || complain "no objects under $build/planner: build first"
if [ -n "$objects" ]; then
	# shellcheck disable=SC2086
	nm -g --defined-only $objects | awk 'NF == 3 {print $3}' | sort -u >"$build/planner.defined"
	grep -v '^#' "$pure" | grep . >"$build/planner.pure"
	# shellcheck disable=SC2086
	nm -u $objects | awk '$1 == "U" {print $2}' | sort -u | grep -vxF -f "$build/planner.defined" |
		grep -vxF -f "$build/planner.pure" >"$build/planner.impure"
	[ -s "$build/planner.impure" ] && complain "the planner uses symbols that are not in $pure: $(tr '\n' ' ' <"$build/planner.impure")"
	# Constant tables with pointers are data that the loader relocates and then protects (.data.rel.ro), not state.
	# shellcheck disable=SC2086
	nm -g -f sysv $objects | awk -F'|' '$3 ~ /[BDC]/ && $7 !~ /^\.data\.rel\.ro/ {sub(/ +$/, "", $1); print $1}' | sort -u >"$build/planner.globals"
	[ -s "$build/planner.globals" ] && complain "the planner has global state: $(tr '\n' ' ' <"$build/planner.globals")"
fi
[ "$bad" -eq 0 ] && echo "layers hold: $(printf '%s\n' "$objects" | wc -l) pure objects"
exit "$bad"
