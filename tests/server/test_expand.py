"""Estimates are short unless `expand` asks for more; stored plans have everything."""
import json
import re

import pytest

TRAINING = {"model": "llama-3.1-70b", "tokens": "1T", "deadline_hours": "30d", "accelerators": ["h100", "h200"]}
SERVICE = {"model": "llama-3.1-8b", "requests_per_s": 4, "prompt_tokens": 500, "output_tokens": 100, "accelerators": ["h100", "l40s"],
           "slo": {"ttft_ms": 2000, "tpot_ms": 60}}
SHORT = {"summary", "workload", "recommended", "alternatives", "rule_of_thumb", "assumptions", "warnings"}


def estimate(daemon, kind, body, expand="none", headers=None):
    return daemon.post(f"/v1/estimates/{kind}?expand={expand}", body, headers)


@pytest.mark.parametrize("kind, body", (("training", TRAINING), ("inference", SERVICE)))
def test_an_estimate_is_short_by_default(daemon, kind, body):
    with daemon.wire(60) as wire:  # without the tests' own expand=all
        text = json.dumps(body)
        wire.send(f"POST /v1/estimates/{kind} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n{text}")
        answer = wire.answer()
    assert answer.status == 200 and len(answer.body) <= 6000, len(answer.body)
    result = json.loads(answer.body)["result"]
    assert list(result)[0] == "summary" and set(result) == SHORT
    assert len(result["alternatives"]) <= 3 and len(result["assumptions"]) == 5
    assert not {"memory", "inputs", "provenance"} & set(result["recommended"])
    assert {"interval", "promises", "cost", "energy", "carbon", "practice", "bottleneck", "parallelism"} <= set(result["recommended"])
    for other in result["alternatives"]:
        assert {"accelerator", "gpu_count", "total_kwh", "total_kgco2e", "reason"} <= set(other)
        assert ({"wall_clock_hours", "gpu_hours", "total_usd"} if kind == "training" else {"replicas", "usd_per_month"}) <= set(other)
    whole = estimate(daemon, kind, body, "all").json["result"]
    for key, value in result["recommended"].items():
        if not isinstance(value, dict):
            assert whole["recommended"][key] == value, key
    assert whole["summary"] == result["summary"] and whole["recommended"]["provenance"]


@pytest.mark.parametrize("word, key", (("front", "front"), ("search", "search"), ("batch", "batch"), ("confidence", "confidence_curve"),
                                       ("sensitivity", "sensitivity"), ("advice", "advice"), ("compute_optimal", "compute_optimal"),
                                       ("reservations", "reservations"), ("stages", "stages")))
def test_a_word_adds_its_part(daemon, word, key):
    assert key not in estimate(daemon, "training", TRAINING).json["result"]
    by_query = estimate(daemon, "training", TRAINING, word).json["result"]
    assert set(by_query) - SHORT >= {key}
    by_body = daemon.post("/v1/estimates/training?expand=none", TRAINING | {"expand": word}).json["result"]
    assert key not in by_body, "the query replaces the body's word"
    assert set(daemon.get(f"/v1/estimates/training?model=llama-3.1-8b&tokens=1T&accelerator=h100&gpu_count=64&expand={word}").json["result"]) >= {key}


def test_a_plan_keeps_everything_and_answers_what_is_asked(daemon):
    made = daemon.post("/v1/plans/training", TRAINING | {"expand": "front"})
    assert made.status == 201 and "front" in made.json["result"] and "advice" not in made.json["result"]
    assert "expand" not in made.json["request"]
    path = made.headers["location"]
    kept = daemon.get(path).json["result"]
    assert {"front", "advice", "sensitivity", "confidence_curve", "search"} <= set(kept) and kept["recommended"]["provenance"]
    short = daemon.get(path + "?expand=none").json["result"]
    assert set(short) == SHORT and short["summary"] == kept["summary"] and short["recommended"]["wall_clock_hours"] == kept["recommended"]["wall_clock_hours"]
    assert len(daemon.get(path + "?expand=none").body) < len(daemon.get(path).body) / 5
    assert daemon.post("/v1/plans/training", TRAINING).json["result"]["recommended"]["memory"]


@pytest.mark.parametrize("words", ("fronts", "front;search", "front,", ","))
def test_other_words_are_refused(daemon, words):
    plan = daemon.post("/v1/plans/training", TRAINING).headers["location"]
    for answer in (estimate(daemon, "training", TRAINING, words), daemon.post("/v1/plans/training", TRAINING | {"expand": words}),
                   daemon.get(f"{plan}?expand={words}")):
        assert answer.status == 422 and answer.json["errors"][0]["pointer"] == "/expand" and "compute_optimal" in answer.json["errors"][0]["detail"]


def test_csv_has_twelve_columns_unless_expanded(daemon):
    for kind, body in (("training", TRAINING), ("inference", SERVICE)):
        rows = estimate(daemon, kind, body, "none", {"Accept": "text/csv"}).text.splitlines()
        assert len(rows[0].split(",")) == 12 and rows[1].startswith("recommended,") and 2 <= len(rows) <= 5
        assert len(estimate(daemon, kind, body, "all", {"Accept": "text/csv"}).text.splitlines()[0].split(",")) > 60


def test_the_report_is_a_memo_first(daemon):
    text = daemon.post("/v1/estimates/training", TRAINING, {"Accept": "text/markdown"}).text
    memo, details = text.split("\n---\n")
    assert memo.count("\n| ") <= 12 and "## Why not another" in memo and "## What could go wrong" in memo and "8 in 10" in memo
    assert "/openapi.json" not in text and "_bytes" not in text and "(bytes)" not in text
    assert not re.search(r"e-1\d %", text), "differences of rounding"
    assert "### Sensitivity" in details and "### Assumptions" in details
