"""POST /v1/schedules over HTTP: a stored plan's hours and power, a year of ten regions, and what is refused."""
import math
import random

HOUR = {"start": "2026-01-01T00:00:00Z", "step_minutes": 60}
TRAINING = {"model": "llama-3.1-8b", "tokens": "1T", "accelerator": "h100", "gpu_count": 1024, "pricing": {"usd_per_gpu_hour": 2}}


def test_a_stored_plan_lends_its_hours_and_power(daemon):
    plan = daemon.post("/v1/plans/training", TRAINING).json
    option = plan["result"]["recommended"]
    kw = option["energy"]["total_kwh"] / option["wall_clock_hours"]
    steps = math.ceil(option["wall_clock_hours"]) + 48
    series = [{"region": "r", **HOUR, "gco2e_per_kwh": [300 + 100 * math.sin(i / 24 * 2 * math.pi) for i in range(steps)]}]
    answer = daemon.post("/v1/schedules", {"plan_id": plan["id"], "checkpointable": True, "series": series})
    assert answer.status == 200, answer.text
    best, now = answer.json["result"]["best"], answer.json["result"]["now"]
    assert abs(best["running_hours"] - best["restart_hours"] - option["wall_clock_hours"]) < 1 / 60 + 1e-9
    assert abs(now["kwh"] - kw * now["running_hours"]) < 1e-6 * now["kwh"]
    assert best["kgco2e"] < now["kgco2e"] and best["proved"]
    assert daemon.post("/v1/schedules", {"plan_id": plan["id"], "series": series, "hours": 5, "mean_kw": 1}).json["result"]["now"]["kwh"] == 5
    refused = daemon.post("/v1/schedules", {"plan_id": plan["id"][:-4] + "0000", "series": series})
    assert refused.status == 422 and refused.json["errors"][0]["pointer"] == "/plan_id"


def test_a_year_of_ten_regions(daemon):
    draw = random.Random(5)
    series = [{"region": f"r{n}", **HOUR, "gco2e_per_kwh": [round(300 + 100 * math.sin(i / 24 * 6.283 + n) + 60 * draw.random()) for i in range(8760)],
               "usd_per_kwh": [round(0.1 + 0.05 * math.sin(i / 24 * 6.283 - n), 4) for i in range(8760)]} for n in range(10)]
    answer = daemon.post("/v1/schedules", {"hours": 500, "mean_kw": 1000, "checkpointable": True, "series": series, "weights": {"carbon": 1, "cost": 1}})
    assert answer.status == 200, answer.text
    result = answer.json["result"]
    assert result["best"]["gap"] < 1e-4 and len(result["regions"]) == 10
    assert abs(sum(piece["kgco2e"] for piece in result["pieces"]) - result["best"]["kgco2e"]) < 1e-6 * result["best"]["kgco2e"]
    assert len(result["pieces"]) == result["best"]["pauses"] + 1
    assert "gco2e_per_kwh" not in answer.json["request"]["series"][0]
