#!/usr/bin/env python3
"""Profiles three steps of a small model on a CPU with torch.profiler and writes its trace: the fixture traces/cpu.json.gz.

usage: make_traces.py [FOLDER]   (needs PyTorch with its profiler: pip install torch numpy; made with 2.5.1)

Samples come from a DataLoader that sleeps while it prepares them, so that every step waits for samples."""
import gzip
import pathlib
import sys
import tempfile
import time

import torch


class Slow(torch.utils.data.Dataset):
    def __len__(self):
        return 8 * 16

    def __getitem__(self, at):
        time.sleep(0.0005)
        return torch.full((128,), at / 128.0), at % 10


def main():
    torch.set_num_threads(1)
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "traces"
    model = torch.nn.Sequential(torch.nn.Linear(128, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10))
    update = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = torch.profiler.schedule(wait=1, warmup=1, active=3, repeat=1)
    with tempfile.TemporaryDirectory() as scratch:
        made = pathlib.Path(scratch) / "trace.json"
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], schedule=schedule,
                                    on_trace_ready=lambda profile: profile.export_chrome_trace(str(made))) as profile:
            for inputs, targets in torch.utils.data.DataLoader(Slow(), batch_size=16):
                update.zero_grad()
                torch.nn.functional.cross_entropy(model(inputs), targets).backward()
                update.step()
                profile.step()
        (folder / "cpu.json.gz").write_bytes(gzip.compress(made.read_bytes(), mtime=0))


if __name__ == "__main__":
    main()
