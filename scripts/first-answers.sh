#!/bin/sh
# Asks a running daemon two questions and prints the commands with the answers. usage: first-answers.sh [URL]
set -eu
url=${1:-http://127.0.0.1:8080}

# ask TITLE PATH BODY: prints the command as a user would type it, then the report
ask() {
	printf '\n%s\n\n$ curl -H "Accept: text/markdown" -H "Content-Type: application/json" %s%s \\\n    -d '\''%s'\''\n\n' "$1" "$url" "$2" "$3"
	curl -sS --fail-with-body -H 'Accept: text/markdown' -H 'Content-Type: application/json' "$url$2" -d "$3"
	echo
}

ask 'Llama-3.1-8B on 15T tokens in 30 days on H100s' /v1/estimates/training \
	'{"model": "llama-3.1-8b", "tokens": "15T", "deadline_hours": "30d", "accelerator": "h100"}'
ask 'Llama-3.1-70B serving 600 queries a minute, 1,000 tokens in and 300 out' /v1/estimates/inference \
	'{"model": "llama-3.1-70b", "queries_per_minute": 600, "prompt_tokens": 1000, "output_tokens": 300, "accelerator": "h100"}'
printf 'Without the Accept header the answer is short JSON; expand=all adds every assumption and its source. API documentation: %s/docs\n' "$url"
