#include "storage/sqlite/maps.h"

#define C(member, name) COLUMN(struct plan_stored, member, name)
static const struct column plan_columns[] = {C(record.id, "id"), C(record.kind, "kind"), C(record.created_at_us, "created_at_us"),
	C(record.updated_at_us, "updated_at_us"), C(record.revision, "revision"), C(record.name, "name"), C(record.notes, "notes"),
	C(record.labels, "labels"), C(record.model, "model"), C(record.accelerator, "accelerator"),
	C(record.catalogue_revision, "catalogue_revision"), C(record.calibration_revision, "calibration_revision"),
	C(record.planner_version, "planner_version"), C(record.computed_at_us, "computed_at_us"), C(record.asked, "asked"),
	C(record.request, "request"), C(record.result, "result"), C(content_revision, "content_revision"), C(head_checksum, "head_checksum"),
	C(checksum, "checksum"), C(record.summary, "summary"), C(sort_key, "sort_key")};
#undef C
const struct column_map plan_map = COLUMN_MAP(plan_columns, struct plan_stored);

#define C(member, name) COLUMN(struct benchmark_record, member, name)
static const struct column benchmark_columns[] = {C(id, "id"), C(device, "device"), C(accelerator, "accelerator"), C(suite, "suite"),
	C(plan_id, "plan_id"), C(shapes, "shapes"), C(labels, "labels"), C(timeout_s, "timeout_s"), C(priority, "priority"),
	C(created_at_us, "created_at_us"), C(expires_at_us, "expires_at_us"), C(state, "state"), C(state_reason, "state_reason"),
	C(running_device, "running_device"), C(agent_id, "agent_id"), C(attempt, "attempt"), C(token, "token"),
	C(lease_until_us, "lease_until_us"), C(started_at_us, "started_at_us"), C(finished_at_us, "finished_at_us"),
	C(cancel_requested, "cancel_requested"), C(late, "late"), C(progress, "progress"), C(result, "result"),
	C(result_sha256, "result_sha256"), C(result_checksum, "result_checksum"), C(number, "number"), C(verification, "verification")};
#undef C
/* Lists do not read the result, which has its own checksum. */
static const char *const benchmark_unsealed[] = {"result", "number", "verification", NULL};
const struct column_map benchmark_map = {benchmark_columns, COUNT_OF(benchmark_columns), sizeof(struct benchmark_record), "benchmark",
	benchmark_unsealed, NULL, "result", "result_checksum"};

#define C(member, name) COLUMN(struct key_stored, member, name)
static const struct column key_columns[] = {C(record.id, "id"), C(record.name, "name"), C(record.role, "role"), C(record.prefix, "prefix"),
	C(record.created_at_us, "created_at_us"), C(record.expires_at_us, "expires_at_us"), C(record.revoked_at_us, "revoked_at_us"),
	C(record.family, "family"), C(record.scope_key, "scope_key"), C(record.scope_value, "scope_value"), C(hash, "hash")};
#undef C
/* Lists do not read the hash, by which a key is found. */
static const char *const key_unsealed[] = {"hash", NULL}, *const key_later[] = {"revoked_at_us", "family", "scope_key", "scope_value", NULL};
const struct column_map key_map = SEALED_MAP_LATER(key_columns, struct key_stored, "API key", key_unsealed, key_later);

#define C(member, name) COLUMN(struct device_record, member, name)
static const struct column device_columns[] = {C(id, "id"), C(agent_id, "agent_id"), C(node, "node"), C(backend, "backend"),
	C(name, "name"), C(accelerator, "accelerator"), C(driver, "driver"), C(memory_bytes, "memory_bytes"), C(state, "state"),
	C(state_reason, "state_reason"), C(properties, "properties"), C(seen_at_us, "seen_at_us"), C(pci_id, "pci_id"), C(pci_bus, "pci_bus"),
	C(ecc, "ecc"), C(mig_parent, "mig_parent"), C(mig_profile, "mig_profile"), C(compute_capability, "compute_capability"),
	C(power_limit_w, "power_limit_w"), C(benchmark_id, "benchmark_id"), C(calibrated_at_us, "calibrated_at_us"),
	C(calibration_age_days, "calibration_age_days"), C(state, "told_state"), C(state_reason, "told_state_reason"),
	C(seen_at_us, "told_seen_at_us")};
#undef C
/* Members computed from its properties, the queue and the calibrations, not from its own columns. */
static const char *const device_unsealed[] = {"pci_id", "pci_bus", "ecc", "mig_parent", "mig_profile", "compute_capability",
	"power_limit_w", "benchmark_id", "calibrated_at_us", "calibration_age_days", "told_state", "told_state_reason", "told_seen_at_us", NULL};
const struct column_map device_map = SEALED_MAP(device_columns, struct device_record, "device", device_unsealed);

#define C(member, name) COLUMN(struct agent_record, member, name)
static const struct column agent_columns[] = {C(id, "id"), C(host, "host"), C(version, "version"), C(labels, "labels"), C(key_id, "key_id"),
	C(state, "state"), C(registered_at_us, "registered_at_us"), C(seen_at_us, "seen_at_us"), C(devices, "devices"),
	C(heartbeat_s, "heartbeat_s"), C(lease_s, "lease_s")};
#undef C
static const char *const agent_unsealed[] = {"state", "devices", "heartbeat_s", "lease_s", NULL}; /* computed, not stored */
const struct column_map agent_map = SEALED_MAP(agent_columns, struct agent_record, "agent", agent_unsealed);

#define C(member, name) COLUMN(struct queue_counts, member, name)
static const struct column queue_counts_columns[] = {
	C(queued, "queued"), C(running, "running"), C(agents_online, "agents_online"), C(agents_silent, "agents_silent")};
#undef C
const struct column_map queue_counts_map = COLUMN_MAP(queue_counts_columns, struct queue_counts);

#define C(member, name) COLUMN(struct catalogue_counts, member, name)
static const struct column catalogue_counts_columns[] = {C(accelerators, "accelerators"), C(models, "models"), C(prices, "prices"),
	C(regions, "regions"), C(calibrations, "calibrations"), C(revision, "revision"), C(calibration_revision, "calibration_revision")};
#undef C
const struct column_map catalogue_counts_map = COLUMN_MAP(catalogue_counts_columns, struct catalogue_counts);

#define C(member, name) COLUMN(struct idempotency_stored, member, name)
static const struct column idempotency_columns[] = {C(key, "key"), C(principal, "principal"), C(route, "route"),
	C(body_sha256, "body_sha256"), C(at_us, "created_at_us"), C(http_status, "http_status"), C(location, "location"), C(etag, "etag"),
	C(content_type, "content_type"), C(body, "body")};
#undef C
static const char *const none_unsealed[] = {NULL};
const struct column_map idempotency_map = SEALED_MAP(idempotency_columns, struct idempotency_stored, "stored response", none_unsealed);

#define C(member, name) COLUMN(struct arguments, member, name)
static const struct column arguments_columns[] = {C(id, "id"), C(name, "name"), C(value, "value"), C(scope, "scope"),
	C(device_id, "device_id"), C(agent_id, "agent_id"), C(now_us, "now_us"), C(at_us, "at_us"), C(as_of_us, "as_of_us"),
	C(before_us, "before_us"), C(lease_until_us, "lease_until_us"), C(revision, "revision"), C(at_revision, "at_revision"),
	C(count, "count"), C(number, "number"), C(restart, "restart"), C(limit, "limit"), C(cursor_us, "cursor_us"), C(cursor_id, "cursor_id")};
#undef C
const struct column_map arguments_map = COLUMN_MAP(arguments_columns, struct arguments);

#define C(member, name) COLUMN(struct plan_query, member, name)
static const struct column plan_query_columns[] = {C(filter.kind, "kind"), C(filter.model, "model"), C(filter.accelerator, "accelerator"),
	C(filter.label_key, "label_key"), C(filter.label_value, "label_value"), C(filter.scope_key, "scope_key"),
	C(filter.scope_value, "scope_value"), C(filter.text, "text"), C(filter.created_after_us, "created_after_us"),
	C(filter.created_before_us, "created_before_us"), C(limit, "limit"), C(cursor_us, "cursor_us"), C(cursor_id, "cursor_id"),
	C(path, "path"), C(other_path, "other_path"), C(sign, "sign"), C(cursor_key, "cursor_key")};
#undef C
const struct column_map plan_query_map = COLUMN_MAP(plan_query_columns, struct plan_query);

#define C(member, name) COLUMN(struct row_query, member, name)
static const struct column row_query_columns[] = {C(filter.id_prefix, "id_prefix"), C(filter.origin, "origin"), C(filter.text, "text"),
	C(filter.vendor, "vendor"), C(filter.accelerator_id, "accelerator_id"), C(filter.device_id, "device_id"), C(filter.plan_id, "plan_id"),
	C(filter.quantity, "quantity"), C(filter.held, "held"), C(filter.scope_key, "scope_key"), C(filter.scope_value, "scope_value"),
	C(filter.provider, "provider"), C(filter.region, "region"), C(filter.pricing_model, "pricing_model"), C(filter.country, "country"),
	C(filter.as_of_us, "as_of_us"), C(id, "id"), C(cursor_id, "cursor_id"), C(limit, "limit")};
#undef C
const struct column_map row_query_map = COLUMN_MAP(row_query_columns, struct row_query);

#define C(member, name) COLUMN(struct benchmark_query, member, name)
static const struct column benchmark_query_columns[] = {C(filter.state, "state"), C(filter.device_id, "device_id"),
	C(filter.accelerator_id, "accelerator_id"), C(filter.plan_id, "plan_id"), C(filter.agent_id, "agent_id"),
	C(filter.label_key, "label_key"), C(filter.label_value, "label_value"), C(filter.scope_key, "scope_key"),
	C(filter.scope_value, "scope_value"), C(limit, "limit"), C(cursor_us, "cursor_us"), C(cursor_id, "cursor_id")};
#undef C
const struct column_map benchmark_query_map = COLUMN_MAP(benchmark_query_columns, struct benchmark_query);

/* The times of catalogue rows, which statements change in place. */
static const char *const row_unsealed[] = {
	"valid_from_us", "valid_to_us", "revision", "opened_by", "closed_by", "from_us", "to_us", "of_revision", NULL};

/* Members of every row. Of a member with two columns the later column is used: the valid state, not the written one
 * (0006_imports.sql). */
#define STAMP(type) \
	COLUMN(type, meta.origin, "origin"), COLUMN(type, meta.valid_from_us, "valid_from_us"), \
		{"valid_to_us", COLUMN_MOMENT, offsetof(type, meta.valid_to_us)}, COLUMN(type, meta.revision, "revision"), \
		{"opened_by", COLUMN_MOMENT, offsetof(type, meta.opened_by)}, {"closed_by", COLUMN_MOMENT, offsetof(type, meta.closed_by)}, \
		COLUMN(type, meta.valid_from_us, "from_us"), {"to_us", COLUMN_MOMENT, offsetof(type, meta.valid_to_us)}, \
		COLUMN(type, meta.revision, "of_revision")

#define C(member, name) COLUMN(struct accelerator_row, member, name)
static const struct column accelerator_columns[] = {C(accelerator.id, "id"), C(accelerator.vendor, "vendor"), C(accelerator.name, "name"),
	C(accelerator.form_factor, "form_factor"), C(accelerator.memory_type, "memory_type"), C(accelerator.interconnect, "interconnect"),
	C(accelerator.release_year, "release_year"), C(accelerator.memory_gb, "memory_gb"),
	C(accelerator.memory_usable_bytes, "memory_usable_bytes"), C(accelerator.memory_bandwidth_gbs, "memory_bandwidth_gbs"),
	C(accelerator.tflops_fp64, "tflops_fp64"), C(accelerator.tflops_fp32, "tflops_fp32"), C(accelerator.tflops_tf32, "tflops_tf32"),
	C(accelerator.tflops_bf16, "tflops_bf16"), C(accelerator.tflops_fp16, "tflops_fp16"), C(accelerator.tflops_fp8, "tflops_fp8"),
	C(accelerator.tops_int8, "tops_int8"), C(accelerator.tflops_fp4, "tflops_fp4"), C(accelerator.tdp_w, "tdp_w"),
	C(accelerator.idle_w, "idle_w"), C(accelerator.load_w, "load_w"), C(accelerator.interconnect_gbs, "interconnect_gbs"),
	C(accelerator.pcie_gen, "pcie_gen"), C(accelerator.max_nvlink_domain, "max_nvlink_domain"), C(accelerator.transistor_nm, "transistor_nm"),
	C(accelerator.die_area_mm2, "die_area_mm2"), C(accelerator.embodied_kgco2e, "embodied_kgco2e"),
	C(accelerator.embodied_boavizta_kgco2e, "embodied_boavizta_kgco2e"), C(accelerator.source, "source"),
	C(accelerator.source_date, "source_date"), C(accelerator.unverified, "unverified"), C(accelerator.notes, "notes"),
	C(aliases, "aliases"), C(memory_usable_source, "memory_usable_source"), C(meta.conflicts, "conflicts"), STAMP(struct accelerator_row)};
#undef C
const struct column_map accelerator_map = SEALED_MAP(accelerator_columns, struct accelerator_row, "accelerator", row_unsealed);

#define C(member, name) COLUMN(struct model_row, member, name)
static const struct column model_columns[] = {C(id, "id"), C(repo, "repo"), C(params_total, "params_total"),
	C(params_active, "params_active"), C(config, "config"), C(aliases, "aliases"), C(meta.source, "source"),
	C(meta.source_date, "source_date"), STAMP(struct model_row)};
#undef C
const struct column_map model_map = SEALED_MAP(model_columns, struct model_row, "model", row_unsealed);

#define C(member, name) COLUMN(struct price_row, member, name)
static const struct column price_columns[] = {C(id, "id"), C(provider, "provider"), C(instance_type, "instance_type"), C(region, "region"),
	C(accelerator_id, "accelerator_id"), C(pricing_model, "pricing_model"), C(as_of, "as_of"), C(notes, "notes"), C(gpus, "gpus"),
	C(vcpus, "vcpus"), C(ram_gb, "ram_gb"), C(price_usd_per_hour, "price_usd_per_hour"), C(meta.source, "source"),
	C(meta.source_date, "source_date"), C(meta.conflicts, "conflicts"), STAMP(struct price_row)};
#undef C
const struct column_map price_map = SEALED_MAP(price_columns, struct price_row, "price", row_unsealed);

#define C(member, name) COLUMN(struct region_row, member, name)
static const struct column region_columns[] = {C(id, "id"), C(provider, "provider"), C(region_id, "region_id"),
	C(country_zone, "country_zone"), C(location, "location"), C(em_zone, "em_zone"), C(grid_gco2e_per_kwh, "grid_gco2e_per_kwh"),
	C(grid_marginal_gco2e_per_kwh, "grid_marginal_gco2e_per_kwh"), C(pue, "pue"), C(wue_l_per_kwh, "wue_l_per_kwh"),
	C(ewif_l_per_kwh, "ewif_l_per_kwh"), C(year, "year"), C(pue_year, "pue_year"), C(wue_year, "wue_year"), C(meta.source, "source"),
	C(meta.source_date, "source_date"), C(meta.conflicts, "conflicts"), STAMP(struct region_row)};
#undef C
const struct column_map region_map = SEALED_MAP(region_columns, struct region_row, "region", row_unsealed);

#define C(member, name) COLUMN(struct calibration_row, member, name)
static const struct column calibration_columns[] = {C(id, "id"), C(accelerator_id, "accelerator_id"), C(device_id, "device_id"),
	C(benchmark_id, "benchmark_id"), C(class, "class"), C(plan_id, "plan_id"), C(driver, "driver"), C(n, "n"), C(spread, "spread"),
	C(disagreement, "disagreement"), C(baseline, "baseline"), C(expected, "expected"), C(expected_sigma, "expected_sigma"),
	C(step_ratio, "step_ratio"), C(gpu_count, "gpu_count"), C(params, "params"), C(precision, "precision"), C(quantity, "quantity"),
	C(method, "method"), C(value, "value"), C(low, "low"), C(high, "high"), C(held_because, "held_because"), C(delivered_by, "delivered_by"),
	C(meta.source, "source"), C(meta.source_date, "source_date"), C(meta.origin, "origin"), C(meta.valid_from_us, "valid_from_us"),
	{"valid_to_us", COLUMN_MOMENT, offsetof(struct calibration_row, meta.valid_to_us)}, C(meta.revision, "revision")};
#undef C
static const char *const calibration_later[] = {"held_because", "delivered_by", NULL};
const struct column_map calibration_map = SEALED_MAP_LATER(
	calibration_columns, struct calibration_row, "calibration", row_unsealed, calibration_later);

#define C(member) COLUMN(struct import_stored, record.member, #member)
static const struct column import_columns[] = {C(id), C(kind), C(state), C(detail), C(started_by), C(key_id), C(key_name), C(content_type),
	C(bytes), C(sha256), C(replaces), C(overwrites), C(started_at_us), C(finished_at_us), C(rows), C(added), C(changed), C(removed),
	C(unchanged), C(kept), C(revision), COLUMN(struct import_stored, number, "number"),
	COLUMN(struct import_stored, published_at_us, "published_at_us"), COLUMN(struct import_stored, settled, "settled")};
#undef C
static const char *const import_unsealed[] = {"number", NULL};
const struct column_map import_map = SEALED_MAP(import_columns, struct import_stored, "import", import_unsealed);

#define C(member, name) COLUMN(struct observation_record, member, name)
static const struct column observation_columns[] = {C(id, "id"), C(plan_id, "plan_id"), C(created_at_us, "created_at_us"),
	C(accelerator, "accelerator"), C(stack, "stack"), C(stack_release, "stack_release"), C(gpu_count, "gpu_count"),
	C(step_time_s, "step_time_s"), C(tokens_per_s, "tokens_per_s"), C(mean_gpu_w, "mean_gpu_w"), C(hours, "hours"),
	C(total_kwh, "total_kwh"), C(total_usd, "total_usd"), C(labels, "labels"), C(notes, "notes"),
	C(predicted.step_time_s, "predicted_step_time_s"), C(predicted.tokens_per_s, "predicted_tokens_per_s"),
	C(predicted.mean_gpu_w, "predicted_mean_gpu_w"), C(predicted.hours, "predicted_hours"), C(predicted.total_kwh, "predicted_total_kwh"),
	C(predicted.total_usd, "predicted_total_usd"), C(stack_speed, "stack_speed"), C(unused_because, "unused_because"), C(params, "params"),
	C(planned_gpu_count, "planned_gpu_count"), C(precision, "precision"), C(practice, "practice"),
	C(practice_expected, "practice_expected"), C(practice_unused_because, "practice_unused_because")};
#undef C
static const char *const observation_unsealed[] = {NULL};
const struct column_map observation_map = SEALED_MAP(observation_columns, struct observation_record, "observation", observation_unsealed);

#define C(member) COLUMN(struct audit_record, member, #member)
static const struct column audit_columns[] = {C(number), C(at_us), C(key_id), C(key_name), C(role), C(address), C(request_id), C(method),
	C(path), C(entity), C(revision), C(outcome), C(http_status)};
#undef C
static const char *const audit_unsealed[] = {"number", NULL}; /* the file assigns it */
const struct column_map audit_map = SEALED_MAP(audit_columns, struct audit_record, "entry of the audit log", audit_unsealed);

#define C(member, name) COLUMN(struct audit_query, member, name)
static const struct column audit_query_columns[] = {C(filter.key_id, "key_id"), C(filter.method, "method"), C(filter.entity, "entity"),
	C(filter.outcome, "outcome"), C(filter.text, "text"), C(filter.after_us, "after_us"), C(filter.before_us, "before_us"),
	C(cursor_number, "cursor_number"), C(limit, "limit")};
#undef C
const struct column_map audit_query_map = COLUMN_MAP(audit_query_columns, struct audit_query);

#define C(member, name) COLUMN(struct observation_query, member, name)
static const struct column observation_query_columns[] = {C(filter.plan_id, "plan_id"), C(filter.accelerator, "accelerator"),
	C(filter.stack, "stack"), C(filter.usable, "usable"), C(filter.since_us, "since_us"), C(filter.scope_key, "scope_key"),
	C(filter.scope_value, "scope_value"), C(limit, "limit"), C(cursor_us, "cursor_us"), C(cursor_id, "cursor_id")};
#undef C
const struct column_map observation_query_map = COLUMN_MAP(observation_query_columns, struct observation_query);
