#!/bin/sh
# Checks that a row of a field table does not compile if its member has another type. Each line below is such a row of struct
# training_request; the first row is right and must compile. usage: check-rows.sh CC FLAGS...
set -u
bad=0
compile() {
	printf '#include "api/tables/shared.h"\n#define OF struct training_request\nextern const struct field rows[];\nconst struct field rows[] = {%s};\n' "$row" |
		"$@" -x c -fsyntax-only - 2>/dev/null
}
row='NUMBER(mfu, 0, 1, "x"), TEXT(stack_release, 7, "x")'
compile "$@" || { echo "a right row does not compile: $row" >&2; bad=1; }
while read -r row; do
	if compile "$@"; then
		echo "a wrong row compiles: $row" >&2
		bad=1
	fi
done <<'ROWS'
NUMBER(stack, 0, 1, "an enum")
INTEGER(mfu, 0, 1, "a double")
TEXT(tokens, 7, "a double")
CHOICE(stack_release, stack_words, "a text")
OBJECT(parallelism, training_option, "another struct")
LIST(stages, 8, training_option, "a list of another struct")
TRUTH(mfu, "a double")
NUMBER(no_such_member, 0, 1, "nothing")
ROWS
[ "$bad" -eq 0 ] && echo "rows hold: what does not fit its member does not compile"
exit "$bad"
