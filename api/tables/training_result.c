#include "api/tables/shared.h"

#define OF struct step_time
static const struct field step_time_rows[] = {
	FIGURE(time_s, "Of an optimizer step: exactly the sum of the parts, each as far as it is exposed"),
	FIGURE(compute_s, "Matrix products and the rest of forward and backward"),
	FIGURE(recompute_s, "Activations recomputed"),
	FIGURE(tensor_comm_s, "Tensor-parallel collectives"),
	FIGURE(context_comm_s, "Context-parallel exchange"),
	FIGURE(pipeline_comm_s, "Activations between stages"),
	FIGURE(pipeline_bubble_s, "Stages waiting for each other"),
	FIGURE(data_comm_exposed_s, "Gradients and sharded weights, where not hidden"),
	FIGURE(expert_comm_s, "All-to-all of experts"),
	FIGURE(optimizer_s, "Optimizer"),
	FIGURE(input_wait_s, "Waiting for samples"),
	FIGURE(host_transfer_s, "To and from host memory"),
	FIGURE(launch_overhead_s, "Launching kernels"),
};
TABLE(step_time, step_time_rows, "Time of one optimizer step.");
#undef OF

DECLARE_TABLE(goodput, MEMBER_TYPE(struct training_option, goodput));
#define OF MEMBER_TYPE(struct training_option, goodput)
static const struct field goodput_rows[] = {
	FIGURE(fraction, "Of the time that trains"),
	FIGURE(checkpoint_interval_minutes, "Between checkpoints"),
	FIGURE(checkpoint_s, "In which training stands still for a checkpoint"),
	FIGURE(mtbf_hours, "Between failures of the whole job"),
	FIGURE(expected_failures, "Failures to expect"),
	FIGURE(lost_hours, "To failures, restarts and checkpoints"),
	INTEGER(spare_nodes, 0, 10000, "Nodes to keep ready: as given, or so many that the job does not wait for repairs 99 times in 100"),
};
TABLE(goodput, goodput_rows, "What failures and checkpoints cost.");
#undef OF

DECLARE_TABLE(cost_currency, MEMBER_TYPE(struct cost, currency));
#define OF MEMBER_TYPE(struct cost, currency)
static const struct field cost_currency_rows[] = {
	MERGE(rate, currency),
	FIGURE(total, "Of the whole training"),
	FIGURE(per_gpu_hour, "Price taken"),
};
TABLE(cost_currency, cost_currency_rows, "The same in another currency, at the rate of the request.");
#undef OF

DECLARE_TABLE(reservation, struct reservation);
#define OF struct reservation
static const struct field reservation_rows[] = {
	OBJECT(offer, offer, "The reserved offer"),
	FIGURE(on_demand_usd_per_gpu_hour, "By use, at the same provider"),
	FIGURE(break_even_utilization, "Part of its hours that must be used to cost no more than by use"),
	FIGURE(utilization, "Part of its hours that this training uses: of the cadence, or of whole terms"),
	FIGURE(total_usd, "Of the training, the reservation paid to its end"),
};
TABLE(reservation, reservation_rows, "What reserving would cost instead.");
#undef OF

DECLARE_TABLE(cost, struct cost);
#define OF struct cost
static const struct field cost_rows[] = {
	FIGURE(total_usd, "Of the whole training"),
	FIGURE(usd_per_gpu_hour, "Price taken"),
	FIGURE(storage_usd, "Of the total, checkpoints and data kept"),
	FIGURE(egress_usd, "Of the total, data that leaves"),
	OBJECT_IF(offer, has_offer, offer, "The offer that the price comes from"),
	OBJECT_IF(currency, has_currency, cost_currency, "The same in another currency, where the request has a rate"),
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
TABLE(training_intervals, training_interval_rows, "Figures as intervals.");
#undef OF

#define OF struct practice_part
static const struct field practice_part_rows[] = {
	TEXT(name, 64, "Of a training software, layout, evaluation_and_restarts; of a service release, flags, load; of either new_hardware"),
	FIGURE(factor, "By which the run takes longer, or the service more capacity"),
	FIGURE(low, "p10 of that"),
	FIGURE(high, "p90 of that"),
	TEXT(source, 400, "Where it comes from"),
};
DECLARE_TABLE(practice_part, struct practice_part);
TABLE(practice_part, practice_part_rows, "One part of practice.");
#undef OF

#define OF struct practice
static const struct field practice_rows[] = {
	FIGURE(value, "Hours of a run over those of its steps and failures, capacity of a service over what the recipe's engine takes: product of the parts"),
	FIGURE(low, "p10 of that"),
	FIGURE(high, "p90 of that"),
	FIGURE(own_runs, "Number of own runs, each weighted by its likeness (E134)"),
	FIGURE(own_weight, "Their weight against the published runs, 0 to 1"),
	ARRAY_AS(parts, parts, part_count, practice_part, "Parts that neither the request nor a measurement has settled"),
};
TABLE(practice, practice_rows, "What real runs and services take over their plan.");
#undef OF

#define OF struct promised
static const struct field promised_rows[] = {
	TEXT(what, 16, "deadline, budget, energy_cap, carbon_cap or slo (services)"),
	FIGURE(limit, "As the request sets it: hours less what is reserved, USD, kWh, kg"),
	FIGURE(probability, "With which this option keeps it"),
};
TABLE(promised, promised_rows, "A limit of the request and how likely it is kept.");
#undef OF

#define OF struct confidence_point
static const struct field confidence_point_rows[] = {
	FIGURE(confidence, "Probability"),
	INTEGER(gpu_count, 1, 9e15, "Accelerators that keep the deadline with it, to within 1/64; without a deadline the recommended number"),
	FIGURE(wall_clock_hours, "Hours that are not exceeded with it"),
	FIGURE(total_usd, "Cost that is not exceeded with it"),
};
DECLARE_TABLE(confidence_point, struct confidence_point);
TABLE(confidence_point, confidence_point_rows, "What a confidence costs on the recommended accelerator. Where no number keeps budget and caps with it, they may be exceeded; where none keeps the deadline, there is no row.");
#undef OF

#define OF struct uncertainty
static const struct field uncertainty_rows[] = {
	TEXT(field, 64, "What is not known: step, a part of practice, failures or price"),
	FIGURE(wall_clock_hours, "What it adds to the hours that hold with the request's confidence"),
	FIGURE(total_usd, "What it adds to the cost that holds with it"),
	TEXT(cure, 240, "What would shrink it"),
};
DECLARE_TABLE(uncertainty, struct uncertainty);
TABLE(uncertainty, uncertainty_rows, "An uncertainty, its price and its cure.");
#undef OF

DECLARE_TABLE(monthly, MEMBER_TYPE(struct training_option, monthly));
#define OF MEMBER_TYPE(struct training_option, monthly)
static const struct field monthly_rows[] = {
	FIGURE(total_usd, "Cost a month"),
	FIGURE(total_kwh, "Energy a month"),
	FIGURE(total_kgco2e, "Carbon a month"),
};
TABLE(monthly, monthly_rows, "A month of a training that recurs.");
#undef OF

#define OF struct training_option
static const struct field training_option_rows[] = {
	OBJECT(accelerator, accelerator_id, "Accelerator"),
	INTEGER(gpu_count, 1, 9e15, "Accelerators"),
	INTEGER(node_count, 1, 9e15, "Nodes"),
	OBJECT(parallelism, parallelism, "Layout, all filled"),
	OBJECT(memory, memory_use, "Memory of the fullest accelerator"),
	OBJECT(step, step_time, "Time of a step and its parts"),
	FIGURE(mfu, "Model FLOPs without recomputation over the dense peak of the request's precision"),
	FIGURE(hfu, "The same with recomputation"),
	FIGURE(tflops_per_gpu, "Model FLOP rate, as `mfu`"),
	FIGURE(tokens_per_s, "Throughput"),
	FIGURE(tokens_per_s_per_gpu, "Throughput of one accelerator"),
	FIGURE(wall_clock_hours, "Time from start to end"),
	FIGURE(gpu_hours, "Accelerators times hours"),
	FIGURE(run_mfu, "Model FLOPs of the training over accelerator-hours times the peak: with practice and goodput, unlike `mfu`"),
	OBJECT(practice, practice, "What real runs take over the plan's steps and failures"),
	ARRAY_IN_CELL(promises, promises, promise_count, promised, "The request's limits, each with the probability that it is kept"),
	OBJECT(goodput, goodput, "What failures and checkpoints cost"),
	OBJECT(cost, cost, "Cost; without figures where no price is known"),
	OBJECT_IF(purchase, has_purchase, purchase, "Buying, where pricing.on_premises says so"),
	OBJECT(energy, energy, "Energy"),
	OBJECT(carbon, carbon, "Carbon"),
	FIGURE(water_l, "Water, on site and in making the electricity"),
	OBJECT(monthly, monthly, "A month of a training that recurs"),
	OBJECT(bottleneck, bottleneck, "What binds"),
	MAP_AS(inputs, inputs.items, inputs.count, figure, "What hours, cost, energy, carbon and water rest upon, by the request's names"),
	MAP(provenance, provenance_count, provenance, "Where figures come from, by JSON pointer inside the option"),
	OBJECT(interval, training_intervals, "Figures as intervals"),
};
TABLE(training_option, training_option_rows, "One way to do the training.");
#undef OF

DECLARE_TABLE(training_workload, MEMBER_TYPE(struct training_plan, workload));
#define OF MEMBER_TYPE(struct training_plan, workload)
static const struct field training_workload_rows[] = {
	FIGURE(params_total, "Parameters"),
	FIGURE(params_active, "Parameters that one token meets"),
	FIGURE(tokens_total, "Tokens over all epochs and stages"),
	FIGURE(flops_per_token, "Forward and backward of one token"),
	FIGURE(flops_total, "Of the whole training"),
	FIGURE(petaflop_s_days, "The same in petaFLOP/s-days"),
};
TABLE(training_workload, training_workload_rows, "How much arithmetic a training is.");
#undef OF

DECLARE_TABLE(training_rule, MEMBER_TYPE(struct training_plan, rule_of_thumb));
#define OF MEMBER_TYPE(struct training_plan, rule_of_thumb)
static const struct field training_rule_rows[] = {
	FIGURE(gpu_hours, "Accelerator-hours by the rule"),
	FIGURE(gpu_count_exact, "Accelerators for the deadline, before rounding"),
	FIGURE(gpu_count, "Accelerators for the deadline"),
	FIGURE(gpu_count_a100, "The same in A100s, as the rule is stated"),
	CHARS(formula, "The rule with its numbers, and why it differs from the model"),
	FIGURE(implied_mfu, "MFU that the rule assumes"),
};
TABLE(training_rule, training_rule_rows, "The rule of thumb, for comparison.");
#undef OF

DECLARE_TABLE(compute_optimal, MEMBER_TYPE(struct training_plan, compute_optimal));
#define OF MEMBER_TYPE(struct training_plan, compute_optimal)
static const struct field compute_optimal_rows[] = {
	FIGURE(tokens_optimal, "Tokens that the same compute would best be spent on"),
	FIGURE(params_optimal, "Parameters that the same compute would best be spent on"),
	FIGURE(predicted_loss, "Loss by the scaling law, in nats per token"),
	FIGURE(flops_per_percent_loss, "FLOPs that lower the loss by one per cent more"),
	FIGURE(tokens_effective, "New tokens that these are worth: those seen again teach less (Muennighoff et al. 2023)"),
	FIGURE(compute_factor, "Compute spent over the least that reaches the same loss: what over- or under-training costs"),
	CHOICE(verdict, verdict_words, "Whether size and data fit each other"),
	CHARS(detail, "Why"),
};
TABLE(compute_optimal, compute_optimal_rows, "What scaling laws say.");
#undef OF

DECLARE_TABLE(training_search, MEMBER_TYPE(struct training_plan, search));
#define OF MEMBER_TYPE(struct training_plan, search)
static const struct field training_search_rows[] = {
	INTEGER(evaluated, 0, 1e15, "Layouts evaluated"),
	INTEGER(feasible, 0, 1e15, "Of these feasible"),
	FIGURE(elapsed_ms, "Time that took"),
};
TABLE(training_search, training_search_rows, "How the answer was found.");
#undef OF

DECLARE_TABLE(training_batch, MEMBER_TYPE(struct training_plan, batch));
#define OF MEMBER_TYPE(struct training_plan, batch)
static const struct field training_batch_rows[] = {
	FIGURE(global_batch_tokens, "Tokens in an optimizer step"),
	INTEGER(micro_batch, 1, 65536, "Sequences in a micro-batch"),
	INTEGER(gradient_accumulation_steps, 1, 1e9, "Micro-batches of one data-parallel rank in a step"),
	FIGURE(critical_batch_tokens, "Batch above which more accelerators bring little"),
	FIGURE(learning_rate_scale, "Factor for the learning rate, against the batch that would be chosen; above the critical batch it is that batch's"),
	CHARS(detail, "Under which conditions the learning rate scales so"),
};
TABLE(training_batch, training_batch_rows, "Batch sizes.");
#undef OF

DECLARE_TABLE(training_input_use, MEMBER_TYPE(struct training_plan, input));
#define OF MEMBER_TYPE(struct training_plan, input)
static const struct field training_input_rows[] = {
	FIGURE(read_s, "Reading one step's samples"),
	FIGURE(decode_s, "Preparing one step's samples"),
	FIGURE(storage_gbs_needed, "Rate of the storage at which no step waits"),
	FIGURE(workers_needed, "Workers of each accelerator with which no step waits"),
};
TABLE(training_input_use, training_input_rows, "Samples beside the step; without figures where the request does not describe them.");
#undef OF

#define OF struct stage_plan
static const struct field stage_plan_rows[] = {
	FIGURE(tokens, "Tokens of the stage, over all epochs"),
	FIGURE(sequence_length, "Tokens in a sequence"),
	FIGURE(global_batch_tokens, "Tokens in an optimizer step"),
	FIGURE(step_time_s, "Time of a step"),
	FIGURE(wall_clock_hours, "Time of the stage"),
	OBJECT(parallelism, parallelism, "Its layout"),
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
	FIGURE(grid_gco2e_per_kwh, "Carbon intensity of the grid there"),
	FIGURE(pue, "Power usage effectiveness there"),
	FIGURE(hours, "Wall clock"),
	FIGURE(usd, "Cost"),
	FIGURE(kgco2e, "Carbon, operational (location-based) and embodied"),
	TRUTH(cheapest, "Nothing costs less"),
	TRUTH(cleanest, "Nothing emits less"),
	TRUTH(fastest, "Nothing is done earlier"),
	FIGURE(usd_per_t_saved, "What each tonne costs that this emits less than the next cheaper one that nothing beats in money and carbon"),
};
TABLE(front_point, front_point_rows, "A way to run it.");
#undef OF

#define OF struct training_plan
static const struct field training_result_rows[] = {
	OBJECT(workload, training_workload, "How much arithmetic it is"),
	OBJECT(recommended, training_option, "The best option by the objective"),
	ARRAY_AS(confidence_curve, confidence_curve, confidence_count, confidence_point, "What 50, 80, 95 % and the request's own confidence cost"),
	ARRAY_AS(uncertainties, uncertainties, uncertainty_count, uncertainty, "What is not known of the recommended option, the costliest first, and what would shrink it"),
	ARRAY_AS(stages, stages, stage_count, stage_plan, "Stages of a progressive training, whose hours the recommended option sums"),
	ARRAY_AS(alternatives, alternatives, alternative_count, training_option,
		"Further options of the Pareto front over time, cost and carbon"),
	ARRAY_AS(front, front, front_count, front_point,
		"The options at every usable offer: what nothing beats in cost, carbon and time, cheapest first, with the price of a tonne saved from one to the next"),
	ARRAY_AS(reservations, reservations, reservation_count, reservation,
		"What the provider of the recommended offer takes for reserving them, with the use from which on it pays"),
	OBJECT(rule_of_thumb, training_rule, "The rule of thumb, for comparison"),
	OBJECT(compute_optimal, compute_optimal, "What scaling laws say"),
	OBJECT(search, training_search, "How the answer was found"),
	OBJECT(batch, training_batch, "Batch sizes"),
	OBJECT(input, training_input_use, "Samples beside the step"),
	MERGE(findings, findings),
};
TABLE(training_result, training_result_rows, "The answer to a training request.");
#undef OF
