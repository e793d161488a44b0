/* Memory of a session: operands that all work shares, filled with random numbers that the host can follow. */
#include <math.h>

#include "bench/cuda_format.h"
#include "bench/cuda_session.h"
#include "bench/random.h"

/* Of what is free: the library's own workspaces and the other tenants of a board need some. */
#define SHARE_OF_FREE 0.92

static void release(struct bench_session *session, struct cuda_operand *operand)
{
	if (operand->at)
		(void)session->driver.memory_free(operand->at);
	*operand = (struct cuda_operand){0};
}

/* All operands; only while nothing is prepared that would miss them. */
static void release_operands(struct bench_session *session)
{
	for (int role = 0; role < ROLE_COUNT; role++)
		for (int format = 0; format < FORMAT_COUNT; format++)
			release(session, &session->operands[role][format]);
}

static enum bench_outcome fits(struct bench_session *session, size_t bytes, struct bench_reason *reason)
{
	size_t free_bytes = 0, total_bytes = 0;
	enum bench_outcome outcome =
		cuda_session_judge(session, session->driver.memory_info(&free_bytes, &total_bytes), "the free memory", reason);

	if (outcome == BENCH_OK && (double)bytes > SHARE_OF_FREE * (double)free_bytes)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "%.2f GiB do not fit the device's %.2f GiB of free memory",
			(double)bytes / 0x1p30, (double)free_bytes / 0x1p30);
	return outcome;
}

enum bench_outcome cuda_memory_need(struct bench_session *session, struct cuda_operand *operand, size_t bytes, struct bench_reason *reason)
{
	enum bench_outcome outcome;
	int code;

	if (operand->bytes >= bytes)
		return BENCH_OK;
	release(session, operand);
	outcome = fits(session, bytes, reason);
	if (outcome == BENCH_UNSUPPORTED && session->live == 0) {
		release_operands(session);
		outcome = fits(session, bytes, reason);
	}
	if (outcome != BENCH_OK)
		return outcome;
	code = session->driver.memory_new(&operand->at, bytes);
	if (code == CUDA_OUT_OF_MEMORY) /* somebody else was faster, or it is in pieces: no fault of the device */
		return bench_refuse(reason, BENCH_UNSUPPORTED, "%.2f GiB cannot be had: %s (%d)", (double)bytes / 0x1p30,
			cuda_driver_code_name(&session->driver, code), code);
	outcome = cuda_session_judge(session, code, "memory of the device", reason);
	if (outcome == BENCH_OK)
		operand->bytes = bytes;
	else
		operand->at = 0;
	return outcome;
}

/* Random numbers of a role, made when first asked for. */
static const float *pool_of(struct bench_session *session, enum cuda_role role)
{
	int which = role == ROLE_B;

	if (!session->pools[which]) {
		session->pools[which] = malloc(CUDA_POOL_COUNT * sizeof(float));
		if (session->pools[which])
			random_fill_normal(session->pools[which], CUDA_POOL_COUNT, role == ROLE_B ? 3 : 2);
	}
	return session->pools[which];
}

/* One period of the numbers, then copies of what is there until it is full: the bus carries little and the host computes little. */
static enum bench_outcome fill_input(struct bench_session *session, enum cuda_role role, enum cuda_format format, size_t count,
	struct bench_reason *reason)
{
	const struct cuda_driver *driver = &session->driver;
	cuda_pointer at = session->operands[role][format].at;
	size_t size = cuda_format_bytes(format), done = count < CUDA_POOL_COUNT ? count : CUDA_POOL_COUNT;
	const float *pool = pool_of(session, role);
	unsigned char *encoded = pool ? malloc(done * size) : NULL;
	enum bench_outcome outcome;

	if (!encoded)
		return bench_refuse(reason, BENCH_FAILED, "out of memory for random numbers");
	for (size_t i = 0; i < done; i++)
		cuda_format_encode(format, (double)pool[i], encoded + i * size);
	outcome = cuda_session_judge(session, driver->copy_in(at, encoded, done * size), "copying random numbers", reason);
	free(encoded);
	while (outcome == BENCH_OK && done < count) {
		size_t more = count - done < done ? count - done : done;

		outcome = cuda_session_judge(session, driver->copy_within_async(at + done * size, at, more * size, session->stream),
			"copying random numbers", reason);
		done += more;
	}
	return outcome == BENCH_OK ? cuda_session_wait(session, reason) : outcome;
}

enum bench_outcome cuda_operand_need(struct bench_session *session, enum cuda_role role, enum cuda_format format, size_t count,
	struct bench_reason *reason)
{
	struct cuda_operand *operand = &session->operands[role][format];
	size_t bytes = count * cuda_format_bytes(format), before = operand->bytes;
	enum bench_outcome outcome = cuda_memory_need(session, operand, bytes, reason);

	if (outcome == BENCH_OK && operand->bytes != before && (role == ROLE_A || role == ROLE_B)) {
		outcome = fill_input(session, role, format, count, reason);
		if (outcome != BENCH_OK)
			release(session, operand); /* not to be taken for filled */
	}
	return outcome;
}

cuda_pointer cuda_operand(const struct bench_session *session, enum cuda_role role, enum cuda_format format)
{
	return session->operands[role][format].at;
}

double cuda_input_value(const struct bench_session *session, enum cuda_role role, enum cuda_format format, size_t i)
{
	unsigned char encoded[8];

	cuda_format_encode(format, (double)session->pools[role == ROLE_B][i % CUDA_POOL_COUNT], encoded);
	return cuda_format_decode(format, encoded);
}

enum bench_outcome cuda_output_read(struct bench_session *session, cuda_pointer at, enum cuda_format format, size_t i, double *value,
	struct bench_reason *reason)
{
	unsigned char encoded[8] = {0};
	size_t size = cuda_format_bytes(format);
	enum bench_outcome outcome = cuda_session_judge(session, session->driver.copy_out(encoded, at + i * size, size),
		"reading an output", reason);

	*value = cuda_format_decode(format, encoded);
	return outcome;
}

enum bench_outcome cuda_operand_poison(struct bench_session *session, cuda_pointer at, size_t bytes, struct bench_reason *reason)
{
	return cuda_session_judge(session, session->driver.fill_bytes_async(at, 0xff, bytes, session->stream), "poisoning the outputs", reason);
}

void cuda_memory_release(struct bench_session *session)
{
	release_operands(session);
	release(session, &session->flush);
	release(session, &session->workspace);
	release(session, &session->one);
	for (size_t i = 0; i < COUNT_OF(session->pools); i++) {
		free(session->pools[i]);
		session->pools[i] = NULL;
	}
}
