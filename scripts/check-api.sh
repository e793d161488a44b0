#!/bin/sh
# Tests the API against its own description: redocly and spectral lint /openapi.json; schemathesis fuzzes the live daemon by examples,
# at the limits of every schema, at random, and along links. It runs all checks except one: that the daemon accepts all data that the
# schema allows. A schema does not contain the names of models or plans, the rules between fields, or feasibility.
# Installs the tools from PyPI and npm into build/api-tools. usage: check-api.sh PROGRAM [EXAMPLES_PER_OPERATION (50)]
set -eu
program=$(realpath "$1") examples=${2:-50}
cd "$(dirname "$0")/.."
. scripts/api-tools.sh
[ -x "$tools/node_modules/.bin/redocly" ] || npm install --silent --no-fund --no-audit --prefix "$tools" @redocly/cli@2 @stoplight/spectral-cli@6
. scripts/daemon.sh
port=${FLEETPLAN_CHECK_PORT:-18190}
key=fp_$(od -An -tx1 -N32 /dev/urandom | tr -d ' \n')
(umask 077 && printf '%s' "$key" >"$work/key")
daemon_start "$program" $port --log-file "$work/log" --bootstrap-key-file "$work/key"
curl -sf "http://127.0.0.1:$port/openapi.json" >"$work/openapi.json"

"$tools/node_modules/.bin/redocly" lint --config deploy/redocly.yaml "$work/openapi.json"
printf 'extends: ["spectral:oas"]\nrules:\n  info-contact: off\n' >"$work/.spectral.yaml"
"$tools/node_modules/.bin/spectral" lint --ruleset "$work/.spectral.yaml" --fail-severity warn "$work/openapi.json"
cd "$work" # schemathesis writes its files here
"$tools/venv/bin/schemathesis" --config-file "$config" run "$work/openapi.json" --url "http://127.0.0.1:$port" \
	--header "Authorization: Bearer $key" --checks all --exclude-checks positive_data_acceptance --max-examples "$examples" --workers 2 \
	--phases examples,coverage,fuzzing,stateful --request-timeout 10 --generation-deterministic --warnings off --no-color
kill -0 $daemon
if grep -q '"status":5' "$work/log"; then
	grep '"status":5' "$work/log" | head
	exit 1
fi
