#!/bin/sh
# Habits of CONTRIBUTING.md that a script can check: words that are never right, subjects of commits.
# usage: check-style.sh [SINCE]: subjects of the commits since SINCE
set -u
cd "$(dirname "$0")/.."
bad=0

# Words without an actor, and verbs that the field does not use. Decisions keep the words of their time; a quoted "nobody" is a test's data.
words="[Ww]hoever|[Nn]obody|[Hh]ears? of|(is|are|was|were) had|that is none|[Rr]ests? upon"
git grep -nE "\b($words)\b" -- '*.[chS]' '*.py' '*.sh' '*.sql' '*.md' '*.html' Makefile ':!docs/decisions/*' ':!CONTRIBUTING.md' ':!scripts/check-style.sh' ':!storage/sql/00*' |
	grep -vE '["=,-]nobody"?' && { echo "a word that CONTRIBUTING.md, \"Write plain English\", advises against" >&2; bad=1; }

# "area: what it does", at most 65 characters. The rule begins with the commit that brought this script.
since=${1:-$(git log --diff-filter=A --format=%H -- scripts/check-style.sh 2>/dev/null | tail -n 1)}
if [ -n "$since" ] && git cat-file -e "$since" 2>/dev/null; then
	subjects=$(git log --no-merges --format='%h %s' "$since..HEAD")
	long=$(echo "$subjects" | awk '{hash = $1; sub(/^[^ ]+ /, ""); if (length($0) > 65) print hash ": " length($0) " characters (at most 65): " $0}')
	formless=$(echo "$subjects" | awk 'NF {hash = $1; sub(/^[^ ]+ /, ""); if ($0 !~ /^[a-z0-9_.\/, -]+: [a-z0-9]/) print hash ": is not \"area: what it does\": " $0}')
	[ -z "$long$formless" ] || { printf '%s\n' "$long" "$formless" | sed '/^$/d' >&2; bad=1; }
fi
[ "$bad" -eq 0 ] && echo "style holds"
exit "$bad"
