-- name: observation_insert
INSERT INTO observation (id, plan_id, created_at_us, accelerator, stack, stack_release, gpu_count, step_time_s, tokens_per_s, mean_gpu_w, hours,
	total_kwh, total_usd, labels, notes, predicted_step_time_s, predicted_tokens_per_s, predicted_mean_gpu_w, predicted_hours,
	predicted_total_kwh, predicted_total_usd, stack_speed, unused_because, params, planned_gpu_count, precision, practice, practice_expected, practice_unused_because, row_checksum)
VALUES (:id, :plan_id, :created_at_us, :accelerator, :stack, :stack_release, :gpu_count, :step_time_s, :tokens_per_s, :mean_gpu_w, :hours,
	:total_kwh, :total_usd, :labels, :notes, :predicted_step_time_s, :predicted_tokens_per_s, :predicted_mean_gpu_w, :predicted_hours,
	:predicted_total_kwh, :predicted_total_usd, :stack_speed, :unused_because, :params, :planned_gpu_count, :precision, :practice, :practice_expected, :practice_unused_because, :row_checksum);

-- name: observation_get
SELECT * FROM observation WHERE id = :id;

-- name: observation_delete
DELETE FROM observation WHERE id = :id;

-- name: observation_list
SELECT * FROM observation
WHERE (created_at_us, id) < (:cursor_us, :cursor_id)
	AND (:scope_key IS NULL OR EXISTS (SELECT 1 FROM plan_label s WHERE s.plan_id = observation.plan_id AND s.key = :scope_key AND s.value = :scope_value))
	AND (:plan_id IS NULL OR plan_id = :plan_id)
	AND (:accelerator IS NULL OR accelerator = :accelerator)
	AND (:stack IS NULL OR stack = :stack)
	AND (NOT :usable OR (unused_because IS NULL AND created_at_us > :since_us))
ORDER BY created_at_us DESC, id DESC LIMIT :limit;

-- The newest benchmark that verified a plan, with its verification as result.
-- name: benchmark_of_plan
SELECT *, json_extract(result, '$.verification') AS verification FROM benchmark
WHERE plan_id = :id AND state = 'succeeded' AND json_extract(result, '$.verification') IS NOT NULL
ORDER BY finished_at_us DESC, id DESC LIMIT 1;
