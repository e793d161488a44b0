#!/bin/sh
# Generates clients from the daemon's own description and uses each against the daemon: one training estimate, one inference estimate, one
# plan (tests/clients/). All clients must print the same figures. openapi-python-client, openapi-typescript (tsc --strict) and oapi-codegen
# (Go) read /openapi.json; openapi-generator (Java) reads /openapi-3.0.json. Downloads the generators into build/client-tools from PyPI, npm,
# the Go module proxy and Maven Central. A client whose language is not installed is left out, and the last line says so.
# usage: check-clients.sh PROGRAM [python|typescript|go|java]...
set -eu
program=$(realpath "$1")
shift
clients=${*:-python typescript go java}
cd "$(dirname "$0")/.."
root=$PWD tools=$PWD/build/client-tools
mkdir -p "$tools"
. scripts/daemon.sh
port=${FLEETPLAN_CHECK_PORT:-18191}
url=http://127.0.0.1:$port
daemon_start "$program" "$port" --log-file "$work/log"
curl -sf "$url/openapi.json" >"$work/openapi.json"
curl -sf "$url/openapi-3.0.json" >"$work/openapi-3.0.json"

client_python() {
	command -v python3 >/dev/null || return 3
	[ -x "$tools/python/bin/openapi-python-client" ] || {
		python3 -m venv "$tools/python"
		"$tools/python/bin/pip" install -q 'openapi-python-client>=0.26,<1'
	}
	(cd "$work" && "$tools/python/bin/openapi-python-client" generate --path openapi.json --meta none --output-path python/fleetplan_client >python.log 2>&1) || {
		cat "$work/python.log" >&2
		return 1
	}
	PYTHONPATH=$work/python "$tools/python/bin/python" tests/clients/client.py "$url"
}

client_typescript() {
	command -v npm >/dev/null || return 3
	[ -d "$tools/typescript/node_modules/@types/node" ] ||
		npm install --silent --no-fund --no-audit --prefix "$tools/typescript" openapi-typescript@7 openapi-fetch@0 typescript@5 @types/node@20
	mkdir "$work/typescript"
	echo '{"type":"module"}' >"$work/typescript/package.json"
	ln -s "$tools/typescript/node_modules" "$work/typescript/node_modules"
	cp tests/clients/client.ts "$work/typescript"
	cd "$work/typescript"
	node_modules/.bin/openapi-typescript ../openapi.json -o schema.ts >/dev/null 2>&1
	node_modules/.bin/tsc --noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --target es2022 --module nodenext client.ts >&2
	node_modules/.bin/tsc --strict --target es2022 --module nodenext client.ts
	node client.js "$url"
}

client_go() {
	command -v go >/dev/null || return 3
	[ -x "$tools/go/oapi-codegen" ] || GOBIN=$tools/go go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2
	mkdir -p "$work/go/fleetplan"
	"$tools/go/oapi-codegen" -generate types,client -package fleetplan "$work/openapi.json" >"$work/go/fleetplan/client.go"
	cp tests/clients/client.go "$work/go/main.go"
	cd "$work/go"
	go mod init client >/dev/null 2>&1
	go mod tidy >"$work/go.log" 2>&1 || {
		cat "$work/go.log" >&2
		return 1
	}
	go vet ./...
	go run . "$url"
}

client_java() {
	command -v java >/dev/null && command -v mvn >/dev/null && command -v npm >/dev/null || return 3
	[ -x "$tools/java/node_modules/.bin/openapi-generator-cli" ] ||
		npm install --silent --no-fund --no-audit --prefix "$tools/java" @openapitools/openapi-generator-cli@2
	# Two options are needed. Without containerDefaultToNull the client sends an empty list for each list that the caller left out.
	(cd "$tools/java" && node_modules/.bin/openapi-generator-cli generate -g java --library okhttp-gson -i "$work/openapi-3.0.json" -o "$work/java" \
		--additional-properties openApiNullable=false,containerDefaultToNull=true \
		--additional-properties invokerPackage=org.fleetplan,apiPackage=org.fleetplan.api,modelPackage=org.fleetplan.model \
		--global-property apiTests=false,modelTests=false,apiDocs=false,modelDocs=false) >"$work/java.log" 2>&1 || {
		cat "$work/java.log" >&2
		return 1
	}
	cp tests/clients/Client.java "$work/java/src/main/java"
	cd "$work/java"
	mvn -q -B -DskipTests compile dependency:build-classpath -Dmdep.outputFile=classpath >"$work/mvn.log" 2>&1 || {
		cat "$work/mvn.log" >&2
		return 1
	}
	java -cp "target/classes:$(cat classpath)" Client "$url"
}

passed= left_out=
for client in $clients; do
	code=0
	"client_$client" >"$work/$client.out" & # in the background, because `set -e` has no effect before ||
	wait $! || code=$?
	if [ $code = 3 ]; then
		left_out="$left_out $client"
		continue
	fi
	[ $code = 0 ] || {
		echo "$client: failed with exit code $code" >&2
		exit 1
	}
	[ "$(wc -l <"$work/$client.out")" = 3 ] || {
		echo "$client: three lines expected" >&2
		cat "$work/$client.out" >&2
		exit 1
	}
	[ -e "$work/first.out" ] || cp "$work/$client.out" "$work/first.out"
	diff "$work/first.out" "$work/$client.out"
	passed="$passed $client"
done
cat "$work/first.out"
echo "clients that work:$passed${left_out:+; left out because their language is not installed:$left_out}"
[ -n "$passed" ]
