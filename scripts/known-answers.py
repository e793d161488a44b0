#!/usr/bin/python3 -S
"""Thirty questions with published answers, and the answers of Fleetplan: docs/known-answers.md.

usage: known-answers.py PROGRAM PAGE           sends the questions of tests/validation/known_answers.jsonl and writes the page
       known-answers.py --choose CASES_FOLDER  writes that file again, by the rule below

The rule: of each kind, the first published cases by the SHA-256 of their id; one for each team, suite, or accelerator and model. No person picks them."""
import hashlib
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

QUESTIONS = pathlib.Path(__file__).resolve().parent.parent / "tests/validation/known_answers.jsonl"
KINDS = (("training", "Trainings: accelerator-hours of whole runs", 10), ("fine_tuning", "Fine-tunings: time of a step", 3),
         ("step", "Training on one to eight accelerators: time of a step", 4), ("serving", "Serving on one to eight accelerators: output tokens a second", 8),
         ("energy", "Energy of whole runs", 5))


# Published shapes (config.json on the Hugging Face Hub) of models of which a case states only the size.
SHAPES = {"bert": {"architectures": ["BertForQuestionAnswering"], "model_type": "bert", "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24,
                   "num_attention_heads": 16, "vocab_size": 30522, "max_position_embeddings": 512, "type_vocab_size": 2}}  # google-bert/bert-large-uncased, 336M


def with_shape(case):
    """Returns the request of a case. A model with only the size of BERT-large gets its published shape."""
    request = case["request"]
    named = [shape for name, shape in SHAPES.items() if name in case["id"] and request["model"] == {"params": 336e6}]
    return request | {"model": {"config": named[0]}} if named else request


def count(number):
    for factor, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if number >= factor:
            return f"{number / factor:.4g}{letter}"
    return f"{number:.4g}"


def parameters(model):
    if isinstance(model, str):
        return model
    if "params" in model:
        size = model["params"] if isinstance(model["params"], str) else count(model["params"])
        return f"{size} parameters"
    shape = model["config"]
    layers, width = shape.get("num_hidden_layers", shape.get("n_layer")), shape.get("hidden_size", shape.get("n_embd"))
    return f"{layers} layers of {width}"


def hardware(request):
    part, number = request["accelerator"], request.get("gpu_count")
    if isinstance(part, dict):
        part = f"{part['like']} with {part['memory_gb']} GB" if "memory_gb" in part else f"a variant of {part['like']}"
    return f"{number} {part}" if number else part


def rows(path):
    return [json.loads(line) for line in open(path, encoding="utf-8")]


def first(cases, most, apart):
    """Returns the first cases by the hash of their id; no two have the same value of `apart`."""
    seen, chosen = set(), []
    for case in sorted(cases, key=lambda case: hashlib.sha256(case["id"].encode()).hexdigest()):
        if apart(case) not in seen and len(chosen) < most:
            seen.add(apart(case))
            chosen.append(case)
    return chosen


def small(case):
    return 1 <= case["request"].get("gpu_count", 0) <= 8


def choose(folder):
    folder = pathlib.Path(folder)
    steps = [case for name in ("training.jsonl", "training_2.jsonl") for case in rows(folder / name) if "step.time_s" in case["expect"] and small(case)]
    tuned = [case for case in steps if "fine_tuning" in case["request"] or case["family"].startswith("finetune")]
    served = [case for case in rows(folder / "inference.jsonl") if "output_tokens_per_s" in case["expect"] and small(case)]
    runs = [case for case in rows(folder / "runs.jsonl") if case.get("scored")]
    energies = [case for case in rows(folder / "energy_runs.jsonl") if not case.get("accelerators_alone")]
    most = {kind: number for kind, _, number in KINDS}
    questions = []
    for case in first(runs, most["training"], lambda case: case["team"]):
        request = case["request"] | {"gpu_count": case["informed"]["gpu_count"]} if "gpu_count" in case.get("informed", {}) else case["request"]
        words = f"{case['team']}, {case['id'].removeprefix('e2e-')}: {parameters(request['model'])}, {count(request['tokens'])} tokens on {hardware(request)}"
        questions.append(("training", case, "estimates/training", request, "recommended.gpu_hours", "accelerator-hours", case["expect"]["gpu_hours"], words))
    for kind, cases in (("fine_tuning", tuned), ("step", [case for case in steps if case not in tuned])):
        for case in first(cases, most[kind], lambda case: case["suite"]):
            request = with_shape(case)
            batch = request.get("global_batch_size", request.get("global_batch_tokens"))
            words = f"{case['id']}: {parameters(request['model'])}, batch {batch:g} of {request.get('sequence_length', 1)} tokens, {request.get('precision', 'bf16')} on {hardware(request)}"
            questions.append((kind, case, "estimates/training", request, "recommended.step.time_s", "s", case["expect"]["step.time_s"], words))
    for case in first(served, most["serving"], lambda case: (case["request"]["accelerator"], case["request"]["model"])):
        request = case["request"]
        words = f"{request['model']} {request['precision']} in {request['engine']} on {hardware(request)}: {request['prompt_tokens']:g} tokens in, {request['output_tokens']:g} out, {request['concurrency']} at once"
        questions.append(("serving", case, "estimates/inference/performance", request, "output_tokens_per_s", "tokens/s", case["expect"]["output_tokens_per_s"], words))
    for case in first(energies, most["energy"], lambda case: case["id"]):
        request = case["request"] | {"site": {"pue": case["pue"], "grid_gco2e_per_kwh": 400}}
        words = f"{case['id']}: {parameters(request['model'])}, {request['tokens']} tokens on {hardware(request)}, PUE {case['pue']}"
        questions.append(("energy", case, "estimates/training", request, "recommended.energy.total_kwh", "kWh", 1000 * case["energy_mwh"], words))
    with open(QUESTIONS, "w", encoding="utf-8") as file:
        for kind, case, path, request, figure, unit, published, words in questions:
            file.write(json.dumps({"id": case["id"], "kind": kind, "question": words, "path": path, "request": request, "figure": figure, "unit": unit,
                                   "published": published, "source": case["source"]}) + "\n")


class Daemon:
    """A running daemon with its own database in `folder`, which the caller removes."""

    def __init__(self, program, folder):
        self.log = open(pathlib.Path(folder) / "log", "w+", encoding="utf-8")
        environment = {key: value for key, value in os.environ.items() if not key.startswith("FLEETPLAN_")}
        self.process = subprocess.Popen([program, "serve", "--listen", "127.0.0.1:0", "--own-devices=no", "--database", f"{folder}/fleetplan.db"], stdout=self.log,
                                        stderr=self.log, env=environment)
        while True:
            self.log.seek(0)
            ready = [line for line in self.log.read().splitlines() if '"event":"ready"' in line]
            if ready or self.process.poll() is not None:
                break
            time.sleep(0.02)
        if not ready:
            self.log.seek(0)
            sys.exit(f"the daemon did not start: {self.log.read()}")
        self.address = "http://" + json.loads(ready[0])["listen"]

    def ask(self, path, request):
        body = json.dumps(request).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(f"{self.address}/v1/{path}", body, {"Content-Type": "application/json"}), timeout=600) as answer:
                return json.load(answer)["result"], None
        except urllib.error.HTTPError as error:
            return None, json.load(error)["detail"]

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()


def member(value, path):
    for key in path.split("."):
        value = value[key]
    return value


# Causes, or what was examined, by question. The page shows them if the published figure is outside of the range.
CAUSES = {
    "gshard-600b": "The source states only sizes, for which the planner assumes a shape of 20 layers of 2,560. With 36 layers of 1,024, and two of 2,048 experts for each token in every second layer (GShard, arXiv 2006.16668, as "
                   "far as the config of a decoder can state it), the answer is 27,500 kWh, 14 % more than published. The request states what the source states.",
    "qwen-1.8b-full-256": "The published time hardly depends on the tokens: 2.1 s for 8 x 256 and 2.3 s for 8 x 2,048; the answers are 0.71 and 1.34 s. So the host takes that time, 0.26 s for each micro-batch; LoRA of the same "
                          "model takes 0.125 s in the same table. For this row the source states neither the number of accelerators (7B: two) nor the configuration of DeepSpeed. No constant is fitted to it.",
}

RANGES = {"recommended.gpu_hours": "recommended.interval.gpu_hours", "recommended.step.time_s": "recommended.interval.step_time_s",
          "recommended.energy.total_kwh": "recommended.interval.total_kwh", "output_tokens_per_s": "interval.output_tokens_per_s"}


def figure(number):
    """Formats a number with three digits and without an exponent."""
    return f"{number:.3g}" if number < 1000 else f"{round(number, 2 - int(math.log10(number))):,.0f}"


def answer_of(daemon, question):
    result, refusal = daemon.ask(question["path"], question["request"])
    if refusal:
        return {"refusal": refusal.split(";")[0]}
    value, span = member(result, question["figure"]), member(result, RANGES[question["figure"]])
    return {"value": value, "low": span["p10"], "high": span["p90"], "miss": value / question["published"] - 1,
            "inside": span["p10"] <= question["published"] <= span["p90"]}


def summary(answers):
    given = [answer for answer in answers if "value" in answer]
    inside = sum(answer["inside"] for answer in given)
    middle = 100 * statistics.median(abs(answer["miss"]) for answer in given)
    refused = len(answers) - len(given)
    return (f"median error {middle:.0f} %; {inside} of {len(answers)} published figures are inside of the answer's p10 to p90 (expected: about 8 of 10)" +
            (f"; {refused} refused" if refused else ""))


def page(questions, answers):
    lines = ["# Known answers", "",
             "Thirty questions with published answers. `make known-answers` sends each one to this program as a client would, and writes this page; CI computes it again",
             "(`make check-known-answers`). `tests/validation/known_answers.jsonl` has the requests and their sources. A rule chooses the questions: of each kind, the first published cases by the",
             "SHA-256 of their id; one for each team, suite, or accelerator and model (`scripts/known-answers.py`). Some of them are in the fit ([accuracy.md](accuracy.md) shows each suite left out of it).",
             "", f"All {len(questions)}: {summary(answers)}.", ""]
    for kind, title, _ in KINDS:
        chosen = [(question, answer) for question, answer in zip(questions, answers) if question["kind"] == kind]
        said = summary([answer for _, answer in chosen])
        lines += [f"## {title}", "", f"{said[0].upper()}{said[1:]}.", "",
                  "| question | published | answer | p10 to p90 | error | inside | source |", "| --- | ---: | ---: | ---: | ---: | --- | --- |"]
        for question, answer in chosen:
            cells = [question["question"], f"{figure(question['published'])} {question['unit']}"]
            if "value" in answer:
                cells += [figure(answer["value"]), f"{figure(answer['low'])} to {figure(answer['high'])}", f"{100 * answer['miss']:+.0f} %", "yes" if answer["inside"] else "no"]
            else:
                cells += ["refused: " + answer["refusal"], "", "", "no"]
            lines.append("| " + " | ".join(cell.replace("|", "/") for cell in cells + [question["source"]]) + " |")
        lines.append("")
    outside = [question for question, answer in zip(questions, answers) if not answer.get("inside")]
    if outside:
        lines += ["## Published figures outside of the range", ""]
        lines += [f"- {question['id']}: {CAUSES.get(question['id'], 'no cause is known.')}" for question in outside] + [""]
    return "\n".join(lines)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--choose":
        choose(sys.argv[2])
        return
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    questions = rows(QUESTIONS)
    with tempfile.TemporaryDirectory() as folder:
        daemon = Daemon(sys.argv[1], folder)
        try:
            answers = [answer_of(daemon, question) for question in questions]
        finally:
            daemon.stop()
    pathlib.Path(sys.argv[2]).write_text(page(questions, answers), encoding="utf-8")


main()
