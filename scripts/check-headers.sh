#!/bin/sh
# Checks that every header compiles alone, has a guard named after its path, and starts with a comment on its purpose.
# usage: check-headers.sh CC FLAGS...
set -u
bad=0
for header in $(git ls-files '*.h' | grep -v '^tests/'); do
	guard=FLEETPLAN_$(echo "$header" | tr 'a-z/.-' 'A-Z___')
	head -1 "$header" | grep -q '^/\* ' || { echo "$header: the first line must be a comment on the header's purpose" >&2; bad=1; }
	grep -q "^#ifndef $guard\$" "$header" || { echo "$header: the guard must be $guard" >&2; bad=1; }
	[ "$(wc -l <"$header")" -le 400 ] || { echo "$header: more than 400 lines" >&2; bad=1; }
	printf '#include "%s"\n' "$header" | "$@" -x c -fsyntax-only - || { echo "$header: does not compile alone" >&2; bad=1; }
done
[ "$bad" -eq 0 ] && echo "headers hold: $(git ls-files '*.h' | grep -vc '^tests/')"
exit "$bad"
