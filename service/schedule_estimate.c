#include "service/schedule_estimate.h"

#include "planner/footprint/schedule.h"

enum status schedule_compute(struct estimate *estimate)
{
	struct schedule_request *request = estimate->request;
	struct schedule *schedule = ARENA_NEW(estimate->arena, struct schedule);
	size_t slots = schedule_slots_max(request);
	struct schedule_memory memory = {
		.slots = ARENA_ARRAY(estimate->arena, struct timetable_slot, slots + 1),
		.pieces = ARENA_ARRAY(estimate->arena, struct timetable_piece, slots + 1),
		.answer = ARENA_ARRAY(estimate->arena, struct schedule_piece, slots + 1),
		.workspace = arena_alloc_uncleared(estimate->arena, schedule_workspace_bytes(request)),
	};

	if (!schedule || !memory.slots || !memory.pieces || !memory.answer || !memory.workspace)
		return STATUS_NO_MEMORY;
	findings_clear(&schedule->findings);
	if (request->series_source)
		findings_assume_text(&schedule->findings, "series", "hours from feeds", request->series_source);
	estimate->result = schedule;
	return planner_schedule(request, &memory, schedule, estimate->failure);
}
