#!/bin/sh
# Runs every fuzzer given, each for FUZZ_SECONDS (default 30), from seeds and into a corpus kept in build/fuzz/corpus.
# Every fuzzer runs; the exit status is 1 where one of them found something.
# Usage: scripts/fuzz.sh FUZZER...
set -eu
failed=
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
			            examples = [content["example"]] if "example" in content else [e["value"] for e in content.get("examples", {}).values()]
			            for example in examples:
			                for table in range(14):
			                    with open(f"{sys.argv[1]}/seed-{number}-{table}", "wb") as seed:
			                        seed.write(bytes([table]) + json.dumps(example).encode())
			                number += 1
		SEEDS
		;;
	fuzz_feeds) # an answer of each feed's shape; the first byte chooses the feed, a NUL ends an answer
		python3 - "$corpus" <<-'SEEDS'
			import json, sys
			sys.path.insert(0, "tests/server")
			import feed_replica as r
			hour = "2026-11-21T12:00:00Z"
			index = {"offers": {"AmazonEC2": {"currentRegionIndexUrl": "/r"}}}
			regions = {"regions": {"us-east-1": {"currentVersionUrl": "/x/index.json"}}}
			sku = {"description": "A2 Instance Core running in Americas", "category": {"usageType": "OnDemand"}, "serviceRegions": ["us-central1"], "pricingInfo": [
			    {"pricingExpression": {"usageUnit": "h", "tieredRates": [{"startUsageAmount": 0, "unitPrice": {"currencyCode": "USD", "units": "0", "nanos": 31611000}}]}}]}
			types = {"data": {"x": {"instance_type": {"name": "gpu_8x_h100_sxm5", "description": "8x H100 (80 GB SXM5)", "price_cents_per_hour": 2392, "specs": {"vcpus": 8}},
			    "regions_with_capacity_available": [{"name": "us-west-1"}]}}}
			gpus = {"data": {"gpuTypes": [{"id": "NVIDIA H100 80GB HBM3", "displayName": "H100", "memoryInGb": 80, "securePrice": 2.69, "lowestPrice": {"minimumBidPrice": 1, "stockStatus": "Low"}}]}}
			point = {"carbonIntensity": 31, "datetime": hour}
			meta = {"region": "CAISO_NORTH", "signal_type": "co2_moer", "units": "lbs_co2_per_mwh", "data_point_period_seconds": 300}
			half = {"from": "2026-11-21T12:00Z", "to": "2026-11-21T12:30Z", "intensity": {"forecast": 266, "actual": None}}
			answers = [[r.azure_page([r.azure_item(97)]).body], [index, regions, r.AWS_HEAD + r.aws_line("p5.48xlarge", "55.04")], [{"skus": [sku], "nextPageToken": "a"}], [types], [gpus],
			    [{"zone": "FR", "history": [point]}, {"zone": "FR", "forecast": [point]}], [{"token": "t"}, {"data": [{"point_time": hour, "value": 900}], "meta": meta}],
			    [{"data": [half]}, {"data": [half]}], [{"id": "a/b", "sha": "0" * 40, "safetensors": {"parameters": {"BF16": 8030261248}}}]]
			for feed, parts in enumerate(answers):
			    with open(f"{sys.argv[1]}/seed-{feed}", "wb") as seed:
			        seed.write(bytes([feed]) + b"\0".join(part if isinstance(part, bytes) else json.dumps(part).encode() for part in parts))
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
		-artifact_prefix="$corpus/../" $([ -f "$dictionary" ] && echo "-dict=$dictionary") "$corpus" >"$corpus.log" 2>&1 || failed="$failed $name"
	tail -n 8 "$corpus.log"
done
[ -z "$failed" ] || { echo "fuzz.sh: findings of$failed: see build/fuzz/corpus" >&2; exit 1; }
