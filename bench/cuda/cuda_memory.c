/* Memory of a session: operands that all work shares, filled with random numbers that the host can reproduce. */
#include "bench/cuda/cuda_format.h"
#include "bench/cuda/cuda_session.h"
#include "bench/random.h"

/* Share of the free memory that may be used: the library's workspaces and other users of the board need some. */
#define SHARE_OF_FREE 0.92

static void release(struct bench_session *session, struct cuda_operand *operand)
{
	if (operand->at)
		(void)session->driver.memory_free(operand->at);
	*operand = (struct cuda_operand){0};
}

/* Releases all operands except those of the current preparation. Call only while no prepared work uses them. */
static void release_operands(struct bench_session *session, unsigned but_used)
{
	for (int role = 0; role < ROLE_COUNT; role++)
		for (int format = 0; format < FORMAT_COUNT; format++)
			if (session->operands[role][format].used != but_used)
				release(session, &session->operands[role][format]);
}

static enum bench_outcome fits(struct bench_session *session, size_t bytes, struct bench_reason *reason)
{
	size_t free_bytes = 0, total_bytes = 0;
	enum bench_outcome outcome = cuda_session_judge(
		session, session->driver.memory_info(&free_bytes, &total_bytes), "the free memory", reason);

	if (outcome == BENCH_OK && (double)bytes > SHARE_OF_FREE * (double)free_bytes)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "%.2f GiB do not fit the device's %.2f GiB of free memory", (double)bytes / 0x1p30,
			(double)free_bytes / 0x1p30);
	return outcome;
}

enum bench_outcome cuda_memory_need(struct bench_session *session, struct cuda_operand *operand, size_t bytes, struct bench_reason *reason)
{
	enum bench_outcome outcome;
	int code;

	operand->used = session->preparing;
	if (operand->bytes >= bytes)
		return BENCH_OK;
	release(session, operand);
	outcome = fits(session, bytes, reason);
	if (outcome == BENCH_UNSUPPORTED && session->live == 0) {
		release_operands(session, session->preparing);
		outcome = fits(session, bytes, reason);
	}
	if (outcome != BENCH_OK)
		return outcome;
	code = session->driver.memory_new(&operand->at, bytes);
	if (code == CUDA_OUT_OF_MEMORY) /* another process was faster, or the memory is fragmented: the device is not at fault */
		return bench_refuse(reason, BENCH_UNSUPPORTED, "cannot allocate %.2f GiB: %s (%d)", (double)bytes / 0x1p30,
			cuda_driver_code_name(&session->driver, code), code);
	outcome = cuda_session_judge(session, code, "memory of the device", reason);
	*operand = outcome == BENCH_OK ? (struct cuda_operand){operand->at, bytes, session->preparing} : (struct cuda_operand){0};
	return outcome;
}

enum bench_outcome cuda_upload(struct bench_session *session, cuda_pointer to, const void *from, size_t bytes, struct bench_reason *reason)
{
	int code = session->driver.copy_in(to, from, bytes);

	if (code == CUDA_OK)
		code = session->driver.context_synchronize();
	return cuda_session_judge(session, code, "copying to the device", reason);
}

/* Number i of a role: draw i of its seed, whose state grows by a constant at each draw. */
static double normal_at(enum cuda_role role, size_t i)
{
	float value;

	random_fill_normal(&value, 1, (role == ROLE_B ? 3 : 2) + i * 0x9e3779b97f4a7c15u);
	return (double)value;
}

/* Uploads one period of the numbers, then copies it on the device until the operand is full. This saves bus
 * transfers and host time. */
static enum bench_outcome fill_input(
	struct bench_session *session, enum cuda_role role, enum cuda_format format, size_t count, struct bench_reason *reason)
{
	const struct cuda_driver *driver = &session->driver;
	cuda_pointer at = session->operands[role][format].at;
	size_t size = cuda_format_bytes(format), done = count < CUDA_PERIOD ? count : CUDA_PERIOD;
	unsigned char *encoded = malloc(done * size);
	enum bench_outcome outcome;

	if (!encoded)
		return bench_refuse(reason, BENCH_FAILED, "out of memory for random numbers");
	for (size_t i = 0; i < done; i++)
		cuda_format_encode(format, normal_at(role, i), encoded + i * size);
	outcome = cuda_upload(session, at, encoded, done * size, reason);
	free(encoded);
	while (outcome == BENCH_OK && done < count) {
		size_t more = count - done < done ? count - done : done;

		outcome = cuda_session_judge(
			session, driver->copy_within_async(at + done * size, at, more * size, session->stream), "copying random numbers", reason);
		done += more;
	}
	return outcome == BENCH_OK ? cuda_session_wait(session, reason) : outcome;
}

enum bench_outcome cuda_operand_need(
	struct bench_session *session, enum cuda_role role, enum cuda_format format, size_t count, struct bench_reason *reason)
{
	struct cuda_operand *operand = &session->operands[role][format];
	size_t bytes = count * cuda_format_bytes(format), before = operand->bytes;
	enum bench_outcome outcome = cuda_memory_need(session, operand, bytes, reason);

	if (outcome == BENCH_OK && operand->bytes != before && (role == ROLE_A || role == ROLE_B)) {
		outcome = fill_input(session, role, format, count, reason);
		if (outcome != BENCH_OK)
			release(session, operand); /* must not count as filled */
	}
	return outcome;
}

cuda_pointer cuda_operand(const struct bench_session *session, enum cuda_role role, enum cuda_format format)
{
	return session->operands[role][format].at;
}

double cuda_input_value(enum cuda_role role, enum cuda_format format, size_t i)
{
	unsigned char encoded[8];

	cuda_format_encode(format, normal_at(role, i % CUDA_PERIOD), encoded);
	return cuda_format_decode(format, encoded);
}

enum bench_outcome cuda_output_read(
	struct bench_session *session, cuda_pointer at, enum cuda_format format, size_t i, double *value, struct bench_reason *reason)
{
	unsigned char encoded[8] = {0};
	size_t size = cuda_format_bytes(format);
	enum bench_outcome outcome = cuda_session_judge(
		session, session->driver.copy_out(encoded, at + i * size, size), "reading an output", reason);

	*value = cuda_format_decode(format, encoded);
	return outcome;
}

enum bench_outcome cuda_operand_poison(struct bench_session *session, cuda_pointer at, size_t bytes, struct bench_reason *reason)
{
	return cuda_session_judge(session, session->driver.fill_bytes_async(at, 0xff, bytes, session->stream), "poisoning the outputs", reason);
}

void cuda_memory_release(struct bench_session *session)
{
	release_operands(session, 0); /* 0 is not the number of a preparation, so this releases all */
	release(session, &session->flush);
	release(session, &session->workspace);
	release(session, &session->one);
}
