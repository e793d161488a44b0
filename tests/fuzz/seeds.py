#!/usr/bin/env python3
"""Writes the seeds of one fuzzer: one input for each message of real clients, files and servers.

usage: seeds.py FUZZER FOLDER

`make fuzz-corpus` makes the corpus in tests/fuzz/corpus from these seeds and from the inputs that fuzzing found.
"""
import base64
import glob
import gzip
import json
import re
import struct
import sys
import urllib.parse
import zlib

ROOM = b"\0"  # an arena with enough memory; 0xe0 and above: with little


def lines_of(path):
    return open(path, encoding="utf-8").read().splitlines()


def short(value):
    return json.dumps(value, separators=(",", ":")).encode()


def examples():
    """Yields every example of a request in the API description."""
    for path in json.load(open("docs/openapi.json"))["paths"].values():
        for operation in path.values():
            for content in operation.get("requestBody", {}).get("content", {}).values():
                yield from [content["example"]] if "example" in content else [e["value"] for e in content.get("examples", {}).values()]


def parameters():
    """Yields every query parameter of the API description, with its example or a plain value."""
    found = {}
    for path in json.load(open("docs/openapi.json"))["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", []):
                if isinstance(parameter, dict) and parameter.get("in") == "query":
                    found[parameter["name"]] = "true" if parameter.get("schema", {}).get("type") == "boolean" else str(parameter.get("example", parameter.get("schema", {}).get("default", "1")))
    return found


def strings_of(*paths):
    """Yields the string literals of C tests, which contain inputs for the parsers. Adjacent literals are one."""
    literal = r'"(?:[^"\\\n]|\\.)*"'
    for path in paths:
        for match in re.finditer(rf"{literal}(?:\s*{literal})*", open(path).read()):
            text = "".join(part[1:-1] for part in re.findall(literal, match.group()))
            yield text.encode().decode("unicode_escape").encode("latin-1")


def nested(name, value):
    for key in reversed(name.split(".")):
        value = {key: value}
    return value


def merged(one, other):
    result = dict(one)
    for key, value in other.items():
        result[key] = merged(result[key], value) if isinstance(value, dict) and isinstance(result.get(key), dict) else value
    return result


def fields():
    """Yields an object for each field of a request, with a value that changes the answer."""
    for name, values in json.load(open("tests/effects/values.json")).items():
        for value in values if isinstance(values, list) else [values]:
            yield nested(name, value)


def wrongs(value):
    """Yields the object with one member of a wrong type, and with unknown members."""
    for key in value:
        for wrong in (None, [], {}, "x", -1, True, 1e300, ["a", 1]):
            yield merged(value, {key: wrong}) if not isinstance(wrong, dict) else {**value, key: wrong}
    yield {**value, "tokns": 1, "gpus": 8}


def seeds_arrivals():
    for text in strings_of("tests/api/test_arrival_reader.c"):
        yield b"\x05" + text
    for rows in ("[[0, 100, 20], [1.5, 80, 3e1], [1.5, 1, 1]]", "[]", "[[1,2]]", "[[1,2,3,4]]", "[[2,1,1],[1,1,1]]", "[[0,0,0]]", "[[0,1.5,1]]", '[["0",1,1]]', "[5]", "{}",
                 "[[-1,1,1]]", "[[1e300,1,1]]", "[[0,1e9,1]]", "[[0,1,1e9]]", "[[[0],1,1]]"):
        for shape in ('{"model":"m","trace":{"arrivals":%s},"headroom":0}', '{"trace":{"x":1,"arrivals":%s,"y":[{}]},"a":"\\u00e9"}', '{"arrivals":%s}',
                      '{"trace":{"arrivals":%s,"arrivals":[[0,1,1]]}}', '{"trace":[%s]}'):
            yield b"?" + (shape % rows).encode()
            yield b"\0" + (shape % rows).encode()[:-1]


def event(name, category, start, duration=5, **arguments):
    return {"ph": "X", "name": name, "cat": category, "ts": start, "dur": duration, "pid": 1, "args": arguments}


def trace_events():
    yield [event("ProfilerStep#3", "user_annotation", 0, 1000), event("ProfilerStep#4", "user_annotation", 1000, 1000), event("ProfilerStep#3", "user_annotation", 1, 1200),
           event("enumerate(DataLoader)#_Iter.__next__", "user_annotation", 2, 50), event("aten::mm", "cpu_op", 60, 20), event("gloo:all_reduce", "cpu_op", 80, 20),
           event("cudaLaunchKernel", "cuda_runtime", 90, 5, correlation=1), event("sm90_gemm", "kernel", 120, 400, correlation=1, stream=7, device=0),
           event("vectorized_elementwise", "kernel", 500, 100, correlation=2, stream=7, device=0), event("cudaLaunchKernel", "cuda_runtime", 100, 5, correlation=2),
           event("ncclDevKernel_AllReduce", "kernel", 550, 200, correlation=3, stream=20, device=1), event("cudaGraphLaunch", "cuda_runtime", 400, 5, correlation=9),
           event("k", "kernel", 760, 10, correlation=9), event("k", "kernel", 775, 10, correlation=9),
           event("Memcpy HtoD (Pageable -> Device)", "gpu_memcpy", 5, 60, correlation=4, bytes=4096), event("Memcpy DtoH", "gpu_memcpy", 800, 9, bytes=1),
           event("Memset", "gpu_memset", 810, 1), event("cudaDeviceSynchronize", "cuda_runtime", 820, 100), event("cudaMemcpyAsync", "cuda_runtime", 1, 2, correlation=4),
           event("nccl", "gpu_user_annotation", 1, 1), {"ph": "M", "name": "process_name"}]
    yield [dict(event("gemm", "", 10 * i, 8), pid="CUDA functions") for i in range(12)] + [dict(event("Memcpy HtoD", "", 1, 2), pid="GPU 0")]
    for odd in ({"ts": "1"}, {"dur": []}, {"ts": 1e300}, {"dur": -1}, {"dur": 1e300}, {"ts": None}, {"ts": True}, {"name": 5}, {"args": 5}, {"args": {"stream": "x"}}):
        yield [dict(event("gemm", "kernel", 1), **odd)]
    yield [{"ph": "X", "name": "no time"}, 5, "x", [], None]
    yield [event("k%d" % i, "kernel", 100 - i, 1, correlation=i) for i in range(40)] + [event("cudaLaunchKernel", "cuda_runtime", i, 1, correlation=i) for i in range(40)]
    yield [event("ProfilerStep#%d" % i, "", 10 * i, 10) for i in range(40)]
    yield [event("k", "kernel", 50, 1, correlation=5), event("k", "kernel", 60, 1, correlation=5), event("cudaGraphLaunch", "cuda_runtime", 40, 1, correlation=5),
           event("k", "kernel", 70, 1, correlation=5), event("cudaGraphLaunch", "cuda_runtime", 80, 1, correlation=5)]


def seeds_trace():
    for events in trace_events():
        for shape in ({"traceEvents": events, "schemaVersion": 1, "deviceProperties": [{"id": 0}]}, events, {"trace": {"traceEvents": events}, "gpu_count": 8, "training": {"model": "m"}},
                      {"steps_planned": 5, "trace": {"a": {"b": [1]}, "traceEvents": events, "c": "x"}}, {"trace": events}):
            yield b"\x3f" + short(shape)
            yield b"\2" + json.dumps(shape, indent=1).encode()
    yield b"\1" + b'{"traceEvents":[],"traceEvents":[]}'
    calls = [{"ph": "X", "ts": i, "name": "launch", "args": {"correlation": i}} for i in range(1, 540)]  # the table of launches grows
    yield b"\x3f" + short(calls + [{"ph": "X", "ts": i, "cat": "kernel", "args": {"correlation": i}} for i in range(1, 300, 2)])
    for text in strings_of("tests/api/test_trace_reader.c"):
        yield b"\7" + text


def seeds_model_config():
    odd = {"quantization_config": [{"quant_method": m, "bits": b, "load_in_4bit": b == 4, "load_in_8bit": b == 8, "quant_algo": a, "config_groups": g}
                                   for m in ("fp8", "gptq", "awq", "bitsandbytes", "modelopt", "compressed-tensors", "mxfp4", "x") for b in (3, 4, 8)
                                   for a in ("NVFP4", "FP8_PB", 5) for g in ({}, {"a": {"weights": {"num_bits": b, "type": "float"}}}, 5)],
           "hidden_size_per_layer_input": [64], "architectures": [["XForSequenceClassification"], ["XForCausalLM"], []], "model_type": ["unet", "", 5]}
    for path in "tests/hwdb/golden/configs.jsonl", "hwdb/data/models.jsonl", "tests/hwdb/golden/towers.jsonl":
        for number, line in enumerate(lines_of(path)):
            config = json.loads(line)["config"]
            yield short(config)
            for wrong in list(wrongs(config))[number % 7::7]:
                yield short(wrong)
            for key in list(config)[number % 3::3]:
                yield short({k: v for k, v in config.items() if k != key})
            for key, values in odd.items():
                yield short({**config, key: values[number % len(values)]})
    base = json.loads(lines_of("tests/hwdb/golden/configs.jsonl")[0])["config"]
    for key, values in odd.items():
        for value in values:
            yield short({**base, key: value})
    yield b"[]"


def seeds_decode():
    for example in examples():
        for table in range(19):
            yield ROOM + bytes([table]) + short(example)
            for wrong in wrongs(example) if isinstance(example, dict) else ():
                yield ROOM + bytes([len(short(wrong)) % 19]) + short(wrong)
    for text in strings_of("tests/schema/test_decode.c"):
        if text.startswith(b"{"):
            for table in range(19):
                yield ROOM + bytes([table]) + text
    bases = [next(e for e in examples() if "tokens" in e), next(e for e in examples() if "requests_per_second" in short(e).decode() or "slo" in e)]
    for table, base in enumerate(bases):
        for field in fields():
            whole = merged(base, field)
            yield ROOM + bytes([table]) + short(whole)
            yield ROOM + bytes([table]) + short(base) + b"\0" + short(field)
            yield ROOM + bytes([table]) + short(whole) + b"\0" + short({key: None for key in field})
            yield ROOM + bytes([table]) + short(whole) + b"\0" + short({key: {k: None for k in value} for key, value in field.items() if isinstance(value, dict)})
    whole = {"name": "n", "labels": {"a": "b", "c": "d"}, "notes": "x"}
    for patch in ({"name": None}, {"labels": None}, {"labels": {"a": None, "e": "f"}}, {"labels": {"a": 5}}, {"labels": 5}, {"labels": {}}, {"labels": {"c": None, "a": None}}):
        yield ROOM + b"\x06" + short(whole) + b"\0" + short(patch)
    for table in range(19):
        yield b"\xe8" + bytes([table]) + short(bases[0])
        yield ROOM + bytes([table]) + b'{"a":1'


def seeds_json():
    for number, text in enumerate(strings_of("tests/schema/test_parse.c", "tests/schema/test_row_reader.c")):
        yield ROOM + bytes([number * 2 % 256]) + text
    for value in 0.0, -0.0, 1.5, 0.1, 1e21, 1e-7, 123456789012345678, 5e-324, 1.7e308, 2 / 3, 99999999999999.95:
        yield ROOM + b"\1" + struct.pack(">d", value) + b'{"a":[1,2.5,true,null,"x\\u00e9\\ud83d\\ude00"]}'
    yield ROOM + b"\0" + b"[" * 33 + b"]" * 33
    many = {"k%d" % i: i for i in range(80)}
    yield ROOM + b"\0" + short(many)
    yield ROOM + b"\2" + short(many)[:-1] + b',"k5":1,"k7":{"k5":2}}'
    yield ROOM + b"\2" + b'{"a":{"b":{"c":1,"c":2},"b":3},"a":[{"x":1,"x":2}]}'
    for room in range(0xe0, 0x100, 3):
        yield bytes([room, 2]) + short(many) + b" "
        yield bytes([room, 2]) + b'{"a":["long text \\u00e9 with escapes \\n",1,2.5,null,{"b":"c"}]}'
    for text in (b"1e999", b"-", b"01", b"1.", b"1e", b"-0", b"truth", b'"\\x"', b'"\\ud800"', b'"\\udc00"', b'"\\ud800\\u0041"', b'"\\u0000"', b'"\xff"', b'"a\nb"',
                 b'"', b'"\\u12"', b'{"a" 1}', b"{1:2}", b"[1,]", b"[1 2]", b'{"a":1,}', b"nul", b'"' + b"x" * 300 + b'"', b"9" * 70, b"[] x"):
        yield ROOM + b"\2" + text
        yield ROOM + b"\4" + b"[" + text + b"]"


def seeds_body():
    text = b"a body that is read " * 300
    packed = gzip.compress(text)
    for how in range(0, 256, 7):
        for limit in (0, 2, 4, 5, 8, 16, 24, 40, 104, 176):
            yield bytes([how & 0xF7, limit, 0, 0]) + (packed if how & 7 in (0, 3, 5, 6, 7) else text)
            yield bytes([how | 8, limit, 50, how]) + text
    for wrong in (packed[:-3], packed + b"x", packed[:10], b"\x1f\x8b\x08\x04\0\0\0\0\0\3\5\0hello", zlib.compress(text)):
        yield b"\0\0\0\0" + wrong
        yield b"\x20\x08\0\0" + wrong


def seeds_gate():
    for text in strings_of("tests/server/test_gate.c"):
        if b"HTTP/1" in text:
            yield ROOM + text
        elif text.startswith(b"/"):
            yield ROOM + b"GET " + text.replace(b"\r", b"").replace(b"\n", b"") + b" HTTP/1.1\r\nHost: a\r\n\r\n"
    values = list(strings_of("tests/server/test_media.c", "tests/server/test_prefer.c")) + [
        b"localhost:8080", b"[::1]:80", b"127.0.0.1", b"a.example", b"x.localhost.", b"http://a.example", b"same-origin"]
    for value in values:
        if b"\n" not in value and b"\r" not in value and len(value) < 300:
            yield ROOM + b"GET /v1/plans?limit=5 HTTP/1.1\r\nHost: a\r\nAccept: " + value + b"\r\n\r\n"
            yield ROOM + b"GET / HTTP/1.1\r\nHost: " + value + b"\r\nX: " + value + b"\r\n\r\n"
    yield ROOM + b"GET /" + b"?a&" * 70 + b" HTTP/1.1\r\nHost: a\r\n\r\n"
    yield ROOM + b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: y\r\n" * 101 + b"\r\n"


def seeds_query():
    found = parameters()
    for query in field_queries():
        for table in range(7):
            yield ROOM + bytes([table]) + query.encode()
    for table in range(24):
        yield ROOM + bytes([table]) + "&".join(f"{name}={value}" for name, value in found.items() if len(value) < 40)[:3000].encode()
        for name, value in found.items():
            yield ROOM + bytes([table]) + f"{name}={value}".encode()
        for room in (0xe1, 0xe4, 0xe7, 0xea):
            yield bytes([room, table]) + b"model.params=8e9&ids=a,b&limit=5&slo.ttft_ms=1"
        for text in (b"model=llama-3.1-8b&tokens=15.6T&accelerators=h100-sxm-80gb,a100-sxm-80gb", b"slo.ttft_ms=500&slo.tpot_ms=40&model=m",
                     b"model.params=8e9&site.region=us-east-1", b"context.sequence=2048", b"a=1&a=2&model=x&model=y", b"model.params.x.y.z=1&slo=3",
                     b"created_after=2026-01-01T00:00:00Z&label=a%3Db&ids=a,b,c"):
            yield ROOM + bytes([table]) + text


def field_queries():
    def flat(prefix, value):
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from flat(f"{prefix}.{key}" if prefix else key, inner)
        else:
            yield prefix, ",".join(str(v) for v in value) if isinstance(value, list) else str(value).lower() if isinstance(value, bool) else str(value)
    for field in fields():
        for name, value in flat("", field):
            yield urllib.parse.quote(name) + "=" + urllib.parse.quote(value[:200])


def seeds_csv():
    for number, text in enumerate(strings_of("tests/hwdb/test_csv.c", "tests/schema/test_row_reader.c")):
        yield ROOM + bytes([number % 64]) + text
    for text in (b'a,b\n1,2\n"x ""y"", z\n",\n', b"\xef\xbb\xbfa,b\r\n1,2\r\n", b"top,line\n\na,c,b\n1,2,3\n\"4\",5,6\n", b"a\r", b'a,"b', b"=1,+2\n-3,@4\n",
                 b"'=1,x\n", ",".join("c%d" % i for i in range(130)).encode() + b"\n", b"a,b\n" + b"x" * 200 + b",y\n"):
        for step in (0, 1, 63):
            yield ROOM + bytes([step]) + text


def seeds_rows():
    data = {0: "hwdb/data/accelerators.csv", 2: "hwdb/data/prices.csv", 3: "hwdb/data/regions.csv"}
    for number, text in enumerate(strings_of("tests/schema/test_row_reader.c")):
        for how in range(8):
            yield bytes([how, number % 64]) + text
    for table, path in data.items():
        head, *rows = lines_of(path)
        for row in rows[:40]:
            yield bytes([table, 9]) + (head + "\n" + row + "\n").encode()
    row = {"id": "x", "vendor": "v", "name": "n", "memory_gb": 1, "aliases": ["a", "b"], "source": "s", "source_date": "2026-01-01", "unverified": True,
           "conflicts": [{"field": "memory_gb", "value": 5, "source": "t"}], "repo": "a/b", "params_total": 5e9, "config": {"model_type": "llama", "a": [1, 2.5, None, True, {}]},
           "provider": "p", "instance_type": "i", "region": "r", "accelerator_id": "h100-sxm5-80gb", "pricing_model": "spot", "gpus": 8, "price_usd_per_hour": 3,
           "as_of": "2026-01-01", "region_id": "q", "location": "l", "grid_gco2e_per_kwh": 5, "pue": 1.1}
    names = open("docs/openapi.json").read()
    for table, keys in {0: "id vendor name memory_gb aliases source source_date unverified conflicts", 1: "id repo params_total aliases config source source_date",
                        2: "id provider instance_type region accelerator_id pricing_model gpus price_usd_per_hour as_of source source_date conflicts",
                        3: "id provider region_id location grid_gco2e_per_kwh pue source source_date"}.items():
        some = {key: row[key] for key in keys.split() if key in names}
        for wrong in [some, *wrongs(some), *({k: v for k, v in some.items() if k != gone} for gone in some)]:
            yield bytes([table | 4, 30]) + b"[" + short(wrong) + b"]"
            cells = {k: v if isinstance(v, str) else " ".join(v) if k == "aliases" and isinstance(v, list) and all(isinstance(i, str) for i in v) else json.dumps(v) for k, v in wrong.items()}
            yield bytes([table, 9]) + (",".join(cells) + "\n" + ",".join('"' + v.replace('"', '""') + '"' for v in cells.values()) + "\n").encode()
        yield bytes([table | 4, 3]) + b"5\n[]\n" + short(some) + b'\n{"a"\n'
        yield bytes([table | 4, 3]) + b"[5,[1],null," + short(some) + b",{}]"
        yield bytes([table, 3]) + ",".join(some).encode() + b"\n1,2\n\n"
        yield bytes([table, 60]) + ",".join(some).encode() + b"\n" + b"1\n" * 510
        for how in 16, 24, 40:
            yield bytes([table | 4 | how, 60]) + b"[" + b",".join(short(merged(some, {"id": "x%d" % i})) for i in range(4)) + b"]"
        yield bytes([table, 3]) + b"id,id,nme\n"
    table_of = {"accelerators": 0, "models": 1, "prices": 2, "regions": 3}
    for path, item in json.load(open("docs/openapi.json"))["paths"].items():
        for name, table in table_of.items():
            if path.startswith("/v1/" + name) or path.startswith("/v1/catalogue/" + name):
                for operation in item.values():
                    for content in operation.get("requestBody", {}).get("content", {}).values():
                        for example in [content["example"]] if "example" in content else [e["value"] for e in content.get("examples", {}).values()]:
                            if isinstance(example, dict):
                                yield bytes([table | 4, 1]) + b"[" + short(example) + b", " + short(example) + b"]"
                                yield bytes([table | 4, 40]) + short(example) + b"\n\n" + short(example) + b"\n"
                                flat = {k: v if isinstance(v, str) else json.dumps(v) for k, v in example.items() if not isinstance(v, list)}
                                cells = ",".join('"' + v.replace('"', '""') + '"' for v in flat.values())
                                yield bytes([table, 5]) + (",".join(flat) + "\n" + cells + "\n").encode()


def seeds_log():
    for text in (b"plain", b"\xff\xfe", b"a\nb\"c\\", b"\xc3", b"\xf0\x9f\x98\x80", b"x" * 1500 + b"\xff", b"y" * 16000, b"\x01" * 5000):
        for how in range(16):
            yield bytes([how, 3]) + text + b"\0\0" + struct.pack(">q", -5) + b"\1" + struct.pack(">d", 1.5) + b"\2\1" + struct.pack(">d", float("inf"))


def seeds_training_log():
    for path in glob.glob("tests/diagnosis/logs/*.json"):
        text = open(path, "rb").read()
        log = json.loads(text)["training_log"]
        every = max(1, len(log["step"]) // 100)
        same = {key: [float("%.5g" % v) for v in values[::every]] if len(values) == len(log["step"]) else values for key, values in log.items()}
        yield ROOM + b"\1" + short({"training_log": same})
        yield ROOM + b"\1" + short({"training_log": same, "steps_planned": 1e7, "usd_per_step": 2, "usd_per_percent_max": 1e6})
        yield ROOM + b"\1" + short({"training_log": {key: same[key] for key in ("step", "loss")}, "steps_planned": 1e9, "usd_per_step": 1e-9, "usd_per_percent_max": 1e-3})
    steps = list(range(100))
    for name, loss in {"slow": [5 - 1e-4 * i for i in steps], "flat": [5 + 1e-3 * (i % 3) for i in steps], "fallen": [1 + 9 / (1 + i) for i in steps],
                       "steep": [2 + 8 * (1 + i) ** -0.5 for i in steps], "zero": [0] * 100, "swing": [5 + (i % 2) * 3 for i in steps]}.items():
        for rate in None, 1e-7, 1e-3:
            log = {"step": steps, "loss": loss}
            if rate:
                log |= {"learning_rate": [rate] * 100, "gradient_norm": [1] * 100, "validation_step": steps[::10], "validation_loss": [5 + i for i in range(10)]}
            yield ROOM + b"\1" + short({"training_log": log, "usd_per_step": 1, "usd_per_percent_max": 10 if name == "steep" else 1e9, "steps_planned": 1e6})
    for log in ({}, {"step": [1, 2], "loss": []}, {"step": steps, "loss": [1]}, {"step": steps[::-1], "loss": steps}, {"step": steps, "loss": steps, "validation_step": [1]}):
        yield ROOM + b"\1" + short({"training_log": log})
    import math
    shapes = {"falls": lambda i: 10 + i % 3, "rises": lambda i: 0x40 | min(63, i), "swings": lambda i: 63 if i % 2 else 1, "rests": lambda i: 5,
              "bursts": lambda i: 63 if i > 58 else 1, "waves": lambda i: int(30 + 30 * math.sin(i / 3)), "wild": lambda i: 255 if i % 17 == 0 else i * 37 % 256}
    for shape in shapes.values():
        for how in (0, 2 | 8, 4 | 8 | 16, 6 | 8 | 16 | 32 | 64 | 128, 64 | 128, 2 | 16):
            yield ROOM + bytes([how]) + bytes(shape(i) for i in range(64)) * (1 + (how >> 1) % 4)


def seeds_options():
    files = [b"listen = 127.0.0.1:9\nlog-level = debug # why\n# all\n\ninsecure = yes\n", b"config = x\n", b"lsten = 1\n", b"workers = 1e3\n", b"log-level = loud\n",
             b"database=x y\r\n", b"listen", b"cors-origins = a, b#c\n", b"key-file =\n", b"node = # none\n", b"queue = 99999999999999999999\n",
             b"# " + b"x" * 4200 + b"\nworkers = 2\n", b"server = http://a\nkey-file = k\nspool = s\n"]
    for path in glob.glob("deploy/**/*.conf", recursive=True) + glob.glob("docs/*.conf"):
        files.append(open(path, "rb").read())
    for text in files:
        for how in (0, 1, 4, 5):
            yield bytes([how]) + text
    for text in (b"--listen=x\n--log-level\ndebug\n--insecure\n", b"--help", b"--check-config", b"-h", b"x", b"--nothing", b"--listen", b"--config\n/nowhere"):
        for how in (2, 3):
            yield bytes([how]) + text


def measure(**more):
    return dict({"type": "measure", "test": "gemm", "method": "library_gemm", "unit": "flops_per_s", "n": 7, "median": 3, "p10": 2, "p90": 4, "min": 1, "max": 5,
                 "verified": True}, **more)


def worker_lines():
    yield {"type": "hello", "proto": 1, "worker_version": "1"}
    yield {"type": "device", "id": "cpu", "backend": "cpu", "name": "n", "uuid": "u", "vendor": "v", "memory_bytes": 1e9, "ecc": True, "numa_node": 0}
    yield {"type": "progress", "test": "t", "elapsed_ms": 5}
    yield {"type": "sample", "t_s": 1, "power_w": 100, "temperature_c": -5, "throttle": "heat"}
    yield measure(precision="bf16", rounds=5, drift=-0.1, median_p10=2.5, median_p90=3.5, predicted_s=1, role="qkv", kind="gemm")
    yield measure(shape=[1, 2, 3], product="weight_gradient", energy={"window_s": 3, "energy_j": 600, "mean_w": 200, "dynamic_j": -1, "source": "nvml", "by": "counter",
                                                                   "scope": "board", "confidence": "high"})
    yield measure(shape=[1, 0, 3], product="sideways")
    yield measure(attention={"batch": 1, "heads": 2, "kv_heads": 1, "queries": 4, "keys": 4, "head_dimension": 64, "causal": True, "backward": False})
    yield measure(transfer={"direction": "both", "pinned": True, "bytes": 5}, block={
        "layers": 2, "hidden": 256, "heads": 8, "kv_heads": 2, "head_dimension": 32, "ffn": 512, "vocabulary": 5, "sequence": 128, "micro_batch": 1, "gated": True,
        "precision": "fp8", "optimizer_bytes_per_parameter": 16})
    yield measure(transfer=1, block=[], energy="x", attention=None, precision="bf17", median_p10=9)
    yield {"type": "fit", "test": "t", "what": "to_device", "method": "m", "alpha_s": 1e-5, "beta_bytes_per_s": 5e10, "worst_residual": 0.04, "sizes": 4}
    yield {"type": "mean", "test": "t", "method": "m", "unit": "s", "precision": "fp32", "value": 1, "flops": 2, "products": 3}
    yield {"type": "skip", "test": "t", "reason": "none"}
    for status in "ok", "failed", "busy", "fine":
        yield {"type": "result", "status": status, "reason": "r", "budget_s": 1, "elapsed_s": 2}
    yield {"type": "goodbye"}
    yield {"type": 7}
    yield []


def seeds_worker_lines():
    lines = list(worker_lines())
    for line in lines:
        yield ROOM + b"\3" + short(line)
        for key in list(line)[1:]:
            yield ROOM + b"\3" + short({k: (v if k != key else [v]) for k, v in line.items()})
            yield ROOM + b"\3" + short({k: v for k, v in line.items() if k != key})
        yield b"\xe4\3" + short(line)
    for text in (b'"quick"', b'["a","b_1"]', b'["A"]', b"[]", b"7", b'""'):
        yield ROOM + b"\0" + text
    result = {"end": "succeeded", "detail": "d", "worker_version": "1", "elapsed_s": 3, "log": "l\n", "device": lines[1], "measures": lines[4:7], "none": [], "skips": [lines[12], 5]}
    for indent in None, 1:
        yield ROOM + b"\1" + json.dumps(result, indent=indent).encode()
        yield ROOM + b"\2" + json.dumps({"a": [1, {"b": "}\\\""}], "end": 5, "result": result}, indent=indent).encode()
        yield b"\xf0\1" + json.dumps(result, indent=indent).encode()
    for text in (b"{}", b"[]", b'{"end":5}', b'{"detail":1,"end":"x","log":2,"worker_version":[]}', b'{"end":"x","elapsed_s":-1}'):
        yield ROOM + b"\1" + text
    for text in strings_of("tests/api/test_bench_result.c"):
        yield ROOM + b"\1" + text
        yield ROOM + b"\2" + text


def seeds_agent():
    device = {"id": "cpu-0", "backend": "cpu", "name": "n"}
    lease = {"benchmark_id": "01890a5d-ac96-774b-bcce-b302099a8057", "device": "cpu-0", "attempt": 1, "attempts_max": 3, "token": 5, "lease_s": 60, "heartbeat_s": 20,
             "spec": {"suite": "quick", "timeout_s": 600, "shapes": {"products": []}}}
    renewal, outcome = {"lease_s": 60, "cancel": False}, {"benchmark_id": lease["benchmark_id"], "state": "succeeded", "attempt": 1, "late": False, "repeated": False}
    problem = {"type": "about:blank", "status": 404, "detail": "there is \"none\" here"}
    key = b"\2fp_secretsecret\n\0"  # the second byte of the input chooses the kind; the server's number and the key follow
    for server in range(6):
        yield ROOM + b"\0" + bytes([server]) + b"fp_key\0"
    for file in (b"", b" ", b"two words", b"k" * 600, b"\x01x", b"key!", b"k!"):
        yield ROOM + b"\0\0" + file + b"\0" + b"\1\0\0" + short(lease)
    for call, answer in ((0, {}), (1, lease), (2, renewal), (3, {}), (4, outcome)):
        for status in list(range(16)) + list(range(0x80, 0x88)):
            body = short(answer) if status < 3 else short(problem)
            yield ROOM + b"\0\0fp_key\0" + bytes([call, status, status % 5]) + body + b"\0"
        yield ROOM + b"\0\0fp_key\0" + bytes([call, 0, 0]) + b"{" + b"\0"
        yield ROOM + b"\0\0fp_key!\0" + bytes([call, 5, 0]) + short(problem) + b"\0" + bytes([0, 0]) + short(answer)
        yield b"\xe3\0\0fp_key\0" + bytes([call, 0, 0]) + short(answer)
    bodies = [{"agent_id": lease["benchmark_id"], "host": "h", "version": "1", "labels": {"a": "b"}, "devices": [device]}, {"devices": ["cpu-0"], "wait_s": 5},
              {"token": 5, "progress": {"test": "t"}}, {"token": 5, "result": {"end": "succeeded"}, "sha256": "0" * 64}, {"token": 5, "reason": "r"}, lease, renewal, outcome,
              {"products": []}, {"suite": "quick"}]
    for table, body in enumerate(bodies):
        yield ROOM + b"\4" + bytes([table]) + short(body)
    for text in strings_of("tests/api/test_bench_spec.c"):
        if text.startswith(b"{"):
            yield ROOM + b"\4\x08" + text
    whole = b'{"end":"succeeded"}'
    import hashlib
    head = b"fleetplan result 1 %d %s\n" % (len(whole), hashlib.sha256(whole).hexdigest().encode())
    for how in range(8):
        for text in (whole, head + whole, head, head[:-1], b"", b"x\n", (lease["benchmark_id"] + "\n").encode(), (lease["benchmark_id"] + "-12.result").encode(),
                     (lease["benchmark_id"] + "-012.result").encode(), b"x.draft"):
            yield ROOM + b"\3" + bytes([how]) + text


def seeds_sql_rows():
    def text(value):
        return b"\5" + value + b"\xff"
    values = [text(b"h100-sxm-80gb"), b"\1" + struct.pack(">q", 1795262400000000), b"\2" + struct.pack(">d", 2.5), b"\0", b"\4\1", b"\3" + b"d" * 32 + b"\xff",
              text(b"one\ntwo"), text(b"memory_gb\t80\tsource\t2026-01-01\tnote\nx\t1\t\t\t"), text(b"bf16"), text(b'{"a":1}'), text(b""), b"\3\xff"]
    for which in range(26):
        for shift in range(len(values)):
            for room in (ROOM, b"\xe3", b"\xec"):
                yield room + bytes([which]) + b"".join(values[(i + shift) % len(values)] for i in range(50))
        for value in values:
            yield ROOM + bytes([which]) + value * 50
    option = {"accelerator": "h100-sxm-80gb", "gpu_count": 8, "step": {"time_s": 2, "compute_s": 1}, "interval": {"step_time_s": {"p10": 1, "p50": 2, "p90": 3}},
              "bottleneck": {"kind": "compute", "shares": {"compute": 1}}, "cost": {"usd_per_gpu_hour": 2, "total_usd": 5}, "energy": {"total_kwh": 1}, "wall_clock_hours": 5,
              "parallelism": {"tensor": 2, "pipeline": 1}, "precision": "bf16"}
    request = {"model": "m", "mfu": 0.4}
    for kind in b"training", b"inference", b"x":
        for result in ({"recommended": option, "assumptions": []}, {"recommended": {}}, {}, {"recommended": dict(option, step={"time_s": 0})}):
            row = [text(b"id"), text(kind)] + [b"\4\1"] * 3 + [text(b"x")] * 5 + [b"\4\1"] * 2 + [text(b"v"), b"\4\1", text(b"{}"), text(short(request)), text(short(result))]
            yield ROOM + b"\0" + b"".join(row)
    for plain in (b"m1795262400000000 01890a5d", b"i" + b"h100", b"m-5 x", b"m5", b"x", b"m5 a\0b"):
        yield ROOM + bytes([26]) + base64.urlsafe_b64encode(plain).rstrip(b"=")
    yield ROOM + bytes([26]) + b"!" * 10
    yield ROOM + bytes([26]) + b"a" * 500


def seeds_feeds():
    """Yields answers in the shape of each feed. The first byte chooses the feed, a NUL ends an answer."""
    sys.path.insert(0, "tests/server")
    import feed_replica as r
    hour = "2026-11-21T12:00:00Z"
    index = {"offers": {"AmazonEC2": {"currentRegionIndexUrl": "/r"}}}
    regions = {"regions": {"us-east-1": {"currentVersionUrl": "/x/index.json"}}}
    sku = {"description": "A2 Instance Core running in Americas", "category": {"usageType": "OnDemand"}, "serviceRegions": ["us-central1"], "pricingInfo": [
        {"pricingExpression": {"usageUnit": "h", "tieredRates": [{"startUsageAmount": 0, "unitPrice": {"currencyCode": "USD", "units": "0", "nanos": 31611000}}]}}]}
    types = {"data": {"x": {"instance_type": {"name": "gpu_8x_h100_sxm5", "description": "8x H100 (80 GB SXM5)", "price_cents_per_hour": 2392, "specs": {"vcpus": 8}},
                            "regions_with_capacity_available": [{"name": "us-west-1"}]}}}
    gpus = {"data": {"gpuTypes": [{"id": "NVIDIA H100 80GB HBM3", "displayName": "H100", "memoryInGb": 80, "securePrice": 2.69,
                                   "lowestPrice": {"minimumBidPrice": 1, "stockStatus": "Low"}}]}}
    point = {"carbonIntensity": 31, "datetime": hour}
    meta = {"region": "CAISO_NORTH", "signal_type": "co2_moer", "units": "lbs_co2_per_mwh", "data_point_period_seconds": 300}
    half = {"from": "2026-11-21T12:00Z", "to": "2026-11-21T12:30Z", "intensity": {"forecast": 266, "actual": None}}
    answers = [[r.azure_page([r.azure_item(97)]).body], [index, regions, r.AWS_HEAD + r.aws_line("p5.48xlarge", "55.04")], [{"skus": [sku], "nextPageToken": "a"}], [types],
               [gpus], [{"zone": "FR", "history": [point]}, {"zone": "FR", "forecast": [point]}],
               [{"token": "t"}, {"data": [{"point_time": hour, "value": 900}], "meta": meta}], [{"data": [half]}, {"data": [half]}],
               [{"id": "a/b", "sha": "0" * 40, "safetensors": {"parameters": {"BF16": 8030261248}}}]]
    item = r.azure_item
    answers += [[r.azure_page([item(98.3), item(98.4), item(1e9), item(0.001), item(40.5, sku="ND96isrH100v5 Spot"), item(20, sku="ND96isrH100v5 Low Priority"), item(551880, kind="Reservation",
                reservationTerm="1 Year"), item(1182600, kind="Reservation", reservationTerm="3 Years"), item(1, kind="Reservation", reservationTerm="5 Years"), item("x"), item(3, currencyCode="EUR"),
                item(3, unitOfMeasure="100 Hours"), item(3, productName="x Windows"), item(3, armRegionName="moon"), item(3, arm="Standard_NP10s"), item(3, kind="DevTest"),
                item(3, effectiveEndDate="2025-01-01T00:00:00Z")], "https://prices.azure.com/api/retail/prices?$skip=5").body, r.azure_page([]).body]]
    feeds_of = [0, 1, 2, 3, 4, 5, 6, 7, 8, 0]
    for number, text in enumerate(strings_of("tests/hwdb/test_feeds.c")):
        if text[:1] in b"{[":
            for feed in range(9):
                yield bytes([feed]) + text
                yield bytes([feed]) + text + b"\0" + text
    parts = [("A2 Instance Core running in Americas", "h", 31611000), ("A2 Instance Ram running in Americas", "GiBy.h", 4237000), ("Nvidia Tesla A100 GPU running in Americas", "h", 2933908000),
             ("A3 Instance Core running in Americas", "h", 29000000), ("A3 Instance Ram running in Americas", "GiBy.h", 2500000), ("Nvidia H100 80GB GPU running in Americas", "h", 9796550000 % 10**9)]
    def part(description, unit, nanos, usage="OnDemand", units="0", **more):
        return {"description": description, "category": {"usageType": usage}, "serviceRegions": ["us-central1", "europe-west4"], "pricingInfo": [{"pricingExpression": {
            "usageUnit": unit, "tieredRates": [{"startUsageAmount": 0, "unitPrice": {"currencyCode": "USD", "units": units, "nanos": nanos % 10**9}}]}}], **more}
    on_demand = [part(d, u, n, units=str(n // 10**9)) for d, u, n in parts]
    spot = [part("Spot Preemptible " + d.replace("GPU", "GPU attached to Spot Preemptible VMs"), u, n, "Preemptible") for d, u, n in parts]
    odd = [part("A2 Instance Core running in Americas", "d", 1), part("A2 Instance Core running in Americas", "h", 1, units="x"), part("A2 Instance Core", "h", 1), part("x" * 300 + " running in X", "h", 1),
           dict(part("A2 Instance Core running in Americas", "h", 1), serviceRegions=5), {"description": 5}, {}]
    for skus in (on_demand, on_demand + spot, on_demand[:2], on_demand + on_demand[:1], odd, on_demand + odd):
        yield b"\2" + short({"skus": skus, "nextPageToken": ""})
        yield b"\2" + short({"skus": skus[:1], "nextPageToken": "x"}) + b"\0" + short({"skus": skus})
    tensor = {"dtype": "BF16", "shape": [2, 2], "data_offsets": [0, 8]}
    for header in ({"__metadata__": {}, "a": tensor}, {"a": tensor, "b": {"dtype": "F32", "shape": [4], "data_offsets": [8, 24]}}, {"a": dict(tensor, dtype="Q")}, {"a": dict(tensor, shape=[-1])},
                   {"a": dict(tensor, shape=5)}, {"a": dict(tensor, data_offsets=[0, 9])}, {"a": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}}, {"a": dict(tensor, data_offsets=[8, 0])},
                   {"metadata": {"total_parameters": 5, "total_size": 10}, "weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}},
                   {"metadata": {"total_size": "x"}, "weight_map": {"a": "../model.safetensors"}}, {"weight_map": {"a": "m o d e l.safetensors"}}, {"weight_map": {"a": "model.safetensors"}},
                   {"id": "a/b", "sha": "0" * 40, "gated": "manual", "private": True, "config": {"x": 1}, "siblings": [{"rfilename": "config.json"}], "safetensors": {"total": 5}},
                   {"id": "a/b/c", "sha": "0" * 40}, {"id": "a/b", "sha": "x"}, {"id": 5}, {"error": "no"}):
        yield b"\x08" + short(header)
    for length in (0, 2, 1000, 2**40):
        yield b"\x08" + struct.pack("<Q", length)
    hours = [{"carbonIntensity": v, "datetime": "2026-11-%02dT%02d:00:00Z" % (d, h)} for d, h, v in ((20, 1, 5), (20, 2, 1e9), (20, 2, 7), (20, 1, -5), (25, 3, 9))]
    for extra in ({"carbonIntensity": None, "datetime": hour}, {"carbonIntensity": 5, "datetime": "2020-01-01T00:00:00Z"}, {"carbonIntensity": 5, "datetime": "x"}, {"carbonIntensity": 5, "datetime": "2026-11-20T00:30:00Z"}):
        yield b"\5" + short({"zone": "FR", "history": hours + [extra]}) + b"\0" + short({"zone": "FR", "forecast": hours + [extra]})
    for lines in (r.aws_line("p5.48xlarge", "55.04") + r.aws_line("p5.48xlarge", "66"), r.aws_line("p5.48xlarge", "x"), r.aws_line("p4d.24xlarge", "1000000"), r.aws_line("t2.micro", "0.01"),
                  r.aws_line("p5.48xlarge", "0.001") + r.aws_line("p4d.24xlarge", "32.77") + b"cut"):
        yield b"\1" + short(index) + b"\0" + short(regions) + b"\0" + r.AWS_HEAD + lines
    for lines in strings_of("tests/hwdb/test_feeds.c"):
        if lines.startswith(b'"X"'):
            yield b"\1" + short(index) + b"\0" + short(regions) + b"\0" + r.AWS_HEAD + lines
    for odd_index in ({"offers": {}}, {"offers": {"AmazonEC2": {"currentRegionIndexUrl": 5}}}, {"offers": {"AmazonEC2": {"currentRegionIndexUrl": "https://elsewhere/x"}}}):
        yield b"\1" + short(odd_index)
        yield b"\1" + short(index) + b"\0" + short({"regions": {"us-east-1": odd_index}})
    for feed, parts in zip(feeds_of, answers):
        yield bytes([feed]) + b"\0".join(part if isinstance(part, bytes) else json.dumps(part).encode() for part in parts)


def main():
    name, folder = sys.argv[1:]
    kept = set()
    for seed in globals()["seeds_" + name.removeprefix("fuzz_")]():
        if seed not in kept:
            with open(f"{folder}/seed-{len(kept):05}", "wb") as file:
                file.write(seed)
            kept.add(seed)
    print(f"{name}: {len(kept)} seeds")


if __name__ == "__main__":
    main()
