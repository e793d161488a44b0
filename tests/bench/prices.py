"""Prints COUNT price rows as CSV, over the accelerators, providers, regions and terms of a large catalogue. usage: prices.py COUNT [CENTS]

CENTS is added to each price, so that a second file changes every row of the first."""
import sys

ACCELERATORS = ("h100-sxm5-80gb h200-sxm5-141gb a100-sxm4-80gb a100-sxm4-40gb l4 l40s a10 t4 v100-sxm2-16gb b200-sxm6-180gb gb200"
                " mi300x mi325x gaudi3 gaudi2 rtx-4090").split()
TERMS = ("on_demand", "spot", "reserved_1y", "reserved_3y")


def main():
    count, cents = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    out = ["id,provider,instance_type,region,accelerator_id,gpus,vcpus,ram_gb,price_usd_per_hour,pricing_model,as_of,source,source_date\n"]
    for number in range(count):
        gpus = 1 << number % 4
        each = 0.5 + number * 7919 % 10007 / 1000
        out.append(f"bulk.{number},provider-{number % 23},x{gpus}.{number // 4 % 97},region-{number % 61},{ACCELERATORS[number % len(ACCELERATORS)]},{gpus},"
                   f"{gpus * 12},{gpus * 96.5},{gpus * each + cents / 100:.4f},{TERMS[number // 64 % 4]},2026-11-{1 + number % 20:02d},a bulk list,2026-11-20\n")
    sys.stdout.write("".join(out))


main()
