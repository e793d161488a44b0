"""Every example of /openapi.json is executed. Every answer must match the schema that the description gives for it."""
import json
import re
import sqlite3
import urllib.parse

import conftest
import jsonschema
import pytest

NO_BODY = (204, 304)
METHODS = ("post", "get", "put", "patch", "delete")  # an object is created, then read and changed, then removed


def media_of_answer(answer):
    return answer.headers["content-type"].replace("; charset=utf-8", "")


def is_json(media):
    return media.endswith(("/json", "+json"))


def closed(part):
    """Closes a schema for this test. Clients must accept new members of an answer, so its schemas are open; but each
    member of today must be described."""
    if isinstance(part, list):
        return [closed(item) for item in part]
    if not isinstance(part, dict):
        return part
    same = {key: closed(value) for key, value in part.items()}
    return {"additionalProperties": False} | same if part.get("type") == "object" and "properties" in part else same


class Description:
    def __init__(self, daemon):
        self.document = daemon.get("/openapi.json").json
        for schema in self.document["components"]["schemas"].values():
            jsonschema.Draft202012Validator.check_schema(schema)
        self.components = closed(self.document["components"])

    def follow(self, part):
        while "$ref" in part:
            at = self.document
            for key in part["$ref"][2:].split("/"):
                at = at[key]
            part = at
        return part

    def operations(self):
        for path, operations in self.document["paths"].items():
            for method in METHODS:
                if method in operations:
                    yield method.upper(), path, operations[method]

    def validate(self, schema, value):
        whole = {"components": self.components} | closed(schema)
        errors = sorted(jsonschema.Draft202012Validator(whole).iter_errors(value), key=lambda error: list(error.path))
        assert not errors, "\n".join(f"/{'/'.join(map(str, error.path))}: {error.message[:300]}" for error in errors[:10])

    def check(self, operation, answer):
        """Checks that status, media type, headers and body match the description."""
        responses = operation["responses"]
        described = self.follow(responses.get(str(answer.status), responses["default"]))
        for name, header in described.get("headers", {}).items():
            if name.lower() in answer.headers:
                value = answer.headers[name.lower()]
                schema = self.follow(header)["schema"]
                self.validate(schema, int(value) if schema["type"] == "integer" else value)
        if answer.status in NO_BODY:
            assert answer.body == b"" and "content" not in described
            return
        media = media_of_answer(answer)
        assert media in described["content"], f"{media} is not one of {list(described['content'])}"
        schema = described["content"][media]["schema"]
        if media != "text/event-stream":
            self.validate(schema, answer.json if is_json(media) else answer.text)
            return
        events = [dict(line.split(": ", 1) for line in block.split("\n")) for block in answer.text.strip("\n").split("\n\n")]
        assert [event for event in events if "data" in event][-1]["event"] == "done"
        for event in events:
            if "data" in event:
                self.validate(schema, event)
                self.validate(self.follow(schema)["properties"]["data"]["contentSchema"], json.loads(event["data"]))


@pytest.fixture(scope="module")
def daemon(tmp_path_factory):
    """A daemon with a calibration. No request makes one: it needs a benchmark on a machine that is quiet enough."""
    feed = ["--feeds", "uk-carbon", "--feed-urls", "uk-carbon=https://127.0.0.1:9"]  # a refresh begins, and finds that the address is not allowed
    one = conftest.Daemon(tmp_path_factory.mktemp("examples"), *feed)
    assert one.stop() == 0
    with sqlite3.connect(one.database) as database:
        database.execute("INSERT INTO calibration (id, accelerator_id, device_id, precision, quantity, method, value, low, high, source, source_date, origin,"
                         " valid_from_us, revision, held_because, delivered_by) VALUES ('example-calibration.held', 'l4', 'GPU-2', 'bf16', 'gemm_efficiency',"
                         " 'library_gemm', 0.1, 0.1, 0.1, 'an example', '2026-11-21', 'measured', 1, 1, 'out of range', 'key-1')")
        database.execute("INSERT INTO calibration (id, accelerator_id, device_id, precision, quantity, method, value, low, high, source, source_date, origin,"
                         " valid_from_us, revision) VALUES ('example-calibration', 'l4', 'GPU-1', 'bf16', 'gemm_efficiency', 'library_gemm', 0.8, 0.78, 0.82,"
                         " 'an example', '2026-11-21', 'measured', 1, 1)")
    database.close()
    one.start()
    yield one
    assert one.stop() == 0, one.log_path.read_text()[-3000:]


@pytest.fixture(scope="module")
def described(daemon):
    return Description(daemon)


def bodies_of(content):
    """Returns the example of a request's body, or all examples if there are several."""
    return [content["example"]] if "example" in content else [example["value"] for example in content.get("examples", {}).values()]


class Made:
    """Ids of existing objects: an example's own id if an example makes that object, else the id of an object made for
    it."""

    def __init__(self, daemon, described):
        self.daemon, self.described = daemon, described

    def listed(self, path):
        answer = self.daemon.get(f"{path}?limit=1000")
        return [row["id"] for row in answer.json["items"]] if answer.status == 200 else []

    def make(self, path):
        """Makes one more object of a path's list, with the example of a POST to that path or below it."""
        paths = self.described.document["paths"]
        if path == "/v1/jobs":
            plan = paths["/v1/estimates/training"]["post"]["requestBody"]["content"]["application/json"]["example"]
            job = self.daemon.post("/v1/estimates/training", plan, {"Prefer": "respond-async"}).json["id"]
            while self.daemon.get(f"{path}/{job}").json["state"] in ("queued", "running"):
                pass
            return job
        maker = next(p for p in paths if p.startswith(path) and "{" not in p and "post" in paths[p])
        body = bodies_of(next(iter(paths[maker]["post"]["requestBody"]["content"].values())))[0]
        answer = self.daemon.post(maker, self.with_plan(body))
        assert answer.status in (200, 201, 202), answer.text
        return answer.json["id"]

    def with_plan(self, body):
        """Replaces the plan's id in a body with the id of an existing plan."""
        return body | {"plan_id": self.make("/v1/plans")} if "plan_id" in body else body

    def lease(self):
        """Returns a benchmark that is leased to the example's agent, with its first token."""
        agent = self.make("/v1/agents")
        device = next(row for row in self.daemon.get("/v1/devices?limit=1000").json["items"] if row.get("agent_id") == agent)["id"]
        for row in self.daemon.get(f"/v1/benchmarks?device={device}").json["items"]:
            self.daemon.request("DELETE", f"/v1/benchmarks/{row['id']}")  # left by an earlier example
        made = self.daemon.post("/v1/benchmarks", {"device": device, "priority": 100}).json["id"]  # it comes before benchmarks for any device that other tests left queued
        lease = self.daemon.post(f"/v1/agents/{agent}/leases", {"devices": [device]}).json
        assert lease["benchmark_id"] == made and lease["token"] == 1, lease
        return made

    def id_for(self, path, example):
        collection = path.partition("/{")[0]
        if collection == "/v1/benchmarks" and path.rpartition("/")[2] in ("heartbeat", "result", "release"):
            return self.lease()
        if "{file}" in path:
            return example
        return example if example in self.listed(collection) else self.make(collection)


def examples_of(parameters, place):
    return {p["name"]: p["example"] for p in parameters if p["in"] == place and "example" in p}


def execute(daemon, described, method, path, operation):
    made = Made(daemon, described)
    parameters = [described.follow(part) for part in operation["parameters"]]
    target = path
    for name, example in examples_of(parameters, "path").items():
        target = target.replace("{%s}" % name, urllib.parse.quote(made.id_for(path, example)))
    if target.endswith("/events"):
        daemon.request("DELETE", target.removesuffix("/events"))  # an ended job has a last event
    assert "{" not in target, f"{method} {path} has a path parameter without an example"
    query = examples_of(parameters, "query")
    for name, value in query.items():
        if isinstance(value, list):
            ids = [made.make("/v1/plans") if re.fullmatch(r"[0-9a-f-]{36}", item) else item for item in value]
            query[name] = ",".join(ids)
    if query:
        target += "?" + urllib.parse.urlencode(query, safe=",")
    body, headers = None, {}
    if "requestBody" in operation:
        headers["Content-Type"], content = next(iter(operation["requestBody"]["content"].items()))
        assert bodies_of(content), f"{method} {path} has a body without an example"
        body = json.dumps(made.with_plan(bodies_of(content)[0]))
    return target, body, headers, parameters


def pytest_generate_tests(metafunc):
    """Makes one test per operation, from the description that `make docs` writes to docs/. Another test checks that it
    equals the daemon's."""
    if "operation_of" in metafunc.fixturenames:
        document = json.loads((conftest.ROOT / "docs" / "openapi.json").read_text())
        pairs = [(method.upper(), path) for path, operations in document["paths"].items() for method in METHODS if method in operations]
        metafunc.parametrize("operation_of", pairs, ids=[f"{method} {path}" for method, path in pairs])


def test_every_example_answers_as_described(daemon, described, operation_of):
    method, path = operation_of
    operation = described.document["paths"][path][method.lower()]
    target, body, headers, parameters = execute(daemon, described, method, path, operation)
    for parameter in parameters:
        if parameter.get("required"):
            assert "example" in parameter, f"{method} {path}: {parameter['name']} is required and has no example"
    success = sorted(status for status in operation["responses"] if status.startswith("2"))
    if body:
        for form, content in operation["requestBody"]["content"].items():
            if is_json(form):
                described.validate(content["schema"], json.loads(body))
    for media in media_of(described, operation, success):
        if method == "POST" and media != "application/json" and success[0] != "200":
            continue  # one object is enough; a GET of it has the other forms
        answer = daemon.request(method, target, body, headers | {"Accept": media})
        assert str(answer.status) in success, f"{method} {target}: {answer.text[:1500]}"
        described.check(operation, answer)
        for further in bodies_of(next(iter(operation.get("requestBody", {}).get("content", {}).values()), {}))[1:]:
            other = daemon.request(method, target, json.dumps(further), headers | {"Accept": media})
            assert str(other.status) in success, f"{method} {target}: {other.text[:1500]}"
            described.check(operation, other)
        if path == "/v1/jobs/{id}/result":
            media = "application/json"  # the request asked for it
        assert answer.status in NO_BODY or "{file}" in path or media_of_answer(answer) == media


def media_of(described, operation, success):
    media = [m for status in success for m in described.follow(operation["responses"][status]).get("content", {})]
    return list(dict.fromkeys(media)) or ["*/*"]


def test_no_route_is_without_a_handler(daemon, described):
    for method, path, operation in described.operations():
        answer = daemon.request(method, re.sub(r"\{\w+\}", "nothing", path), {} if "requestBody" in operation else None)
        assert answer.status != 501, f"{method} {path}"


def test_problems_are_as_described(daemon, described):
    """Every kind of refusal that a client can cause matches the schema that its operation names for that status."""
    paths = described.document["paths"]
    refusals = [
        (400, "POST", "/v1/estimates/training", b"{", {"Content-Type": "application/json"}),
        (400, "GET", "/v1/plans?cursor=nothing", None, {}),
        (404, "GET", "/v1/accelerators/nothing", None, {}),
        (409, "POST", "/v1/models", {"id": "llama-3.1-8b", "params_total": "8B", "source": "s"}, {}),
        (412, "DELETE", "/v1/accelerators/a100", None, {"If-Match": '"0"'}),
        (413, "POST", "/v1/benchmarks", {"suite": ["a" * 70000]}, {}),
        (415, "POST", "/v1/estimates/training", b"a", {"Content-Type": "text/plain"}),
        (422, "POST", "/v1/estimates/training", {"model": "llama-3.1-8b", "tokens": -1}, {}),
        (422, "POST", "/v1/estimates/training", {"model": "llama-3.1-405b", "tokens": "15T", "accelerator": "t4", "gpu_count": 1}, {}),
    ]
    for status, method, target, body, headers in refusals:
        answer = daemon.request(method, target, body, headers)
        assert answer.status == status, f"{method} {target}: {answer.text}"
        path = next(p for p in paths if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", p), target.partition("?")[0]) and method.lower() in paths[p])
        operation = paths[path][method.lower()]
        assert str(status) in operation["responses"], f"{method} {path} does not list status {status}"
        described.check(operation, answer)


def test_the_kept_description_is_the_daemons(described):
    assert json.loads((conftest.ROOT / "docs" / "openapi.json").read_text()) == described.document
