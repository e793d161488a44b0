#!/bin/sh
# usage: clang-tidy.sh COMPILER-FLAG... -- SOURCE...   (xargs appends the sources)
set -eu
flags=
while [ "$1" != -- ]; do
	flags="$flags $(printf '%s' "$1" | sed 's/"/\\"/g')"
	shift
done
shift
out=$(mktemp)
trap 'rm -f "$out"' EXIT
# shellcheck disable=SC2086
clang-tidy --quiet "$@" -- $flags >"$out" 2>/dev/null || { cat "$out"; exit 1; }
