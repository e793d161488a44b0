#!/usr/bin/python3
"""Prints the request that `make bench` sends: about 2 kB, all fields pinned, no alternatives."""
import json

REQUEST = {
    "name": "bench",
    "model": "llama-3.1-8b",
    "tokens": "15T",
    "epochs": 1,
    "sequence_length": 8192,
    "global_batch_tokens": 4194304,
    "precision": "bf16",
    "stack": "megatron_core",
    "optimizer": "adamw",
    "accelerator": "h100-sxm5-80gb",
    "gpu_count": 512,
    "gpus_per_node": 8,
    "internode_gbs": 50,
    "parallelism": {"tensor": 2, "pipeline": 1, "data": 256, "context": 1, "expert": 1, "interleave": 1, "micro_batch": 1,
                    "zero_stage": 1, "recompute": "none", "sequence_parallel": True, "zero_group": 256, "offload": False},
    "reliability": {"mtbf_gpu_hours": 50700, "restart_minutes": 10, "checkpoint_gbs": 20},
    "pricing": {"usd_per_gpu_hour": 2.5},
    "site": {"grid_gco2e_per_kwh": 323, "pue": 1.15, "wue_l_per_kwh": 0.2, "ewif_l_per_kwh": 3.1},
    "objective": "cost",
    "alternatives": 0,
}
REQUEST["notes"] = "x" * (2048 - len(json.dumps(REQUEST)) - len(', "notes": ""'))
print(json.dumps(REQUEST), end="")
