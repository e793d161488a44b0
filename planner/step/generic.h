/* Constants that replace the kernels of a network other than a transformer, of which only FLOPs and activations are
 * known (E158). */
#ifndef FLEETPLAN_PLANNER_STEP_GENERIC_H
#define FLEETPLAN_PLANNER_STEP_GENERIC_H

/* Set by hand on ResNet-50's published rates (suite resnet50). Columns: member, value, least, most, meaning, source. */
#define GENERIC_CONSTANTS(X) \
	X(generic_fraction, 0.6, 0.4, 1, "rate of a network's products and convolutions, as a share of the rate of large matrix products", \
		"905 to 2,470 images/s of ResNet-50 on an accelerator") \
	X(generic_moves, 3.5, 2, 6, \
		"how often the forward pass moves a kept activation through memory (write, normalise, read); the backward pass moves it twice as often", \
		"905 to 2,470 images/s of ResNet-50 on an accelerator; fused kernels move it twice, one kernel for each operation six times")

#define GENERIC_VALUE(member_, value_, least_, most_, meaning_, source_) static const double member_ __attribute__((unused)) = value_;
GENERIC_CONSTANTS(GENERIC_VALUE)
#undef GENERIC_VALUE

#endif
