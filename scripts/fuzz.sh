#!/bin/sh
# Runs every fuzzer given, each for FUZZ_SECONDS (default 30), from seeds and into a corpus kept in build/fuzz/corpus.
# Usage: scripts/fuzz.sh FUZZER...
set -eu
for program in "$@"; do
	name=$(basename "$program")
	corpus=build/fuzz/corpus/$name
	mkdir -p "$corpus"
	case $name in
	fuzz_model_config) # one seed a line
		python3 - "$corpus" tests/hwdb/golden/configs.jsonl hwdb/data/models.jsonl <<-'SEEDS'
			import json, sys
			for path in sys.argv[2:]:
			    for number, line in enumerate(open(path)):
			        with open(f"{sys.argv[1]}/seed-{path.replace('/', '-')}-{number}", "w") as seed:
			            json.dump(json.loads(line)["config"], seed, separators=(",", ":"))
		SEEDS
		;;
	fuzz_decode) # every example of the description; the first byte chooses the table
		python3 - "$corpus" docs/openapi.json <<-'SEEDS'
			import json, sys
			number = 0
			for path in json.load(open(sys.argv[2]))["paths"].values():
			    for operation in path.values():
			        for content in operation.get("requestBody", {}).get("content", {}).values():
			            examples = [content["example"]] if "example" in content else [e["value"] for e in content["examples"].values()]
			            for example in examples:
			                for table in range(14):
			                    with open(f"{sys.argv[1]}/seed-{number}-{table}", "wb") as seed:
			                        seed.write(bytes([table]) + json.dumps(example).encode())
			                number += 1
		SEEDS
		;;
	fuzz_arrivals) # a request as it is sent
		printf '?{"model": "m", "trace": {"arrivals": [[0, 100, 20], [1.5, 80, 3e1], [1.5, 1, 1]]}, "headroom": 0}' >"$corpus/seed-request"
		;;
	fuzz_trace) # the traces and logs that tests read
		for file in tests/diagnosis/traces/*.gz; do gzip -dc "$file" | head -c 16000 >"$corpus/seed-$(basename "$file")"; done
		for file in tests/diagnosis/logs/*.json; do head -c 16000 "$file" >"$corpus/seed-$(basename "$file")"; done
		;;
	esac
	dictionary=tests/fuzz/$name.dict
	echo "$name: ${FUZZ_SECONDS:-30} s"
	"$program" -max_total_time="${FUZZ_SECONDS:-30}" -timeout=5 -rss_limit_mb=1024 -max_len=16384 -print_final_stats=1 \
		-artifact_prefix="$corpus/../" $([ -f "$dictionary" ] && echo "-dict=$dictionary") "$corpus" 2>&1 | tail -n 8
done
