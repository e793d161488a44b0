"""Prints a request to POST /v1/schedules: a year of hourly intensities and prices of ten regions, always the same."""
import json
import math
import random

draw = random.Random(1)
series = []
for region in range(10):
    weather, grid, price = 0, [], []
    for hour in range(8760):
        weather = 0.9 * weather + 30 * (draw.random() - 0.5)
        day, year = math.sin(hour / 24 * 2 * math.pi + region), math.sin(hour / 8760 * 2 * math.pi)
        grid.append(round(300 + 100 * day + 60 * year + weather))
        price.append(round(0.12 + 0.04 * day + 0.02 * draw.random(), 4))
    series.append({"region": f"region-{region}", "start": "2026-01-01T00:00:00Z", "step_minutes": 60, "gco2e_per_kwh": grid, "usd_per_kwh": price})
print(json.dumps({"hours": 500, "mean_kw": 1000, "checkpointable": True, "weights": {"carbon": 1, "cost": 0.5}, "series": series}))
