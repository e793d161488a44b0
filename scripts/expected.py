"""Compares a record of `fleetplan bench --json` with published figures of the accelerator. usage: expected.py RECORD

The exit code is 1 if a figure is outside its range, 0 if all are inside or no figure is published."""
import json
import sys

# (catalogue id, test, product): low, high, source. Rates are in the record's SI units. Copies count the bytes read and written.
PUBLISHED = {
    ("h200-sxm5-141gb", "gemm_library_bf16", (8192, 8192, 8192)): (769e12, 798e12, "one H200, random operands, PyTorch: 788, to 2.4 % below and 1.3 % above"),
    ("h200-sxm5-141gb", "stream_copy", None): (4.1e12, 4.6e12, "one H200, copy of 8.6 GB: 4.3 TB/s read and written, of 4.8"),
    ("h100-sxm5-80gb", "gemm_library_bf16", (8192, 8192, 8192)): (700e12, 800e12, "blackwell-tensorcore-kernels, H100 SXM fp16: 762; MAMF best 794.5"),
    ("h100-sxm5-80gb", "gemm_library_bf16", (4096, 4096, 4096)): (680e12, 780e12, "blackwell-tensorcore-kernels, H100 SXM fp16: 733"),
    ("h100-sxm5-80gb", "gemm_library_fp32", (8192, 8192, 8192)): (43e12, 60e12, "blackwell-tensorcore-kernels, H100 SXM: 47.3 without tensor cores"),
}
BLOCK = 0.10  # tolerance of a step's prediction after calibration


def rows(record):
    device = record["device"].get("accelerator", "")
    for measure in record["measures"]:
        shape = tuple(measure["shape"]) if "shape" in measure else None
        published = PUBLISHED.get((device, measure["test"], shape))
        if published and measure.get("product", "forward") == "forward":
            yield measure, shape, *published
        if measure["test"] == "block_step" and measure.get("predicted_s"):
            predicted = measure["predicted_s"]
            yield measure, None, predicted * (1 - BLOCK), predicted * (1 + BLOCK), "its prediction, to 10 %"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        record = json.load(file)
    device, compared, outside = record["device"], 0, 0
    print(f"  {device['name']}, {device.get('accelerator', 'not in the catalogue')}, driver {device.get('driver', 'unknown')}")
    for line in sorted({measure["detail"].split(",")[0] for measure in record["measures"] if measure["method"] == "library_gemm"}):
        print(f"  {line}")
    for measure, shape, low, high, source in rows(record):
        inside = low <= measure["median"] <= high
        compared, outside = compared + 1, outside + (not inside)
        print(f"  {measure['test']} {'x'.join(map(str, shape)) if shape else ''}: {measure['median']:.4g} {measure['unit']}, "
              f"expected {low:.4g} to {high:.4g} ({source}): {'inside' if inside else 'OUTSIDE'}")
    for skip in record["skips"]:
        print(f"  {skip['test']} skipped: {skip['reason']}")
    print(f"  {compared} compared, {outside} outside; status {record['result']['status']}")
    sys.exit(1 if outside or record["result"]["status"] != "ok" else 0)


main()
