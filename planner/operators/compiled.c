#include "planner/operators/physics.h"

/* The host issues only the program itself. Kernels do not become faster after the release of the chip. */
struct physics physics_compiled(const struct physics *physics)
{
	struct physics compiled = *physics;

	compiled.gemm_wave_outputs = compiled_wave_outputs;
	compiled.kernel_gap_s = compiled.host_layer_s = compiled.expert_host_s = compiled.expert_wait_s = compiled.step_fixed_s = 0;
	compiled.overlap = compiled_overlap;
	compiled.link_fraction = compiled_link_fraction;
	compiled.link_latency_s = 0; /* collective.c counts the hops of the torus */
	compiled.expert_fraction = compiled_expert_fraction;
	compiled.expert_gain_per_year = 0;
	compiled.youth = 0;
	return compiled;
}
