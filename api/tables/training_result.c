#include "api/tables/shared.h"

#define OF struct step_time
static const struct field step_time_rows[] = {
	FIGURE(time_s, "Time of one optimizer step: exactly the sum of the parts, without overlapped time", .always = true),
	FIGURE(compute_s, "Matrix products and other work of the forward and backward pass", .always = true),
	FIGURE(recompute_s, "Recomputation of activations", .always = true),
	FIGURE(tensor_comm_s, "Tensor-parallel collectives", .always = true),
	FIGURE(context_comm_s, "Context-parallel exchange", .always = true),
	FIGURE(pipeline_comm_s, "Transfer of activations between stages", .always = true),
	FIGURE(pipeline_bubble_s, "Time in which stages wait for each other", .always = true),
	FIGURE(data_comm_exposed_s, "Communication of gradients and sharded weights that is not overlapped", .always = true),
	FIGURE(expert_comm_s, "All-to-all communication of experts", .always = true),
	FIGURE(optimizer_s, "Update of the weights", .always = true),
	FIGURE(input_wait_s, "Wait for samples", .always = true),
	FIGURE(host_transfer_s, "Transfers to and from host memory", .always = true),
	FIGURE(launch_overhead_s, "Launching kernels", .always = true),
};
TABLE(step_time, step_time_rows, "The time of one optimizer step and its parts.");
#undef OF

DECLARE_TABLE(goodput, MEMBER_TYPE(struct training_option, goodput));
#define OF MEMBER_TYPE(struct training_option, goodput)
static const struct field goodput_rows[] = {
	FIGURE(fraction, "Fraction of the time in which the job trains", .always = true),
	FIGURE(checkpoint_interval_minutes, "Time between checkpoints", .always = true),
	FIGURE(checkpoint_s, "Time for which training stops for one checkpoint", .parts = PART_DETAILS),
	FIGURE(mtbf_hours, "Mean time between failures of the whole job", .parts = PART_DETAILS),
	FIGURE(expected_failures, "Expected number of failures", .always = true),
	FIGURE(lost_hours, "Time lost to failures, restarts and checkpoints", .always = true),
	INTEGER(spare_nodes, 0, 10000, "Spare nodes: as given, or the number with which the job does not wait for repairs 99 times in 100",
		.parts = PART_DETAILS),
};
TABLE(goodput, goodput_rows, "The time lost to failures and checkpoints.");
#undef OF

DECLARE_TABLE(cost_currency, MEMBER_TYPE(struct cost, currency));
#define OF MEMBER_TYPE(struct cost, currency)
static const struct field cost_currency_rows[] = {
	MERGE(rate, currency),
	FIGURE(total, "Cost of the whole training"),
	FIGURE(per_gpu_hour, "Price of one accelerator-hour"),
};
TABLE(cost_currency, cost_currency_rows, "The cost in another currency, at the rate of the request.");
#undef OF

DECLARE_TABLE(reservation, struct reservation);
#define OF struct reservation
static const struct field reservation_rows[] = {
	OBJECT(offer, offer, "The reserved offer"),
	FIGURE(on_demand_usd_per_gpu_hour, "On-demand price at the same provider"),
	FIGURE(break_even_utilization, "Fraction of its hours that must be used for it to cost no more than on demand"),
	FIGURE(utilization, "Fraction of its hours that this training uses: of the cadence, or of whole terms"),
	FIGURE(total_usd, "Cost of the training, with the reservation paid to its end"),
};
TABLE(reservation, reservation_rows, "The cost of a reservation instead.");
#undef OF

DECLARE_TABLE(cost, struct cost);
#define OF struct cost
static const struct field cost_rows[] = {
	FIGURE(total_usd, "Cost of the whole training"),
	FIGURE(usd_per_gpu_hour, "Price of one accelerator-hour"),
	FIGURE(storage_usd, "Part of the total for stored checkpoints and data"),
	FIGURE(egress_usd, "Part of the total for egress"),
	OBJECT_IF(offer, has_offer, offer, "Offer used for the price"),
	OBJECT_IF(currency, has_currency, cost_currency, "The cost in another currency, if the request has a rate"),
};
TABLE(cost, cost_rows, "Cost.");
#undef OF

DECLARE_TABLE(training_intervals, MEMBER_TYPE(struct training_option, interval));
#define OF MEMBER_TYPE(struct training_option, interval)
static const struct field training_interval_rows[] = {
	OBJECT(wall_clock_hours, interval, "Time"),
	OBJECT(gpu_hours, interval, "Accelerator-hours"),
	OBJECT(total_usd, interval, "Cost"),
	OBJECT(total_kwh, interval, "Energy"),
	OBJECT(total_kgco2e, interval, "Carbon"),
	OBJECT(step_time_s, interval, "Time of a step"),
};
TABLE(training_intervals, training_interval_rows, "Intervals of figures.");
#undef OF

#define OF struct practice_part
static const struct field practice_part_rows[] = {
	TEXT(name, 64, "Part. Training: software, layout, evaluation_and_restarts; service: release, flags, load; both: new_hardware",
		.always = true),
	FIGURE(factor, "Factor by which the run takes longer, or by which the service needs more capacity", .always = true),
	FIGURE(low, "p10 of the factor", .always = true),
	FIGURE(high, "p90 of the factor", .always = true),
	TEXT(source, 400, "Source of the factor", .always = true),
};
DECLARE_TABLE(practice_part, struct practice_part);
TABLE(practice_part, practice_part_rows, "One factor of practice.");
#undef OF

#define OF struct practice
static const struct field practice_rows[] = {
	FIGURE(value,
		"Real over planned, the product of the parts. Training: hours of the run over the hours of its steps and failures; service: capacity needed over the capacity that the recipe's engine needs",
		.always = true),
	FIGURE(low, "p10 of the value", .always = true),
	FIGURE(high, "p90 of the value", .always = true),
	FIGURE(own_runs, "Number of own runs, each weighted by its likeness (E134)"),
	FIGURE(own_weight, "Weight of the own runs against the published runs, 0 to 1"),
	ARRAY_AS(parts, parts, part_count, practice_part, "Factors that neither the request nor a measurement determines", .parts = PART_DETAILS),
};
TABLE(practice, practice_rows, "The factor by which real runs and services exceed their plan.");
#undef OF

#define OF struct promised
static const struct field promised_rows[] = {
	TEXT(what, 16, "Limit: deadline, budget, energy_cap, carbon_cap or slo (services)", .always = true),
	FIGURE(limit, "Value in the request: hours less reserved_hours, USD, kWh, kg", .always = true),
	FIGURE(probability, "Probability that this option meets the limit", .always = true),
};
TABLE(promised, promised_rows, "A limit of the request, and the probability that it is met.");
#undef OF

#define OF struct confidence_point
static const struct field confidence_point_rows[] = {
	FIGURE(confidence, "Probability of meeting the limits", .always = true),
	INTEGER(gpu_count, 1, 9e15,
		"Accelerators that meet the deadline with this probability, to within 1/64; without a deadline, the recommended number",
		.always = true),
	FIGURE(wall_clock_hours, "Hours that are not exceeded with this probability", .always = true),
	FIGURE(total_usd, "Cost that is not exceeded with this probability"),
};
DECLARE_TABLE(confidence_point, struct confidence_point);
TABLE(confidence_point, confidence_point_rows,
	"The cost of a confidence on the recommended accelerator. If no number of accelerators meets budget and caps with it, they may be exceeded; if none meets the deadline, the row is absent.");
#undef OF

#define OF struct uncertainty
static const struct field uncertainty_rows[] = {
	TEXT(field, 64, "Unknown quantity: step, a part of practice, failures or price", .always = true),
	FIGURE(wall_clock_hours, "Hours that it adds to the hours for the request's confidence"),
	FIGURE(total_usd, "Cost that it adds to the cost for the request's confidence"),
	TEXT(cure, 240, "Measurement or information that would reduce it", .always = true),
};
DECLARE_TABLE(uncertainty, struct uncertainty);
TABLE(uncertainty, uncertainty_rows, "An uncertainty, its cost, and how to reduce it.");
#undef OF

DECLARE_TABLE(monthly, MEMBER_TYPE(struct training_option, monthly));
#define OF MEMBER_TYPE(struct training_option, monthly)
static const struct field monthly_rows[] = {
	FIGURE(total_usd, "Cost a month"),
	FIGURE(total_kwh, "Energy a month"),
	FIGURE(total_kgco2e, "Carbon a month"),
};
TABLE(monthly, monthly_rows, "One month of a recurring training.");
#undef OF

#define OF struct training_option
static const struct field training_size_rows[] = {
	OBJECT(accelerator, accelerator_id, "Accelerator", .always = true),
	INTEGER(gpu_count, 1, 9e15, "Accelerators", .always = true),
	FIGURE(wall_clock_hours, "Time from start to end", .always = true),
	FIGURE(gpu_hours, "Accelerators times hours", .always = true),
};
DECLARE_TABLE(training_size, struct training_option);
TABLE(training_size, training_size_rows, "The accelerators and the hours of an option.");

static const struct field training_figures_rows[] = {
	INTEGER(node_count, 1, 9e15, "Nodes", .always = true),
	OBJECT(parallelism, parallelism, "Complete layout", .always = true),
	OBJECT(memory, memory_use, "Memory of the fullest accelerator", .parts = PART_DETAILS),
	OBJECT(step, step_time, "Time of a step and its parts", .always = true),
	FIGURE(mfu, "Model FLOPs, without recomputation, over the dense peak at the request's precision", .always = true),
	FIGURE(hfu, "FLOPs with recomputation over the same peak"),
	FIGURE(tflops_per_gpu, "Model FLOP rate of one accelerator, without recomputation"),
	FIGURE(tokens_per_s, "Throughput"),
	FIGURE(tokens_per_s_per_gpu, "Throughput of one accelerator"),
	FIGURE(run_mfu, "Model FLOPs of the training over accelerator-hours times the peak; unlike `mfu`, includes practice and goodput"),
	OBJECT(practice, practice, "Factor by which real runs exceed the plan's hours of steps and failures", .always = true),
	ARRAY_IN_CELL(promises, promises, promise_count, promised, "The request's limits, each with the probability that it is met"),
	OBJECT(goodput, goodput, "Time lost to failures and checkpoints", .always = true),
	OBJECT(cost, cost, "Cost; without figures if no price is known"),
	OBJECT_IF(purchase, has_purchase, purchase, "Buying the hardware, if pricing.on_premises is given"),
	OBJECT(energy, energy, "Energy"),
	OBJECT(carbon, carbon, "Carbon"),
	FIGURE(water_l, "Water, used on site and to generate the electricity"),
	OBJECT(monthly, monthly, "One month of a recurring training"),
	OBJECT(bottleneck, bottleneck, "Bottleneck", .always = true),
	MAP_AS(inputs, inputs.items, inputs.count, figure, "Inputs of hours, cost, energy, carbon and water, by their names in the request",
		.parts = PART_INPUTS | PART_DETAILS),
	MAP(provenance, provenance_count, provenance, "Sources of figures, by JSON pointer in the option",
		.parts = PART_PROVENANCE | PART_DETAILS),
	OBJECT(interval, training_intervals, "Intervals of figures"),
};
DECLARE_TABLE(training_figures, struct training_option);
TABLE(training_figures, training_figures_rows, "The other figures of an option.");

static const struct field training_option_rows[] = {MERGE_SELF(training_size), MERGE_SELF(training_figures)};
TABLE(training_option, training_option_rows, "An option for the training.");
#undef OF

DECLARE_TABLE(training_workload, MEMBER_TYPE(struct training_plan, workload));
#define OF MEMBER_TYPE(struct training_plan, workload)
static const struct field training_workload_rows[] = {
	FIGURE(params_total, "Number of parameters", .always = true),
	FIGURE(params_active, "Parameters used for one token", .always = true),
	FIGURE(tokens_total, "Tokens of all epochs and stages", .always = true),
	FIGURE(flops_per_token, "FLOPs of the forward and backward pass of one token", .always = true),
	FIGURE(flops_total, "FLOPs of the whole training", .always = true),
	FIGURE(petaflop_s_days, "FLOPs of the whole training in petaFLOP/s-days"),
};
TABLE(training_workload, training_workload_rows, "The amount of computation in a training.");
#undef OF

DECLARE_TABLE(training_rule, MEMBER_TYPE(struct training_plan, rule_of_thumb));
#define OF MEMBER_TYPE(struct training_plan, rule_of_thumb)
static const struct field training_rule_rows[] = {
	FIGURE(gpu_hours, "Accelerator-hours by the rule"),
	FIGURE(gpu_count_exact, "Accelerators for the deadline, before rounding"),
	FIGURE(gpu_count, "Accelerators for the deadline"),
	FIGURE(gpu_count_a100, "Accelerators for the deadline in A100s, as the rule is stated"),
	CHARS(formula, "The rule with its numbers, and the reason why it differs from the model", .always = true),
	FIGURE(implied_mfu, "MFU that the rule assumes"),
};
TABLE(training_rule, training_rule_rows, "The rule of thumb, for comparison.");
#undef OF

DECLARE_TABLE(compute_optimal, MEMBER_TYPE(struct training_plan, compute_optimal));
#define OF MEMBER_TYPE(struct training_plan, compute_optimal)
static const struct field compute_optimal_rows[] = {
	FIGURE(tokens_optimal, "Best number of tokens for the same compute"),
	FIGURE(params_optimal, "Best number of parameters for the same compute"),
	FIGURE(predicted_loss, "Loss by the scaling law, in nats per token"),
	FIGURE(flops_per_percent_loss, "Further FLOPs that lower the loss by one per cent"),
	FIGURE(tokens_effective, "Number of new tokens with the same worth; repeated tokens add less (Muennighoff et al. 2023)"),
	FIGURE(compute_factor, "Compute spent over the least compute for the same loss: the cost of over- or under-training"),
	CHOICE(verdict, verdict_words, "Whether the model size and the tokens match"),
	CHARS(detail, "Reason"),
};
TABLE(compute_optimal, compute_optimal_rows, "The answer of the scaling laws.");
#undef OF

DECLARE_TABLE(training_search, MEMBER_TYPE(struct training_plan, search));
#define OF MEMBER_TYPE(struct training_plan, search)
static const struct field training_search_rows[] = {
	INTEGER(evaluated, 0, 1e15, "Number of layouts evaluated"),
	INTEGER(feasible, 0, 1e15, "Number of feasible layouts"),
	FIGURE(elapsed_ms, "Time of the search"),
};
TABLE(training_search, training_search_rows, "The search for the answer.");
#undef OF

DECLARE_TABLE(training_batch, MEMBER_TYPE(struct training_plan, batch));
#define OF MEMBER_TYPE(struct training_plan, batch)
static const struct field training_batch_rows[] = {
	FIGURE(global_batch_tokens, "Tokens in an optimizer step"),
	INTEGER(micro_batch, 1, 65536, "Sequences in a micro-batch"),
	INTEGER(gradient_accumulation_steps, 1, 1e9, "Micro-batches of one data-parallel rank in a step"),
	FIGURE(critical_batch_tokens, "Critical batch, above which more accelerators bring little"),
	FIGURE(learning_rate_scale,
		"Factor for the learning rate relative to the batch that the planner would choose; above the critical batch, the factor at the critical batch"),
	CHARS(detail, "Conditions under which the learning rate scales this way"),
};
TABLE(training_batch, training_batch_rows, "Batch sizes.");
#undef OF

DECLARE_TABLE(training_input_use, MEMBER_TYPE(struct training_plan, input));
#define OF MEMBER_TYPE(struct training_plan, input)
static const struct field training_input_rows[] = {
	FIGURE(read_s, "Time to read the samples of one step"),
	FIGURE(decode_s, "Time to prepare the samples of one step"),
	FIGURE(storage_gbs_needed, "Storage bandwidth at which no step waits"),
	FIGURE(workers_needed, "Workers per accelerator with which no step waits"),
};
TABLE(training_input_use, training_input_rows,
	"The input pipeline compared with the step; without figures if the request does not describe it.");
#undef OF

#define OF struct stage_plan
static const struct field stage_plan_rows[] = {
	FIGURE(tokens, "Tokens of the stage over all epochs"),
	FIGURE(sequence_length, "Tokens in a sequence"),
	FIGURE(global_batch_tokens, "Tokens in an optimizer step"),
	FIGURE(step_time_s, "Time of a step"),
	FIGURE(wall_clock_hours, "Time of the stage"),
	OBJECT(parallelism, parallelism, "Layout of the stage"),
};
DECLARE_TABLE(stage_plan, struct stage_plan);
TABLE(stage_plan, stage_plan_rows, "One stage of a progressive training on the recommended accelerators.");
#undef OF

DECLARE_TABLE(front_point, struct front_point);
#define OF struct front_point
static const struct field front_point_rows[] = {
	TEXT(accelerator, 128, "Accelerator"),
	INTEGER(gpu_count, 1, 9e15, "Accelerators"),
	OBJECT_IF(offer, has_offer, offer, "The offer: provider, region and term"),
	FIGURE(grid_gco2e_per_kwh, "Carbon intensity of the grid in the offer's region"),
	FIGURE(pue, "Power usage effectiveness in the offer's region"),
	FIGURE(hours, "Wall clock"),
	FIGURE(usd, "Cost"),
	FIGURE(kwh, "Energy"),
	FIGURE(kgco2e, "Operational (location-based) plus embodied carbon"),
	TRUTH(cheapest, "Whether no other option costs less"),
	TRUTH(cleanest, "Whether no other option emits less"),
	TRUTH(fastest, "Whether no other option ends earlier"),
	FIGURE(usd_per_t_saved, "Cost of each tonne saved compared with the next cheaper option on the front of cost and carbon"),
};
TABLE(front_point, front_point_rows, "An option on the front.");
#undef OF

#define OF struct alternative
static const struct field training_alternative_rows[] = {
	TEXT(accelerator, 128, "Accelerator", .always = true),
	INTEGER(gpu_count, 1, 9e15, "Accelerators", .always = true),
	FIGURE(wall_clock_hours, "Time from start to end", .always = true),
	FIGURE(gpu_hours, "Accelerators times hours", .always = true),
	FIGURE(total_usd, "Cost"),
	FIGURE(total_kwh, "Energy"),
	FIGURE(total_kgco2e, "Carbon"),
	TEXT(provider, 64, "Provider of the offer, if the place is another one than the recommended option's"),
	TEXT(region, 64, "Region of that offer; without a price there is none"),
	CHARS(reason, "What is different from the recommended option", .always = true),
	MERGE_POINTED(training, training_figures, .parts = PART_ALTERNATIVES),
};
DECLARE_TABLE(training_alternative, struct alternative);
TABLE(training_alternative, training_alternative_rows,
	"A different option: another accelerator, another number or another place. With `expand=alternatives` it has all figures of an option.");
#undef OF

#define OF struct training_plan
static const struct field training_result_rows[] = {
	OBJECT(summary, training_summary, "The answer in a few sentences, and its figures", .always = true),
	OBJECT(workload, training_workload, "Amount of computation", .always = true),
	OBJECT(recommended, training_option, "Best option for the objective", .always = true),
	ARRAY_AS(confidence_curve, confidence_curve, confidence_count, confidence_point,
		"Cost of 50, 80 and 95 % confidence and of the request's own", .parts = PART_CONFIDENCE),
	ARRAY_AS(uncertainties, uncertainties, uncertainty_count, uncertainty,
		"Uncertainties of the recommended option, the costliest first, and how to reduce them", .parts = PART_CONFIDENCE),
	ARRAY_AS(stages, stages, stage_count, stage_plan, "Stages of a progressive training; the recommended option has the sum of their hours",
		.parts = PART_STAGES),
	ARRAY_AS(alternatives, shown, shown_count, training_alternative,
		"Other options: first up to three that are really different, the best first; then more of the Pareto front over time, cost and carbon",
		.parts = PART_ALTERNATIVES, .lean_items = LEAN_ALTERNATIVES, .lean_key = "reason", .lean_ends = similar_reasons),
	ARRAY_AS(front, front, front_count, front_point,
		"The Pareto front over cost, carbon and time of the options at every usable offer; cheapest first, with the cost of a tonne saved from one to the next",
		.parts = PART_FRONT),
	ARRAY_AS(reservations, reservations, reservation_count, reservation,
		"Reservations of the recommended accelerators at the same provider, with the use from which each pays", .parts = PART_RESERVATIONS),
	OBJECT(rule_of_thumb, training_rule, "The rule of thumb, for comparison", .always = true),
	OBJECT(compute_optimal, compute_optimal, "Answer of the scaling laws", .parts = PART_COMPUTE_OPTIMAL),
	OBJECT(search, training_search, "Details of the search", .parts = PART_SEARCH),
	OBJECT(batch, training_batch, "Batch sizes", .parts = PART_BATCH),
	OBJECT(input, training_input_use, "The input pipeline compared with the step"),
	MERGE(findings, findings),
};
TABLE(training_result, training_result_rows,
	"The answer to a training request. Without `expand` an estimate has summary, workload, recommended (without memory, inputs, provenance and secondary figures), rule_of_thumb, up to three alternatives in short, five assumptions and the warnings.");
#undef OF
