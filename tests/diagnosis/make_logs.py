#!/usr/bin/env python3
"""Trains small models on a CPU, on this repository's licence text (one on its sources), and writes their logs: the
fixtures in logs/.

usage: make_logs.py [FOLDER]   (needs PyTorch: pip install torch numpy; made with 2.5.1, one thread, some seconds)

Each run is the same character model with one fault, which the file's name gives. A row is a training step: step, loss of that
batch, validation_loss every 25 steps, learning_rate, gradient_norm."""
import json
import pathlib
import sys

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONTEXT = 16

# "heading" sees each text only once: its first half predicts its second half.
#        name           steps  batch  rate   optimizer  hidden  training characters  rate after half
RUNS = [("improving",     500,    64, 2e-3,  "adam",       64,                8000,  None),
        ("diverging",     400,    32, 2e-3,  "adam",       64,                8000,  0.1),
        ("oscillating",   800,     4, 0.02,  "adam",       64,                8000,  None),
        ("stalled",       800,   256, 0.5,   "sgd",         8,                8000,  1e-6),
        ("overfitting",   600,    64, 3e-3,  "adam",      256,                1500,  None),
        ("heading",      1200,    64, 1e-3,  "adam",      128,                None,  None)]


def batches(text, size, generator):
    at = torch.randint(0, len(text) - CONTEXT - 1, (size,), generator=generator)
    rows = torch.stack([text[i:i + CONTEXT + 1] for i in at])
    return rows[:, :-1], rows[:, -1]


def train(name, steps, size, rate, optimizer, hidden, characters, rate_later):
    torch.manual_seed(1)
    generator = torch.Generator().manual_seed(2)
    raw = (ROOT / "LICENSE").read_text()
    if characters is None:
        raw = "".join(path.read_text() for path in sorted((ROOT / "planner").glob("*/*.c")))
    alphabet = {c: i for i, c in enumerate(sorted(set(raw)))}
    text = torch.tensor([alphabet[c] for c in raw])
    training, validation = (text[:characters], text[8000:]) if characters else (text[:-20000], text[-20000:])
    fixed = batches(validation, 512, generator)
    model = torch.nn.Sequential(torch.nn.Embedding(len(alphabet), 16), torch.nn.Flatten(), torch.nn.Linear(16 * CONTEXT, hidden),
                                torch.nn.ReLU(), torch.nn.Linear(hidden, len(alphabet)))
    update = (torch.optim.Adam if optimizer == "adam" else torch.optim.SGD)(model.parameters(), lr=rate)
    rows = []
    for step in range(1, steps + 1):
        if rate_later and step == steps // 2:
            update.param_groups[0]["lr"] = rate_later
        inputs, targets = batches(training, size, generator)
        loss = torch.nn.functional.cross_entropy(model(inputs), targets)
        update.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), float("inf"))
        update.step()
        row = {"step": step, "loss": float(f"{loss.item():.4g}"), "learning_rate": update.param_groups[0]["lr"],
               "gradient_norm": float(f"{norm.item():.3g}")}
        if step % 25 == 0:
            with torch.no_grad():
                row["validation_loss"] = float(f"{torch.nn.functional.cross_entropy(model(fixed[0]), fixed[1]).item():.4g}")
        rows.append(row)
    return rows


def main():
    torch.set_num_threads(1)
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "logs"
    for run in RUNS:
        rows = train(*run)
        checked = [row for row in rows if "validation_loss" in row]
        log = {"step": [row["step"] for row in rows], "loss": [row["loss"] for row in rows],
               "validation_step": [row["step"] for row in checked], "validation_loss": [row["validation_loss"] for row in checked],
               "learning_rate": [row["learning_rate"] for row in rows], "gradient_norm": [row["gradient_norm"] for row in rows]}
        (folder / f"{run[0]}.json").write_text(json.dumps({"training_log": log}, separators=(",", ":")) + "\n")
        print(run[0], [row["loss"] for row in rows[::max(1, len(rows) // 10)]], [row["validation_loss"] for row in checked[::max(1, len(checked) // 8)]])


if __name__ == "__main__":
    main()
