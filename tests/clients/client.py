"""Uses the client that openapi-python-client made: one training estimate, one inference estimate, one plan.
usage: client.py URL"""
import sys

from fleetplan_client import Client
from fleetplan_client.api.estimates import estimate_inference, estimate_training
from fleetplan_client.api.plans import create_training_plan, get_plan
from fleetplan_client.models import InferenceEstimate, InferenceRequest, Plan, Slo, TrainingEstimate, TrainingPlan, TrainingRequest

client = Client(base_url=sys.argv[1])

training = TrainingRequest(model="llama-3.1-8b", tokens="15T", accelerator="h100", deadline_hours="30d")
estimate = estimate_training.sync(client=client, body=training)
assert isinstance(estimate, TrainingEstimate), estimate
option = estimate.result.recommended
print("training", option.gpu_count, f"{option.wall_clock_hours:.6f}")

service = InferenceRequest(model="llama-3.1-8b", accelerator="h100", queries_per_minute=600.0, prompt_tokens=1000.0, output_tokens=300.0,
                           slo=Slo(ttft_ms=2000.0, tpot_ms=60.0))
served = estimate_inference.sync(client=client, body=service)
assert isinstance(served, InferenceEstimate), served
print("inference", served.result.recommended.replicas, f"{served.result.recommended.latency.ttft_ms.p50:.6f}")

plan = create_training_plan.sync(client=client, body=training)
assert isinstance(plan, TrainingPlan), plan
same = get_plan.sync(plan.id, client=client)
assert isinstance(same, Plan) and same.id == plan.id and same.kind == "training", same
print("plan", plan.result.recommended.gpu_count, plan.revision)
