#include <math.h>

#include "planner/operators/physics.h"

/* What differs where a whole step is one program (Jouppi et al. 2023, arXiv 2304.01433, of TPU v4: memory of other chips is read and written
 * beside the arithmetic; 128 MiB of scratch memory that the compiler fills ahead). Set by hand and not fitted, beside the constants that
 * physics.h lists: overlap and link fraction, and the ceilings of device.c, were chosen on the eighteen runs of suite maxtext. */
static const double compiled_wave_outputs = 1.3e5;     /* 512 x 256, half of two tiles of that size; none is published; 6e4 to 5e5 */
static const double compiled_step_s = 1e-3;            /* one program is started; none is published; 1e-4 to 5e-3 */
static const double compiled_overlap = 0.8;            /* suite maxtext; 0.6 to 0.95 */
static const double compiled_link_fraction = 0.9;      /* rings of neighbours that no processor drives; suite maxtext; 0.6 to 0.95 */
static const double compiled_link_latency_s = 5e-6;    /* the least that physics.h takes for a collective of NCCL, about; 1e-6 to 2e-5 */

struct physics physics_compiled(const struct physics *physics)
{
	struct physics compiled = *physics;

	compiled.gemm_wave_outputs = compiled_wave_outputs;
	compiled.kernel_gap_s = compiled.host_layer_s = compiled.expert_host_s = compiled.expert_wait_s = 0;
	compiled.step_fixed_s = fmin(physics->step_fixed_s, compiled_step_s);
	compiled.overlap = compiled_overlap;
	compiled.link_fraction = compiled_link_fraction;
	compiled.link_latency_s = compiled_link_latency_s;
	compiled.youth = 0;
	return compiled;
}
