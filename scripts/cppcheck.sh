#!/bin/sh
# Runs cppcheck over the given folders. Suppressed checks and reasons:
#   missingIncludeSystem      system headers are not read
#   unusedStructMember        members are read through field and column tables
#   variableScope             the house style declares variables at the head of a function
#   constParameterPointer, constParameterCallback: the signatures of callbacks and function tables are fixed
#   normalCheckLevelMaxBranches: information, not a finding
#   internalAstError, syntaxError: cppcheck 2.10 cannot read some of the X-macros and _Generic rows; gcc and clang do
#   checkersReport            information, not a finding
set -eu
exec cppcheck --std=c11 --enable=warning,performance,portability --inline-suppr --quiet --error-exitcode=1 -j "$(nproc)" \
	-I. -D_GNU_SOURCE --suppress=missingIncludeSystem --suppress=unusedStructMember --suppress=variableScope \
	--suppress=constParameterPointer --suppress=constParameterCallback --suppress=internalAstError --suppress=syntaxError \
	--suppress=normalCheckLevelMaxBranches "$@"
