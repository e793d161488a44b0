#!/bin/sh
# Proves the layers: what each folder may include, where third-party headers may stand, and that the planner's
# objects need nothing but libc's and libm's pure functions. usage: check-layers.sh BUILD_FOLDER
set -u
build=${1:-build/release}
bad=0
complain() { printf '%s\n' "$1" >&2; bad=1; }

# folder: folders it may include (itself always)
layers='base:
schema: base
planner: base
hwdb: base schema planner
storage: base planner hwdb
api: base schema planner hwdb
bench: base schema planner hwdb
server: base schema planner hwdb storage api bench'

# third-party header pattern: folders where it may be included
third_party='jansson.h: schema api hwdb
curl/: hwdb
sqlite3.h: storage
xxhash.h: storage
microhttpd.h: server
sodium: storage server
zlib.h: server
dlfcn.h: bench'

folders=$(printf '%s\n' "$layers" | cut -d: -f1)
for folder in $folders; do
	allowed=" $folder $(printf '%s\n' "$layers" | sed -n "s/^$folder: *//p") "
	for used in $(grep -rhoE '^#include "[a-z]+/' "$folder" --include='*.[ch]' 2>/dev/null | sed 's/.*"\(.*\)\//\1/' | sort -u); do
		case "$allowed" in *" $used "*) ;; *)
			complain "$folder/ may not include $used/: $(grep -rlE "^#include \"$used/" "$folder" | head -3 | tr '\n' ' ')" ;;
		esac
	done
done
printf '%s\n' "$third_party" | while IFS=: read -r header where; do
	for folder in $folders; do
		case " $where " in *" $folder "*) continue ;; esac
		grep -rnE "^#include <$header" "$folder" --include='*.[ch]' 2>/dev/null
	done
done | { if grep .; then exit 1; fi; } || complain "a third-party header stands where it does not belong (above)"

# The planner is pure: everything it needs from outside is on this list.
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
	[ -s "$build/planner.impure" ] && complain "the planner is not pure, it calls: $(tr '\n' ' ' <"$build/planner.impure")"
	# shellcheck disable=SC2086
	nm -g $objects | awk '$2 ~ /[BDC]/ {print $3}' | sort -u >"$build/planner.globals"
	[ -s "$build/planner.globals" ] && complain "the planner has global state: $(tr '\n' ' ' <"$build/planner.globals")"
fi
[ "$bad" -eq 0 ] && echo "layers hold: $(printf '%s\n' "$folders" | wc -l) folders, $(printf '%s\n' "$objects" | wc -l) pure objects"
exit "$bad"
