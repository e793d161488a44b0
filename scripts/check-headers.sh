#!/bin/sh
# Every header compiles alone, has a guard named after its path, and says what it is for in its first line.
# usage: check-headers.sh CC FLAGS...
set -u
bad=0
for header in $(git ls-files '*.h' | grep -v '^tests/'); do
	guard=FLEETPLAN_$(echo "$header" | tr 'a-z/.-' 'A-Z___')
	head -1 "$header" | grep -q '^/\* ' || { echo "$header: the first line should say what it is for" >&2; bad=1; }
	grep -q "^#ifndef $guard\$" "$header" || { echo "$header: guard should be $guard" >&2; bad=1; }
	[ "$(wc -l <"$header")" -le 400 ] || { echo "$header: too long to be a manual" >&2; bad=1; }
	printf '#include "%s"\n' "$header" | "$@" -x c -fsyntax-only - || { echo "$header: does not compile alone" >&2; bad=1; }
done
[ "$bad" -eq 0 ] && echo "headers hold: $(git ls-files '*.h' | grep -vc '^tests/')"
exit "$bad"
