#include "bench/suite/decode.h"

#include <dlfcn.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "bench/cpu/cpu_pool.h"
#include "bench/random.h"

enum {
	TEXT_BYTES = 1 << 20,
	WORDS = 4096,
	WORD_MAX = 12,
	JPEG_WIDTH = 500,
	JPEG_HEIGHT = 375,
	JPEG_QUALITY = 90,
	JPEG_ALLOWED_ERROR = 64,
	Z_OK_CODE = 0,
	Z_LEVEL = 6,
	TJPF_RGB_CODE = 0,
	TJSAMP_420_CODE = 2
};

struct decode_state {
	void *library;
	struct cpu_pool *pool;
	_Atomic uint64_t *alive;
	_Atomic int wrong; /* number of failed runs */
	unsigned char *plain, *packed;
	unsigned long plain_bytes, packed_bytes;
	unsigned char **outputs; /* one per thread */
	void **decoders;         /* tjhandle of each thread; NULL for zlib */
	int threads;
	bool (*decode)(struct decode_state *state, int index);

	/* zlib 1.x, zlib.h */
	unsigned long (*compress_bound)(unsigned long);
	int (*compress)(unsigned char *, unsigned long *, const unsigned char *, unsigned long, int);
	int (*uncompress)(unsigned char *, unsigned long *, const unsigned char *, unsigned long);

	/* libjpeg-turbo, turbojpeg.h (TurboJPEG 1.2 and later; also in 3.x) */
	void *(*init_compress)(void);
	void *(*init_decompress)(void);
	int (*jpeg_compress)(void *, const unsigned char *, int, int, int, int, unsigned char **, unsigned long *, int, int, int);
	int (*jpeg_decompress)(void *, const unsigned char *, unsigned long, unsigned char *, int, int, int, int, int);
	int (*jpeg_destroy)(void *);
	void (*jpeg_free)(unsigned char *);
};

static bool resolve(void *library, const char *name, void *function)
{
	void *symbol = dlsym(library, name);

	memcpy(function, &symbol, sizeof(symbol)); /* POSIX: the object pointer that dlsym returns can be used as a function pointer */
	return symbol != NULL;
}

static void decode_part(void *context, int index, int threads)
{
	struct decode_state *state = context;

	(void)threads;
	if (!state->decode(state, index))
		atomic_fetch_add(&state->wrong, 1);
	if (state->alive)
		atomic_fetch_add_explicit(state->alive, 1, memory_order_relaxed);
}

static enum bench_outcome decode_run(struct bench_work *work, double *elapsed_s, struct bench_reason *reason)
{
	struct decode_state *state = work->state;
	int64_t start_ns = clock_monotonic_ns();

	cpu_pool_run(state->pool, decode_part, state);
	*elapsed_s = (double)(clock_monotonic_ns() - start_ns) * 1e-9;
	if (atomic_load(&state->wrong))
		return bench_refuse(reason, BENCH_FAILED, "%s failed to decode its own output", work->detail);
	return BENCH_OK;
}

static bool inflate_one(struct decode_state *state, int index)
{
	unsigned long length = state->plain_bytes;

	return state->uncompress(state->outputs[index], &length, state->packed, state->packed_bytes) == Z_OK_CODE && length == state->plain_bytes;
}

static bool jpeg_one(struct decode_state *state, int index)
{
	return state->jpeg_decompress(state->decoders[index], state->packed, state->packed_bytes, state->outputs[index], JPEG_WIDTH, 0,
			   JPEG_HEIGHT, TJPF_RGB_CODE, 0) == 0;
}

/* Inflating must restore every byte. A JPEG of quality 90 may differ slightly. */
static enum bench_outcome decode_verify(struct bench_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct decode_state *state = work->state;
	int allowed = state->decoders ? JPEG_ALLOWED_ERROR : 0;
	enum bench_outcome outcome;
	double elapsed_s;

	*check = (struct bench_check){.verified = true, .samples = state->threads};
	for (int i = 0; i < state->threads; i++)
		memset(state->outputs[i], 0xa5, state->plain_bytes);
	outcome = decode_run(work, &elapsed_s, reason);
	for (int i = 0; i < state->threads; i++) {
		double sum = 0;

		for (size_t b = 0; b < state->plain_bytes; b++) {
			int error = abs((int)state->outputs[i][b] - (int)state->plain[b]);

			sum += error;
			if (!allowed && error)
				check->verified = false;
		}
		/* for a picture, the mean error: single pixels at edges differ much in every JPEG */
		if (sum / (double)state->plain_bytes > allowed / 4.0)
			check->verified = false;
	}
	return outcome;
}

static void decode_release(struct bench_work *work)
{
	struct decode_state *state = work->state;

	if (!state)
		return;
	for (int i = 0; state->decoders && i < state->threads; i++)
		if (state->decoders[i])
			(void)state->jpeg_destroy(state->decoders[i]);
	for (int i = 0; state->outputs && i < state->threads; i++)
		free(state->outputs[i]);
	if (state->pool)
		cpu_pool_free(state->pool);
	if (state->packed && state->jpeg_free)
		state->jpeg_free(state->packed);
	else
		free(state->packed);
	free(state->plain);
	free(state->outputs);
	free(state->decoders);
	if (state->library)
		dlclose(state->library);
	free(state);
	work->state = NULL;
}

/* Writes words of a small vocabulary, frequent ones far more often, as in text. deflate compresses it to about a
 * third. */
static void fill_text(unsigned char *out, size_t bytes)
{
	static const char letters[] = "etaoinshrdlucmfwypvbgkjqxz";
	uint64_t seed = 7;
	size_t at = 0;

	while (at < bytes) {
		uint64_t draw = random_next(&seed), rank = (draw & 0xffffffff) * (draw >> 32) >> 52; /* below WORDS; small ranks are more frequent */
		uint64_t word = rank * 0x9e3779b97f4a7c15u;
		size_t length = 2 + word % (WORD_MAX - 2);

		for (size_t i = 0; i < length && at < bytes; i++, word = word * 6364136223846793005u + 1442695040888963407u)
			out[at++] = (unsigned char)letters[(word >> 40) % 26];
		if (at < bytes)
			out[at++] = ' ';
	}
}

/* Draws slow gradients, edges and noise, so that the JPEG is about as large as a photograph's. */
static void fill_picture(unsigned char *out)
{
	uint64_t seed = 11;

	for (int y = 0; y < JPEG_HEIGHT; y++)
		for (int x = 0; x < JPEG_WIDTH; x++)
			for (int channel = 0; channel < 3; channel++) {
				int slow = (x * (channel + 1) + y * (3 - channel)) / 8 % 160, edge = ((x / 40 + y / 40) & 1) * 40;

				*out++ = (unsigned char)(slow + edge + (int)(random_next(&seed) % 24));
			}
}

/* Creates the threads, their outputs, and the input buffer; false if out of memory. */
static bool decode_init(struct decode_state *state, int threads, size_t plain_bytes, _Atomic uint64_t *alive)
{
	state->threads = threads;
	state->alive = alive;
	state->plain_bytes = plain_bytes;
	state->plain = malloc(plain_bytes);
	state->outputs = calloc((size_t)threads, sizeof(*state->outputs));
	state->pool = cpu_pool_new(threads);
	for (int i = 0; state->outputs && i < threads; i++)
		if (!(state->outputs[i] = malloc(plain_bytes)))
			return false;
	return state->plain && state->outputs && state->pool;
}

static bool pack_text(struct decode_state *state)
{
	state->packed_bytes = state->compress_bound(state->plain_bytes);
	state->packed = malloc(state->packed_bytes);
	fill_text(state->plain, state->plain_bytes);
	return state->packed && state->compress(state->packed, &state->packed_bytes, state->plain, state->plain_bytes, Z_LEVEL) == Z_OK_CODE;
}

static bool pack_picture(struct decode_state *state)
{
	void *encoder = state->init_compress();
	bool packed;

	fill_picture(state->plain);
	packed = encoder &&
		state->jpeg_compress(encoder, state->plain, JPEG_WIDTH, 0, JPEG_HEIGHT, TJPF_RGB_CODE, &state->packed, &state->packed_bytes,
			TJSAMP_420_CODE, JPEG_QUALITY, 0) == 0;
	if (encoder)
		(void)state->jpeg_destroy(encoder);
	state->decoders = calloc((size_t)state->threads, sizeof(*state->decoders));
	for (int i = 0; state->decoders && packed && i < state->threads; i++)
		packed = (state->decoders[i] = state->init_decompress()) != NULL;
	return packed && state->decoders;
}

static enum bench_outcome give_up(struct bench_work *work, struct bench_reason *reason, enum bench_outcome outcome, const char *why)
{
	decode_release(work);
	return bench_refuse(reason, outcome, "%s", why);
}

enum bench_outcome bench_inflate_prepare(int threads, _Atomic uint64_t *alive, struct bench_work *work, struct bench_reason *reason)
{
	struct decode_state *state = calloc(1, sizeof(*state));
	const char *(*version)(void);

	*work = (struct bench_work){.state = state, .run = decode_run, .verify = decode_verify, .release = decode_release};
	if (!state)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	state->library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!state->library || !resolve(state->library, "compressBound", &state->compress_bound) ||
		!resolve(state->library, "compress2", &state->compress) || !resolve(state->library, "uncompress", &state->uncompress) ||
		!resolve(state->library, "zlibVersion", &version))
		return give_up(work, reason, BENCH_UNSUPPORTED, "no zlib found (libz.so.1; Debian: zlib1g)");
	state->decode = inflate_one;
	if (!decode_init(state, threads, TEXT_BYTES, alive) || !pack_text(state))
		return give_up(work, reason, BENCH_FAILED, "out of memory or threads for the inflate test");
	work->bytes = (double)state->plain_bytes * threads;
	snprintf(work->detail, sizeof(work->detail), "zlib %.16s, text to %.0f %%, %d threads", version(),
		100 * (double)state->packed_bytes / (double)state->plain_bytes, threads);
	return BENCH_OK;
}

static bool resolve_jpeg(struct decode_state *state)
{
	void *library = state->library;

	return library && resolve(library, "tjInitCompress", &state->init_compress) && resolve(library, "tjCompress2", &state->jpeg_compress) &&
		resolve(library, "tjInitDecompress", &state->init_decompress) && resolve(library, "tjDecompress2", &state->jpeg_decompress) &&
		resolve(library, "tjDestroy", &state->jpeg_destroy) && resolve(library, "tjFree", &state->jpeg_free);
}

enum bench_outcome bench_jpeg_prepare(int threads, _Atomic uint64_t *alive, struct bench_work *work, struct bench_reason *reason)
{
	struct decode_state *state = calloc(1, sizeof(*state));

	*work = (struct bench_work){.state = state, .run = decode_run, .verify = decode_verify, .release = decode_release, .items = threads};
	if (!state)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	state->library = dlopen("libturbojpeg.so.0", RTLD_NOW | RTLD_LOCAL);
	if (!resolve_jpeg(state))
		return give_up(work, reason, BENCH_UNSUPPORTED, "no libjpeg-turbo found (libturbojpeg.so.0; Debian: libturbojpeg0)");
	state->decode = jpeg_one;
	if (!decode_init(state, threads, (size_t)JPEG_WIDTH * JPEG_HEIGHT * 3, alive) || !pack_picture(state))
		return give_up(work, reason, BENCH_FAILED, "out of memory or threads for the JPEG test, or the picture cannot be encoded");
	snprintf(work->detail, sizeof(work->detail), "libjpeg-turbo, %d x %d, %.0f kB, %d threads", JPEG_WIDTH, JPEG_HEIGHT,
		(double)state->packed_bytes / 1000, threads);
	return BENCH_OK;
}
