#!/bin/sh
# Checks house rules that a compiler does not check: file and function length, a short main.c, no leftovers.
set -u
bad=0
for file in $(git ls-files '*.c' '*.h' '*.py' '*.sh' | grep -v '/data/'); do
	lines=$(wc -l <"$file")
	[ "$lines" -le 1000 ] || { echo "$file: $lines lines (at most 1000)" >&2; bad=1; }
	grep -nE 'TO''DO|FIX''ME|(^|[^X])XX''X([^X]|$)|HA''CK' "$file" /dev/null && bad=1
done
[ "$(wc -l <cli/main.c)" -le 80 ] || { echo "cli/main.c: more than 80 lines" >&2; bad=1; }
for file in $(git ls-files '*.c' | grep -v '^tests/'); do
	awk -v file="$file" '
		/^[A-Za-z_].*\(/ && !/;[ \t]*$/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
		/^\{/ { start = FNR }
		/^\}/ { if (start && FNR - start > 71) { print file ": " name " has " FNR - start - 1 " lines (at most 70)"; bad = 1 } start = 0 }
		END { exit bad }' "$file" >&2 || bad=1
done
# docs/equations.md must define every equation id that code or an answer names.
defined=$(grep -oE '[*][*](E[0-9]+(, )?)+' docs/equations.md | grep -oE 'E[0-9]+' | sort -u)
for id in $(git ls-files 'planner/*.[ch]' 'hwdb/*.c' 'server/*.c' 'api/*.c' 'tests/planner/golden/*.txt' | xargs grep -ohE '\bE[1-9][0-9]{0,2}\b' | sort -u); do
	echo "$defined" | grep -qx "$id" || { echo "docs/equations.md: $id is missing, but the sources name it" >&2; bad=1; }
done
# The index must list every decision once, and nothing else.
for file in docs/decisions/[0-9]*.md; do
	[ "$(grep -cF "]($(basename "$file"))" docs/decisions/README.md)" -eq 1 ] || { echo "docs/decisions/README.md: must list this file once: $(basename "$file")" >&2; bad=1; }
done
for file in $(grep -oE '\]\([^)]+\)' docs/decisions/README.md | tr -d ']()'); do
	[ -f "docs/decisions/${file%)}" ] || { echo "docs/decisions/README.md: lists a missing file: ${file%)}" >&2; bad=1; }
done
[ "$bad" -eq 0 ] && echo "sources hold"
exit "$bad"
