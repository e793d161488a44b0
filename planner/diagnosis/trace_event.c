/* Classifies events of a trace by the words that profilers and libraries use. */
#include "planner/diagnosis/trace.h"

static char lower(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

/* True if a lower-case word is in a text; the text's case does not matter. */
static bool contains(const char *text, const char *word)
{
	for (; *text; text++) {
		size_t i = 0;

		while (word[i] && lower(text[i]) == word[i])
			i++;
		if (!word[i])
			return true;
	}
	return false;
}

static bool contains_any(const char *text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (contains(text, words[i]))
			return true;
	return false;
}

/* Kernels and host operators of NCCL, RCCL, oneCCL, Gloo, NVSHMEM, DeepEP, and of engines' own all-reduce. */
static const char *const collective_words[] = {"nccl", "rccl", "oneccl", "nvshmem", "deep_ep", "allreduce", "all_reduce", "allgather",
	"all_gather", "reducescatter", "reduce_scatter", "alltoall", "all_to_all", "cross_device_reduce"};
static const char *const host_collective_words[] = {"gloo:", "c10d::", "mpi:"};

/* Words in names of cuBLAS, CUTLASS, cuDNN, FlashAttention and Triton kernels that multiply matrices. */
static const char *const product_words[] = {"gemm", "cutlass", "cublas", "xmma", "wgmma", "nvjet", "matmul", "flash", "fmha", "attention",
	"conv", "splitk", "winograd", "tensorop"};

/* Words in names of kernels that mainly move tensors through memory. */
static const char *const traffic_words[] = {"elementwise", "vectorized", "reduce_kernel", "norm", "softmax", "multi_tensor", "adam", "copy",
	"catarray", "fill", "index", "gather", "scatter", "embedding", "dropout", "transpose", "cast", "triton_poi", "triton_red", "triton_per",
	"nll_loss", "cross_entropy", "bn_fw", "bn_bw", "nchwtonhwc", "nhwctonchw", "pooling"};

static enum activity kernel_activity(const char *name)
{
	if (contains_any(name, collective_words, COUNT_OF(collective_words)))
		return ACTIVITY_COMMUNICATION;
	if (contains_any(name, product_words, COUNT_OF(product_words)))
		return ACTIVITY_PRODUCT;
	return contains_any(name, traffic_words, COUNT_OF(traffic_words)) ? ACTIVITY_TRAFFIC : ACTIVITY_PRODUCT;
}

static bool is_to_device(const char *name)
{
	return contains(name, "htod") || contains(name, "host -> device") || contains(name, "hosttodevice");
}

static bool is_loader(const char *name)
{
	static const char prefix[] = "enumerate(DataLoader)";

	return strncmp(name, prefix, sizeof prefix - 1) == 0 || (contains(name, "dataloader.py") && contains(name, "__next__"));
}

static bool is_step(const char *name, double *step)
{
	static const char prefix[] = "ProfilerStep#";

	if (strncmp(name, prefix, sizeof prefix - 1) != 0)
		return false;
	*step = 0;
	for (name += sizeof prefix - 1; *name >= '0' && *name <= '9' && *step < 1e15; name++)
		*step = *step * 10 + (*name - '0');
	return true;
}

static enum event_kind host_kind(const char *name, enum activity *activity)
{
	*activity = ACTIVITY_HOST;
	if (contains(name, "synchronize") || strcmp(name, "cudaMemcpy") == 0 || strcmp(name, "hipMemcpy") == 0)
		*activity = ACTIVITY_SYNCHRONISE;
	return EVENT_HOST;
}

bool trace_event_is_launch(const char *name, bool *graph)
{
	static const char *const words[] = {"launch", "memcpy", "memset"};

	*graph = contains(name, "graphlaunch");
	return contains_any(name, words, COUNT_OF(words));
}

static enum event_kind device_kind(const char *category, const char *name, enum activity *activity)
{
	if (contains(category, "memcpy") || contains(category, "memset") || strncmp(name, "Memcpy", 6) == 0 || strncmp(name, "Memset", 6) == 0) {
		*activity = is_to_device(name) ? ACTIVITY_HOST_TO_DEVICE : ACTIVITY_OTHER_COPY;
		return EVENT_COPY;
	}
	*activity = kernel_activity(name);
	return EVENT_KERNEL;
}

enum event_kind trace_event_kind(const char *category, const char *name, bool on_device, enum activity *activity, double *step)
{
	if (contains(category, "gpu_user_annotation"))
		return EVENT_IGNORED;
	if (is_step(name, step))
		return EVENT_STEP;
	if (is_loader(name)) {
		*activity = ACTIVITY_LOADER;
		return EVENT_HOST;
	}
	if (contains(category, "kernel") || contains(category, "memcpy") || contains(category, "memset") || (!*category && on_device))
		return device_kind(category, name, activity);
	if (contains(category, "runtime") || contains(category, "driver"))
		return host_kind(name, activity);
	if (!contains(category, "cpu_op") && !contains(category, "operator") && *category)
		return EVENT_IGNORED;
	*activity = contains_any(name, host_collective_words, COUNT_OF(host_collective_words)) ? ACTIVITY_HOST_COLLECTIVE : ACTIVITY_HOST;
	return EVENT_HOST;
}
