/* Work of the opencl backend as a list of launches: creates, runs, verifies and frees it. */
#include "bench/opencl/opencl_session.h"

struct opencl_work *opencl_work_new(struct bench_session *session, const struct bench_work_request *request)
{
	struct opencl_work *work = calloc(1, sizeof(*work));

	if (!work)
		return NULL;
	work->session = session;
	work->request = *request;
	return work;
}

void opencl_work_free(struct opencl_work *work)
{
	const struct opencl_api *api;

	if (!work)
		return;
	api = work->session->api;
	for (size_t i = 0; i < work->launch_count; i++)
		(void)api->kernel_release(work->launches[i].kernel);
	for (size_t i = 0; i < work->buffer_count; i++) {
		(void)api->buffer_release(work->buffers[i]);
		work->session->free_bytes += work->buffer_bytes[i];
	}
	free(work);
}

enum bench_outcome opencl_work_buffer(struct opencl_work *work, double bytes, struct opencl_memory **buffer, struct bench_reason *reason)
{
	struct bench_session *session = work->session;
	size_t whole = ((size_t)bytes + KERNEL_VECTOR_BYTES - 1) / KERNEL_VECTOR_BYTES * KERNEL_VECTOR_BYTES;
	int code = CL_SUCCESS;

	CHECK(work->buffer_count < OPENCL_BUFFERS_MAX);
	if (!(bytes > 0) || bytes > (double)session->allocation_bytes || bytes > session->free_bytes)
		return bench_refuse(reason, BENCH_UNSUPPORTED,
			"a buffer of %.0f MiB does not fit: the device has %.0f MiB left, and a buffer may have at most %.0f MiB", bytes / 0x1p20,
			session->free_bytes / 0x1p20, (double)session->allocation_bytes / 0x1p20);
	*buffer = session->api->buffer_create(session->context, CL_MEM_READ_WRITE, whole, NULL, &code);
	if (!*buffer)
		return opencl_refuse(reason, "clCreateBuffer", code);
	work->buffers[work->buffer_count] = *buffer;
	work->buffer_bytes[work->buffer_count++] = (double)whole;
	session->free_bytes -= (double)whole;
	return BENCH_OK;
}

static const size_t argument_bytes[] = {[KERNEL_POINTER] = sizeof(void *), [KERNEL_U32] = 4, [KERNEL_U64] = 8, [KERNEL_F32] = 4};

static enum bench_outcome launch_make(struct bench_session *session, enum kernel kernel, struct kernel_groups groups,
	const union opencl_value *values, struct opencl_launch *launch, struct bench_reason *reason)
{
	const struct kernel_entry *entry = &kernel_entries[kernel];
	int code = CL_SUCCESS;

	*launch = (struct opencl_launch){.global = {(size_t)groups.x * KERNEL_GROUP_ITEMS, groups.y, groups.z}};
	launch->kernel = session->api->kernel_create(session->program, entry->name, &code);
	if (!launch->kernel)
		return opencl_refuse(reason, entry->name, code);
	for (unsigned i = 0; entry->arguments[i] != KERNEL_END && code == CL_SUCCESS; i++)
		code = session->api->kernel_argument(launch->kernel, i, argument_bytes[entry->arguments[i]], &values[i]);
	if (code == CL_SUCCESS)
		return BENCH_OK;
	(void)session->api->kernel_release(launch->kernel);
	return opencl_refuse(reason, entry->name, code);
}

enum bench_outcome opencl_work_launch(struct opencl_work *work, enum kernel kernel, struct kernel_groups groups,
	const union opencl_value *values, struct bench_reason *reason)
{
	enum bench_outcome outcome;

	CHECK(work->launch_count < OPENCL_LAUNCHES_MAX);
	outcome = launch_make(work->session, kernel, groups, values, &work->launches[work->launch_count], reason);
	if (outcome == BENCH_OK)
		work->launch_count++;
	return outcome;
}

static int launch_enqueue(const struct bench_session *session, const struct opencl_launch *launch, struct opencl_event **event)
{
	static const size_t local[3] = {KERNEL_GROUP_ITEMS, 1, 1};

	return session->api->launch(session->queue, launch->kernel, 3, NULL, launch->global, local, 0, NULL, event);
}

enum bench_outcome opencl_run_kernel(struct bench_session *session, enum kernel kernel, struct kernel_groups groups,
	const union opencl_value *values, struct bench_reason *reason)
{
	struct opencl_launch launch;
	enum bench_outcome outcome = launch_make(session, kernel, groups, values, &launch, reason);
	int code;

	if (outcome != BENCH_OK)
		return outcome;
	code = launch_enqueue(session, &launch, NULL);
	if (code == CL_SUCCESS)
		code = session->api->finish(session->queue);
	(void)session->api->kernel_release(launch.kernel);
	return code == CL_SUCCESS ? BENCH_OK : opencl_refuse(reason, kernel_entries[kernel].name, code);
}

struct kernel_groups opencl_list_groups(const struct bench_session *session, uint64_t elements)
{
	enum { GROUPS_MAX = 1 << 22 };
	uint64_t groups = (elements + KERNEL_GROUP_ITEMS - 1) / KERNEL_GROUP_ITEMS;

	(void)session;
	return (struct kernel_groups){(uint32_t)(groups < 1 ? 1 : groups > GROUPS_MAX ? GROUPS_MAX : groups), 1, 1};
}

enum bench_outcome opencl_fill_normal(struct bench_session *session, struct opencl_memory *buffer, uint64_t count, uint64_t seed,
	enum precision precision, struct bench_reason *reason)
{
	const union opencl_value values[] = {{.memory = buffer}, {.u64 = count}, {.u64 = seed}};

	return opencl_run_kernel(session, kernel_fill_normal(precision), opencl_list_groups(session, count), values, reason);
}

enum bench_outcome opencl_fill_pattern(
	struct bench_session *session, struct opencl_memory *buffer, uint64_t count, struct bench_reason *reason)
{
	const union opencl_value values[] = {{.memory = buffer}, {.u64 = count}};

	return opencl_run_kernel(session, KERNEL_FILL_PATTERN, opencl_list_groups(session, count), values, reason);
}

/* Fills a buffer with a pattern that is NaN in every format. */
static enum bench_outcome poison(struct opencl_work *work, size_t at, struct bench_reason *reason)
{
	uint64_t vectors = (uint64_t)work->buffer_bytes[at] / KERNEL_VECTOR_BYTES;
	const union opencl_value values[] = {{.memory = work->buffers[at]}, {.u32 = UINT32_MAX}, {.u64 = vectors}};

	return opencl_run_kernel(work->session, KERNEL_FILL_WORD, opencl_list_groups(work->session, vectors), values, reason);
}

enum bench_outcome opencl_read(
	struct bench_session *session, struct opencl_memory *buffer, size_t offset, size_t bytes, void *out, struct bench_reason *reason)
{
	int code = session->api->read(session->queue, buffer, 1, offset, bytes, out, 0, NULL, NULL);

	return code == CL_SUCCESS ? BENCH_OK : opencl_refuse(reason, "clEnqueueReadBuffer", code);
}

/* Reads the device's clock: from the start of the first launch to the end of the last. */
static enum bench_outcome elapsed(
	const struct opencl_api *api, struct opencl_event *first, struct opencl_event *last, double *elapsed_s, struct bench_reason *reason)
{
	uint64_t start_ns = 0, end_ns = 0;
	int code = api->event_profile(first, CL_PROFILING_START, sizeof(start_ns), &start_ns, NULL);

	if (code == CL_SUCCESS)
		code = api->event_profile(last, CL_PROFILING_END, sizeof(end_ns), &end_ns, NULL);
	if (code != CL_SUCCESS)
		return opencl_refuse(reason, "clGetEventProfilingInfo", code);
	if (end_ns <= start_ns)
		return bench_refuse(reason, BENCH_FAILED, "the device's clock did not move during a run");
	*elapsed_s = (double)(end_ns - start_ns) * 1e-9;
	return BENCH_OK;
}

/* Evicts the data of earlier runs from the caches. */
static enum bench_outcome flush_caches(struct bench_session *session, struct bench_reason *reason)
{
	uint64_t vectors = 2 * session->cache_bytes / KERNEL_VECTOR_BYTES;
	size_t bytes = (size_t)vectors * KERNEL_VECTOR_BYTES;
	union opencl_value values[] = {{.memory = session->flush}, {.u32 = 0}, {.u64 = vectors}};
	int code = CL_SUCCESS;

	if (!session->flush) {
		if (bytes > session->allocation_bytes || (double)bytes > session->free_bytes)
			return bench_refuse(
				reason, BENCH_UNSUPPORTED, "not enough memory for the %.0f MiB that flush the caches", (double)bytes / 0x1p20);
		session->flush = session->api->buffer_create(session->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
		if (!session->flush)
			return opencl_refuse(reason, "clCreateBuffer", code);
		session->free_bytes -= (double)bytes;
		values[0].memory = session->flush;
	}
	return opencl_run_kernel(session, KERNEL_FILL_WORD, opencl_list_groups(session, vectors), values, reason);
}

enum bench_outcome opencl_launches_run(struct opencl_work *const *works, size_t count, double *elapsed_s, struct bench_reason *reason)
{
	struct bench_session *session = works[0]->session;
	const struct opencl_api *api = session->api;
	struct opencl_event *first = NULL, *last = NULL;
	enum bench_outcome outcome;
	int code = CL_SUCCESS;

	for (size_t w = 0; w < count && code == CL_SUCCESS; w++)
		for (size_t i = 0; i < works[w]->launch_count && code == CL_SUCCESS; i++) {
			bool is_first = !first, is_last = w + 1 == count && i + 1 == works[w]->launch_count;

			code = launch_enqueue(session, &works[w]->launches[i], is_first ? &first : is_last ? &last : NULL);
		}
	if (code == CL_SUCCESS)
		code = api->finish(session->queue);
	outcome = code == CL_SUCCESS ? elapsed(api, first, last ? last : first, elapsed_s, reason)
								 : opencl_refuse(reason, "running kernels", code);
	if (first)
		(void)api->event_release(first);
	if (last)
		(void)api->event_release(last);
	return outcome;
}

static enum bench_outcome work_run(struct bench_work *work, double *elapsed_s, struct bench_reason *reason)
{
	struct opencl_work *made = work->state;
	enum bench_outcome outcome = made->request.cold ? flush_caches(made->session, reason) : BENCH_OK;

	return outcome == BENCH_OK ? opencl_launches_run(&made, 1, elapsed_s, reason) : outcome;
}

static enum bench_outcome work_verify(struct bench_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct opencl_work *made = work->state;
	enum bench_outcome outcome = BENCH_OK;
	double elapsed_s;

	*check = (struct bench_check){.verified = true};
	for (size_t i = made->outputs; i < made->buffer_count && outcome == BENCH_OK; i++)
		outcome = poison(made, i, reason);
	if (outcome == BENCH_OK)
		outcome = opencl_launches_run(&made, 1, &elapsed_s, reason);
	return outcome == BENCH_OK ? made->check(made, check, reason) : outcome;
}

static void work_release(struct bench_work *work)
{
	opencl_work_free(work->state);
	work->state = NULL;
}

void opencl_work_publish(struct opencl_work *made, struct bench_work *work)
{
	work->state = made;
	work->run = work_run;
	work->verify = work_verify;
	work->release = work_release;
}
