/* Memory of the cpu backend: whole pages, matrices that the parts of a sequence share, scratch of the threads. */
#include <sys/mman.h>

#include "bench/cpu/cpu_gemm.h"
#include "bench/cpu/cpu_info.h"
#include "bench/cpu/cpu_session.h"
#include "bench/random.h"

void *cpu_memory_map(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	(void)!madvise(memory, bytes, MADV_HUGEPAGE);
	return memory;
}

void cpu_memory_unmap(void *memory, size_t bytes)
{
	if (memory)
		munmap(memory, bytes);
}

size_t cpu_line_floats(size_t floats)
{
	size_t line = CPU_KERNEL_ALIGNMENT / sizeof(float);

	return (floats + line - 1) / line * line;
}

bool cpu_matrices_take(struct bench_session *session, size_t operand_floats, size_t output_floats, struct cpu_matrices *matrices)
{
	size_t bytes = (operand_floats + output_floats) * sizeof(float);

	if (session->shared) {
		*matrices = *session->shared;
		return operand_floats <= matrices->operand_floats && output_floats <= matrices->output_floats;
	}
	*matrices = (struct cpu_matrices){.operand_floats = operand_floats, .output_floats = output_floats};
	if ((double)bytes > cpu_info_available_bytes() / 2)
		return false;
	matrices->operands = cpu_memory_map(bytes);
	if (!matrices->operands)
		return false;
	matrices->outputs = matrices->operands + operand_floats;
	random_fill_normal(matrices->operands, operand_floats, 2);
	return true;
}

void cpu_matrices_give(const struct bench_session *session, struct cpu_matrices *matrices)
{
	if (!session->shared || session->shared->operands != matrices->operands)
		cpu_memory_unmap(matrices->operands, (matrices->operand_floats + matrices->output_floats) * sizeof(float));
	*matrices = (struct cpu_matrices){0};
}

bool cpu_panels_ready(struct bench_session *session)
{
	size_t threads = (size_t)cpu_pool_threads(session->pool), floats = cpu_line_floats(cpu_gemm_panel_floats());
	float *memory;

	if (session->panels)
		return true;
	memory = cpu_memory_map(threads * floats * sizeof(float));
	session->panels = memory ? calloc(threads, sizeof(*session->panels)) : NULL;
	if (!session->panels) {
		cpu_memory_unmap(memory, threads * floats * sizeof(float));
		return false;
	}
	for (size_t i = 0; i < threads; i++)
		session->panels[i] = memory + i * floats;
	return true;
}

void cpu_panels_release(struct bench_session *session)
{
	size_t threads = (size_t)cpu_pool_threads(session->pool), floats = cpu_line_floats(cpu_gemm_panel_floats());

	if (session->panels)
		cpu_memory_unmap(session->panels[0], threads * floats * sizeof(float));
	free(session->panels);
	session->panels = NULL;
}

#ifdef __x86_64__
#include <emmintrin.h>

void cpu_cache_flush(const void *memory, size_t bytes)
{
	const char *at = memory;

	for (size_t i = 0; i < bytes; i += CPU_KERNEL_ALIGNMENT)
		_mm_clflush(at + i);
	_mm_mfence();
}
#elif defined(__aarch64__)
void cpu_cache_flush(const void *memory, size_t bytes)
{
	const char *at = memory;

	for (size_t i = 0; i < bytes; i += CPU_KERNEL_ALIGNMENT)
		__asm__ volatile("dc civac, %0" : : "r"(at + i) : "memory");
	__asm__ volatile("dsb sy" : : : "memory");
}
#else
void cpu_cache_flush(const void *memory, size_t bytes)
{
	(void)memory;
	(void)bytes;
}
#endif
