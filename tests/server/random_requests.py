"""Requests drawn from the schemas of /openapi.json: valid in form, of any size that the ranges allow."""
import math
import random
import time

CONFIGS = [
    {"model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, "num_hidden_layers": 1, "vocab_size": 100},
    {"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32, "num_hidden_layers": 33,
     "num_key_value_heads": 8, "vocab_size": 128256},
    {"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32, "num_hidden_layers": 32,
     "num_key_value_heads": 8, "vocab_size": 32000, "num_local_experts": 8, "num_experts_per_tok": 2},
    {"model_type": "gpt2", "n_layer": 48, "n_embd": 1600, "n_head": 25, "n_positions": 1024, "vocab_size": 50257},
]


# Members that most requests of a schema need, so that not nearly all are refused; and members that exclude others.
USUAL = {"TrainingRequest": ["tokens"], "InferenceRequest": ["prompt_tokens", "output_tokens", "queries_per_minute"],
         "PerformanceRequest": ["concurrency"]}
RIVALS = [("tokens", "stages"), ("accelerator", "accelerators"), ("global_batch_tokens", "global_batch_size"),
          ("queries_per_minute", "requests_per_s"), ("country", "provider"), ("country", "region"), ("usd_per_gpu_hour", "on_premises"),
          ("concurrency", "requests_per_s"), ("prompt_tokens", "trace"), ("output_tokens", "trace"), ("queries_per_minute", "trace"),
          ("queries_per_minute", "rate_profile"), ("requests_per_s", "rate_profile"), ("daily_profile", "rate_profile"), ("rate_profile", "trace"),
          ("prefix_cache_hit_rate", "shared_prefix")]


class Requests:
    """Draws values of a schema. A seed gives the same requests again. `accelerators`: rows of the catalogue."""

    def __init__(self, document, models, accelerators, seed):
        self.schemas = document["components"]["schemas"]
        self.models, self.accelerators = models, accelerators
        self.random = random.Random(seed)

    def request(self, schema, most_optional=8):
        drawn = self._object(self.schemas[schema], self.random.randint(0, most_optional))
        if self.random.random() < 0.9:
            properties = self.schemas[schema]["properties"]
            for name in USUAL.get(schema, []):
                drawn.setdefault(name, self.value(properties[name], name))
            for winner, loser in RIVALS:
                if winner in drawn:
                    drawn.pop(loser, None)
        return drawn

    def _resolve(self, schema):
        if "$ref" in schema:
            beside = {key: value for key, value in schema.items() if key != "$ref"}  # the range of a quantity
            return self.schemas[schema["$ref"].rsplit("/", 1)[1]] | beside, schema["$ref"].rsplit("/", 1)[1]
        return schema, None

    def _object(self, schema, most_optional):
        properties = schema.get("properties", {})
        required = schema.get("required", [])
        writable = [name for name, field in properties.items() if name not in required and not field.get("readOnly")]
        chosen = self.random.sample(writable, min(len(writable), self.random.randint(0, most_optional)))
        if self.random.random() < 0.8:
            chosen = [name for name in chosen if not any(name == b and a in chosen for a, b in RIVALS)]
        return {name: self.value(properties[name], name) for name in [*required, *chosen]}

    def _model(self):
        kind = self.random.random()
        if kind < 0.6:
            return self.random.choice(self.models)
        if kind < 0.7:
            return {"config": self.random.choice(CONFIGS)}
        params = 10 ** self.random.uniform(5, 15)
        if kind < 0.9:
            return {"params": params} | ({"params_active": max(1000, params * self.random.random())} if self.random.random() < 0.5 else {})
        return {"kind": "generic", "params": params, "flops_per_sample": 10 ** self.random.uniform(0, 21),
                "sample_bytes": 10 ** self.random.uniform(0, 15)}

    def _accelerator(self, schema):
        if self.random.random() < 0.7:
            return self.random.choice(self.accelerators)["id"]
        row = self.random.choice(self.accelerators)
        if self.random.random() < 0.2:
            changed = self._object(self._resolve(schema["anyOf"][1])[0], 5)
            changed.pop("id", None)
        else:
            fields = self._resolve(schema["anyOf"][1])[0]["properties"]
            figures = [name for name in row if fields.get(name, {}).get("type") == "number"]
            changed = {name: row[name] * 10 ** self.random.uniform(-1.5, 1.5)
                       for name in self.random.sample(figures, min(len(figures), self.random.randint(0, 3)))}
        return changed | {"like": row["id"]}

    def value(self, schema, name=""):
        schema, kind = self._resolve(schema)
        if kind == "ModelReference":
            return self._model()
        if kind == "AcceleratorReference":
            return self._accelerator(schema)
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        if "anyOf" in schema and "type" not in schema:
            beside = {key: value for key, value in schema.items() if key in ("minimum", "exclusiveMinimum", "maximum", "examples")}
            numeric = [one for one in schema["anyOf"] if one.get("type") == "number"]
            return self.value((numeric[0] if numeric and self.random.random() < 0.8 else self.random.choice(schema["anyOf"])) | beside, name)
        draw = {"number": self._number, "integer": self._integer, "boolean": self._boolean, "string": self._string,
                "array": self._array, "object": self._member}
        return draw[schema["type"]](schema, name)

    def _number(self, schema, _name):
        low, high = schema.get("minimum", schema.get("exclusiveMinimum", 0)), schema.get("maximum", 1e12)
        ends = ([low] if "minimum" in schema else [5e-324, 1.1e-30]) + [high]
        kind = self.random.random()
        if kind < 0.1:
            return self.random.choice(ends)
        if kind < 0.3:
            return self.random.uniform(low, min(high, 100 + low))
        return math.exp(self.random.uniform(math.log(max(low, 1e-6)), math.log(high)))

    def _integer(self, schema, _name):
        low, high = schema.get("minimum", 0), schema.get("maximum", 10 ** 12)
        if self.random.random() < 0.7:
            return min(high, max(low, self.random.choice([1, 1, 2, 2, 4, 8, 16, 64, 1024])))
        return min(high, max(low, int(self._number(schema, ""))))

    def _boolean(self, _schema, _name):
        return self.random.random() < 0.5

    def _string(self, schema, name):
        pattern = schema.get("pattern", "")
        if "KkMm" in pattern:
            return f"{self.random.randint(1, 999)}{self.random.choice('KMBT')}"
        if "HhDd" in pattern:
            return f"{self.random.randint(1, 999)}{self.random.choice('mhd')}"
        if "0[1-9]|1[0-2]" in pattern and "T" not in pattern:
            return self.random.choice(["2019-01", "2024-06", "2025-12", "2099-12", "0000-01"])
        if name == "as_of":
            return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 60))  # the daemon is less than a minute old
        if "examples" in schema and self.random.random() < 0.8:
            return str(self.random.choice(schema["examples"]))
        return self.random.choice(["x", "é\U0001f600", "a" * min(60, schema.get("maxLength", 60)), "|*_`<b>"])

    def _array(self, schema, name):
        least, most = schema.get("minItems", 0), min(schema.get("maxItems", 4), 4)
        if name == "daily_profile":
            least = most = self.random.choice([24, 168])
        return [self.value(schema.get("items", {"type": "number"}), name) for _ in range(self.random.randint(least, max(least, most)))]

    def _member(self, schema, name):
        if name == "labels":
            return {"k": "v"}
        if name == "trace":
            rows, at = [], 0.0
            for _ in range(self.random.randint(1, 200)):
                at += self.random.expovariate(1)
                rows.append([at, self.random.randint(1, 4000), self.random.randint(1, 1000)])
            return {"arrivals": rows}
        if "properties" not in schema:
            return {}
        return self._object(schema, 6)


def unsound(value, at=""):
    """Returns the path of a number in a parsed answer that is not finite."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from unsound(member, f"{at}/{name}")
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from unsound(member, f"{at}/{index}")
    elif isinstance(value, float) and not math.isfinite(value):
        yield at


def options(result):
    return [option for option in [result.get("recommended"), *result.get("alternatives", [])] if option]
