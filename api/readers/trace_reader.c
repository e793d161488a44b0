#include "api/readers/trace_reader.h"

#include "api/readers/trace_launches.h"
#include "base/utf8.h"

enum { INTERVALS_FIRST = 1024, STEPS_FIRST = 16, BITS = 64 };

/* Largest time in microseconds; above it a double cannot represent each microsecond. */
static const double time_most_us = 9e15;

/* Position of the reader in the document. Events are at one depth; everything else is stored unchanged. */
enum place { PLACE_OUTSIDE, PLACE_EVENTS };

struct event {
	bool complete; /* ph is "X" */
	char name[JSON_STREAM_TEXT_MAX + 1], category[32];
	double start_us, duration_us, stream, device, bytes, correlation;
	bool on_device;
};

/* The member whose value comes next, if the reader uses it. */
enum member {
	MEMBER_OTHER,
	MEMBER_PHASE,
	MEMBER_NAME,
	MEMBER_CATEGORY,
	MEMBER_START,
	MEMBER_DURATION,
	MEMBER_PROCESS,
	MEMBER_STREAM,
	MEMBER_DEVICE,
	MEMBER_BYTES,
	MEMBER_CORRELATION,
	MEMBER_TRACE,
	MEMBER_EVENTS,
	MEMBER_DISTRIBUTED,
	MEMBER_DEVICES,
	MEMBER_RANK,
	MEMBER_WORLD,
	MEMBER_BACKEND
};

struct trace_reader {
	struct json_stream stream;
	struct buffer kept;
	enum place place;
	size_t events_depth; /* depth inside the list of events; 0: none seen yet */
	bool wrapped;        /* inside the request's member `trace` */
	bool met;
	size_t piece_kept; /* bytes of the current piece that are stored or skipped already */
	const char *piece;
	enum member member, section; /* section: the last member of the trace itself */
	bool in_arguments;
	struct event event;
	double event_count, copies, kernels, bytes_to_device, pageable_bytes;
	double copy_us;
	uint64_t streams, devices; /* bit n: number n was seen; the last bit: any higher number */
	double rank, world_size;
	char backend[32], device_name[96];
	struct traced traced;
	struct launches launches;
	double launch_to_start_us; /* sum over all kernels with a matched call */
	size_t steps_capacity, interval_capacity;
};

struct trace_reader *trace_reader_new(void)
{
	struct trace_reader *reader = calloc(1, sizeof *reader);

	if (!reader)
		return NULL;
	buffer_init(&reader->kept, TRACE_KEPT_MAX_BYTES);
	reader->rank = reader->world_size = ABSENT_NUMBER;
	reader->traced.all = (struct span){INFINITY, -INFINITY};
	reader->traced.device_end = -INFINITY;
	return reader;
}

void trace_reader_free(struct trace_reader *reader)
{
	if (!reader)
		return;
	for (size_t a = 0; a < ACTIVITY_COUNT; a++)
		free(reader->traced.sets[a].items);
	free(reader->traced.steps);
	launches_free(&reader->launches);
	buffer_release(&reader->kept);
	free(reader);
}

size_t trace_reader_memory_bytes(const struct trace_reader *reader)
{
	return sizeof *reader + reader->kept.capacity + reader->interval_capacity * sizeof(struct span) +
		reader->steps_capacity * sizeof(struct step_window) + reader->launches.capacity * sizeof(struct launch_slot);
}

bool trace_reader_has_events(const struct trace_reader *reader)
{
	return reader->met;
}

const struct buffer *trace_reader_request(const struct trace_reader *reader)
{
	return reader->met && !reader->wrapped ? NULL : &reader->kept;
}

/* --- activity of an event ------------------------------------------------------------------------------------------- */

static enum status too_many(struct failure *failure)
{
	return failure_set(failure, STATUS_TOO_LARGE,
		"the trace has more than %d separate stretches of activity, the limit; profile fewer steps", TRACE_INTERVALS_MAX);
}

/* Merges a full set; if that frees less than half of it, doubles it, up to the limit for all sets together. */
static enum status set_make_room(struct trace_reader *reader, struct intervals *set, struct failure *failure)
{
	size_t more = set->capacity ? set->capacity : INTERVALS_FIRST;
	struct span *items;

	intervals_settle(set, 0);
	if (set->count < set->capacity / 2)
		return STATUS_OK;
	if (reader->interval_capacity + more > TRACE_INTERVALS_MAX)
		return too_many(failure);
	items = realloc(set->items, (set->capacity + more) * sizeof *items);
	if (!items)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory to read the trace");
	set->items = items;
	set->capacity += more;
	reader->interval_capacity += more;
	return STATUS_OK;
}

static enum status keep_interval(struct trace_reader *reader, enum activity activity, struct span span, struct failure *failure)
{
	struct intervals *set = &reader->traced.sets[activity];
	enum status status;

	if (intervals_add(set, span.start, span.end))
		return STATUS_OK;
	status = set_make_room(reader, set, failure);
	if (status == STATUS_OK)
		CHECK(intervals_add(set, span.start, span.end));
	return status;
}

/* Matches a call with the work that it started; the work was queued between the two. */
static enum status match_launch(struct trace_reader *reader, enum event_kind kind, struct failure *failure)
{
	const struct event *event = &reader->event;
	enum launch_half half = LAUNCH_STARTED;
	double time_us = event->start_us;
	struct launch_pair pair;
	struct span queued;
	bool graph;

	if (kind == EVENT_HOST) {
		if (!trace_event_is_launch(event->name, &graph))
			return STATUS_OK;
		half = graph ? LAUNCH_GRAPH_CALLED : LAUNCH_CALLED;
		time_us += event->duration_us;
	}
	if (!launches_meet(&reader->launches, event->correlation, half, time_us, &pair))
		return STATUS_OK;
	reader->traced.launches++;
	reader->launch_to_start_us += pair.started_us - pair.called_us;
	return trace_queued(pair.called_us, pair.started_us, &queued) ? keep_interval(reader, ACTIVITY_QUEUED, queued, failure) : STATUS_OK;
}

static enum status keep_step(struct trace_reader *reader, double step, struct failure *failure)
{
	struct traced *traced = &reader->traced;
	struct event *event = &reader->event;

	for (size_t i = 0; i < traced->step_count; i++) {
		struct span *window = &traced->steps[i].window;

		if (traced->steps[i].step == step) { /* the same step, seen by another thread */
			window->start = fmin(window->start, event->start_us);
			window->end = fmax(window->end, event->start_us + event->duration_us);
			return STATUS_OK;
		}
	}
	if (traced->step_count == TRACE_STEPS_MAX)
		return failure_set(failure, STATUS_TOO_LARGE, "the trace has more than %d steps, the limit; profile fewer", TRACE_STEPS_MAX);
	if (traced->step_count == reader->steps_capacity) {
		size_t capacity = reader->steps_capacity ? reader->steps_capacity * 2 : STEPS_FIRST;
		struct step_window *steps = realloc(traced->steps, capacity * sizeof *steps);

		if (!steps)
			return failure_set(failure, STATUS_NO_MEMORY, "no memory to read the trace");
		traced->steps = steps;
		reader->steps_capacity = capacity;
	}
	traced->steps[traced->step_count++] = (struct step_window){step, {event->start_us, event->start_us + event->duration_us}};
	return STATUS_OK;
}

static void see_number(uint64_t *seen, double number)
{
	if (number >= 0)
		*seen |= 1ULL << (number < BITS ? (unsigned)number : BITS - 1U);
}

static void count_device_event(struct trace_reader *reader, enum event_kind kind, enum activity activity)
{
	const struct event *event = &reader->event;

	if (kind == EVENT_KERNEL) {
		reader->kernels++;
		see_number(&reader->streams, event->stream);
		see_number(&reader->devices, event->device);
	} else {
		reader->copies++;
	}
	reader->traced.device_end = fmax(reader->traced.device_end, event->start_us + event->duration_us);
	if (activity != ACTIVITY_HOST_TO_DEVICE || !(event->bytes > 0))
		return;
	reader->bytes_to_device += event->bytes;
	reader->copy_us += event->duration_us;
	if (strstr(event->name, "Pageable"))
		reader->pageable_bytes += event->bytes;
}

/* Rejects a member of the current event, with its JSON pointer (RFC 6901). */
static enum status event_refuse(const struct trace_reader *reader, const char *key, struct failure *failure, const char *detail)
{
	char pointer[FAULT_POINTER_MAX];

	snprintf(pointer, sizeof pointer, "%s%s/%.0f%s%s", reader->wrapped ? "/trace" : "", reader->events_depth > 1 ? "/traceEvents" : "",
		reader->event_count, key ? "/" : "", key ? key : "");
	failure_add(failure, pointer, "out_of_range", "%s", detail);
	return failure->status;
}

static enum status event_check(const struct trace_reader *reader, struct failure *failure)
{
	const struct event *event = &reader->event;

	if (!is_given(event->start_us))
		return event_refuse(reader, "ts", failure, "a complete event (ph X) needs a time, in microseconds");
	if (fabs(event->start_us) > time_most_us)
		return event_refuse(reader, "ts", failure, "should be a time in microseconds, at most 9e15");
	if (!(event->duration_us >= 0 && event->duration_us <= time_most_us))
		return event_refuse(reader, "dur", failure, "should be a duration in microseconds, 0 to 9e15");
	return STATUS_OK;
}

static enum status event_end(struct trace_reader *reader, struct failure *failure)
{
	struct event *event = &reader->event;
	enum activity activity = ACTIVITY_HOST;
	enum event_kind kind;
	struct span span = {event->start_us, event->start_us + event->duration_us};
	double step = 0;
	enum status status = event->complete ? event_check(reader, failure) : STATUS_OK;

	if (status != STATUS_OK || !event->complete)
		return status;
	reader->event_count++;
	kind = trace_event_kind(event->category, event->name, event->on_device, &activity, &step);
	if (kind == EVENT_IGNORED)
		return STATUS_OK;
	reader->traced.all.start = fmin(reader->traced.all.start, span.start);
	reader->traced.all.end = fmax(reader->traced.all.end, span.end);
	if (kind == EVENT_STEP)
		return keep_step(reader, step, failure);
	if (kind == EVENT_KERNEL || kind == EVENT_COPY)
		count_device_event(reader, kind, activity);
	status = match_launch(reader, kind, failure);
	return status == STATUS_OK ? keep_interval(reader, activity, span, failure) : status;
}

static void event_begin(struct trace_reader *reader)
{
	struct event *event = &reader->event;

	event->complete = event->on_device = false;
	event->name[0] = event->category[0] = '\0';
	event->start_us = event->stream = event->device = event->bytes = event->correlation = ABSENT_NUMBER;
	event->duration_us = 0;
	reader->member = MEMBER_OTHER;
	reader->in_arguments = false;
}

/* --- tokens inside the events ---------------------------------------------------------------------------------------- */

struct member_name {
	const char *key;
	enum member member;
};

static enum member member_named(const struct member_name *names, size_t count, const struct json_stream *stream)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i].key, stream->text) == 0)
			return names[i].member;
	return MEMBER_OTHER;
}

static enum member event_member(const struct trace_reader *reader, const struct json_stream *stream)
{
	static const struct member_name members[] = {{"ph", MEMBER_PHASE}, {"name", MEMBER_NAME}, {"cat", MEMBER_CATEGORY},
		{"ts", MEMBER_START}, {"dur", MEMBER_DURATION}, {"pid", MEMBER_PROCESS}};
	static const struct member_name arguments[] = {
		{"stream", MEMBER_STREAM}, {"device", MEMBER_DEVICE}, {"bytes", MEMBER_BYTES}, {"correlation", MEMBER_CORRELATION}};

	if (stream->depth == reader->events_depth + 1)
		return strcmp(stream->text, "args") == 0 ? MEMBER_OTHER : member_named(members, COUNT_OF(members), stream);
	return reader->in_arguments && stream->depth == reader->events_depth + 2 ? member_named(arguments, COUNT_OF(arguments), stream)
																			 : MEMBER_OTHER;
}

static void event_text(struct trace_reader *reader, const struct json_stream *stream)
{
	struct event *event = &reader->event;

	if (reader->member == MEMBER_PHASE)
		event->complete = strcmp(stream->text, "X") == 0;
	else if (reader->member == MEMBER_NAME)
		memcpy(event->name, stream->text, stream->length + 1);
	else if (reader->member == MEMBER_CATEGORY)
		snprintf(event->category, sizeof event->category, "%.*s", (int)sizeof event->category - 1, stream->text);
	else if (reader->member == MEMBER_PROCESS)
		event->on_device = strncmp(stream->text, "CUDA", 4) == 0 || strncmp(stream->text, "GPU", 3) == 0;
}

static void event_number(struct trace_reader *reader, const struct json_stream *stream)
{
	struct event *event = &reader->event;

	if (reader->member == MEMBER_START)
		event->start_us = stream->number;
	else if (reader->member == MEMBER_DURATION)
		event->duration_us = stream->number;
	else if (reader->member == MEMBER_STREAM)
		event->stream = stream->number;
	else if (reader->member == MEMBER_DEVICE)
		event->device = stream->number;
	else if (reader->member == MEMBER_BYTES)
		event->bytes = stream->number;
	else if (reader->member == MEMBER_CORRELATION)
		event->correlation = stream->number;
}

/* True for a time that is not a number; the reader would otherwise read it as missing. */
static bool event_is_odd(const struct trace_reader *reader, enum json_token token)
{
	return token != TOKEN_NUMBER && token != TOKEN_END_OBJECT && token != TOKEN_END_ARRAY &&
		(reader->member == MEMBER_START || reader->member == MEMBER_DURATION);
}

static enum status read_event(struct trace_reader *reader, const struct json_stream *stream, enum json_token token, struct failure *failure)
{
	size_t depth = reader->events_depth;

	if (token == TOKEN_KEY) {
		reader->member = event_member(reader, stream);
		reader->in_arguments = stream->depth == depth + 1 ? strcmp(stream->text, "args") == 0 : reader->in_arguments;
		return STATUS_OK;
	}
	if (token == TOKEN_BEGIN_OBJECT && stream->depth == depth + 1) {
		event_begin(reader);
		return STATUS_OK;
	}
	if (token == TOKEN_END_OBJECT && stream->depth == depth + 1)
		return event_end(reader, failure);
	if (stream->depth == depth)
		return event_refuse(reader, NULL, failure, "should be an object, like each event");
	if (event_is_odd(reader, token))
		return event_refuse(reader, reader->member == MEMBER_START ? "ts" : "dur", failure, "should be a number of microseconds");
	if (token == TOKEN_TEXT)
		event_text(reader, stream);
	else if (token == TOKEN_NUMBER)
		event_number(reader, stream);
	reader->member = MEMBER_OTHER; /* a nested value is not the member's value */
	return STATUS_OK;
}

/* --- tokens outside the events --------------------------------------------------------------------------------------- */

static void keep_until(struct trace_reader *reader, size_t end)
{
	buffer_append(&reader->kept, reader->piece + reader->piece_kept, end - reader->piece_kept);
	reader->piece_kept = end;
}

static size_t trace_depth(const struct trace_reader *reader)
{
	return reader->wrapped ? 2 : 1; /* depth inside the object that has traceEvents */
}

static void read_outer_key(struct trace_reader *reader, const struct json_stream *stream)
{
	static const struct member_name members[] = {{"traceEvents", MEMBER_EVENTS}, {"trace", MEMBER_TRACE},
		{"distributedInfo", MEMBER_DISTRIBUTED}, {"deviceProperties", MEMBER_DEVICES}};
	static const struct member_name inner[] = {
		{"rank", MEMBER_RANK}, {"world_size", MEMBER_WORLD}, {"backend", MEMBER_BACKEND}, {"name", MEMBER_NAME}};

	if (stream->depth == 1 && !reader->met)
		reader->wrapped = strcmp(stream->text, "trace") == 0;
	if (stream->depth == trace_depth(reader)) {
		reader->section = reader->member = member_named(members, COUNT_OF(members), stream);
		return;
	}
	reader->member = stream->depth > trace_depth(reader) && stream->depth <= trace_depth(reader) + 2
		? member_named(inner, COUNT_OF(inner), stream)
		: MEMBER_OTHER;
}

/* Copies text of a trace that the answer repeats; like all text, it must be UTF-8. */
static void keep_text(char *out, size_t size, const struct json_stream *stream)
{
	if (!out[0] && stream->length < size && utf8_valid(stream->text, stream->length))
		memcpy(out, stream->text, stream->length + 1);
}

static void read_outer_value(struct trace_reader *reader, const struct json_stream *stream, enum json_token token)
{
	if (reader->section == MEMBER_DISTRIBUTED && token == TOKEN_NUMBER && reader->member == MEMBER_RANK)
		reader->rank = stream->number;
	else if (reader->section == MEMBER_DISTRIBUTED && token == TOKEN_NUMBER && reader->member == MEMBER_WORLD)
		reader->world_size = stream->number;
	else if (reader->section == MEMBER_DISTRIBUTED && token == TOKEN_TEXT && reader->member == MEMBER_BACKEND)
		keep_text(reader->backend, sizeof reader->backend, stream);
	else if (reader->section == MEMBER_DEVICES && token == TOKEN_TEXT && reader->member == MEMBER_NAME)
		keep_text(reader->device_name, sizeof reader->device_name, stream);
}

/* True if the list that begins here is the list of events. */
static bool begins_events(const struct trace_reader *reader, const struct json_stream *stream)
{
	if (reader->met)
		return false;
	return stream->depth == 1 || (stream->depth == trace_depth(reader) + 1 && reader->section == MEMBER_EVENTS);
}

static enum status read_outer(struct trace_reader *reader, const struct json_stream *stream, enum json_token token, struct failure *failure)
{
	if (token == TOKEN_KEY) {
		if (reader->met && stream->depth == trace_depth(reader) && strcmp(stream->text, "traceEvents") == 0)
			return failure_set(failure, STATUS_MALFORMED, "traceEvents appears twice; send it once");
		read_outer_key(reader, stream);
	} else if (token == TOKEN_BEGIN_ARRAY && begins_events(reader, stream)) {
		reader->place = PLACE_EVENTS;
		reader->met = true;
		reader->events_depth = stream->depth;
		keep_until(reader, stream->at + 1);
	} else {
		read_outer_value(reader, stream, token);
	}
	return STATUS_OK;
}

static enum status read_token(void *context, const struct json_stream *stream, enum json_token token, struct failure *failure)
{
	struct trace_reader *reader = context;

	if (reader->place == PLACE_OUTSIDE)
		return read_outer(reader, stream, token, failure);
	if (token == TOKEN_END_ARRAY && stream->depth == reader->events_depth) {
		reader->place = PLACE_OUTSIDE;
		reader->piece_kept = stream->at;
		return STATUS_OK;
	}
	return read_event(reader, stream, token, failure);
}

/* --- the body --------------------------------------------------------------------------------------------------------- */

enum status trace_reader_feed(struct trace_reader *reader, const char *piece, size_t length, struct failure *failure)
{
	enum status status;

	if (!reader->stream.function)
		json_stream_init(&reader->stream, read_token, reader);
	reader->piece = piece;
	reader->piece_kept = 0;
	status = json_stream_feed(&reader->stream, piece, length, failure);
	if (status == STATUS_OK && reader->place == PLACE_OUTSIDE)
		keep_until(reader, length);
	if (status == STATUS_OK && reader->kept.failed)
		return failure_set(failure, STATUS_TOO_LARGE, "the trace has more than %d bytes outside its events, the limit", TRACE_KEPT_MAX_BYTES);
	return status;
}

enum status trace_reader_end(struct trace_reader *reader, struct failure *failure)
{
	if (!reader->stream.function)
		return failure_set(failure, STATUS_MALFORMED, "not JSON: the body is empty");
	return json_stream_end(&reader->stream, failure);
}

static double bits_of(uint64_t seen)
{
	double count = 0;

	for (; seen; seen &= seen - 1)
		count++;
	return count;
}

enum status trace_reader_summarize(
	struct trace_reader *reader, struct trace_summary *summary, struct step_timings *mean, struct failure *failure)
{
	summary->events = reader->event_count;
	summary->kernels = reader->traced.kernels = reader->kernels;
	summary->copies = reader->copies;
	summary->streams = bits_of(reader->streams);
	summary->devices = bits_of(reader->devices);
	summary->host_to_device_bytes = reader->bytes_to_device;
	summary->host_to_device_gbs = reader->copy_us > 0 ? reader->bytes_to_device / reader->copy_us / 1000 : ABSENT_NUMBER;
	summary->pageable_share = reader->bytes_to_device > 0 ? reader->pageable_bytes / reader->bytes_to_device : ABSENT_NUMBER;
	if (reader->launches.given_up) { /* half of the matches would mislead more than none */
		reader->traced.launches = 0;
		reader->traced.sets[ACTIVITY_QUEUED].count = 0;
	}
	summary->launches_matched = reader->traced.launches;
	summary->launch_to_start_us = reader->traced.launches > 0 ? reader->launch_to_start_us / reader->traced.launches : ABSENT_NUMBER;
	summary->rank = reader->rank;
	summary->world_size = reader->world_size;
	memcpy(summary->backend, reader->backend, sizeof summary->backend);
	memcpy(summary->device_name, reader->device_name, sizeof summary->device_name);
	if (trace_timings(&reader->traced, summary, mean))
		return STATUS_OK;
	failure_add(failure, reader->wrapped ? "/trace" : "", "empty",
		"no event of the trace has a duration; send complete events (ph X) of operators, kernels or steps");
	return failure->status;
}
