/* Multiply-adds on registers alone: an upper bound of what the device computes.
 *
 * Pairs of numbers turn on an ellipse: x += a y, then y -= a x, each one multiply-add. They neither grow nor die away, so their bits
 * keep changing for as long as it runs, and double precision can follow. Eight pairs a work-item hide the latency. */
#define ISSUE_PAIRS 8
#define ISSUE_STEPS 16 /* of each pair in one round */

/* out[item] = sum of all pairs at the end. Pair j of an item begins at (1, (item + j + 1) mod 64 / 64). */
KERNEL void issue_fp32(__global float *out, uint rounds, float a)
{
	float x[ISSUE_PAIRS], y[ISSUE_PAIRS], sum = 0;
	uint item = (uint)item_first();

#pragma unroll
	for (uint j = 0; j < ISSUE_PAIRS; j++) {
		x[j] = 1;
		y[j] = (float)((item + j + 1) % 64) / 64;
	}
	for (uint round = 0; round < rounds; round++)
#pragma unroll
		for (uint step = 0; step < ISSUE_STEPS; step++)
#pragma unroll
			for (uint j = 0; j < ISSUE_PAIRS; j++) {
				x[j] = x[j] + a * y[j];
				y[j] = y[j] - a * x[j];
			}
#pragma unroll
	for (uint j = 0; j < ISSUE_PAIRS; j++)
		sum += x[j] + y[j];
	out[item] = sum;
}

#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

/* The same two at a time, as devices with packed half precision want it: pair j is lanes 2 j and 2 j + 1. */
KERNEL void issue_fp16(__global float *out, uint rounds, float a)
{
	half2 x[ISSUE_PAIRS], y[ISSUE_PAIRS], turn = (half2)((half)a, (half)a);
	uint item = (uint)item_first();
	float sum = 0;

#pragma unroll
	for (uint j = 0; j < ISSUE_PAIRS; j++) {
		x[j] = (half2)((half)1, (half)1);
		y[j] = (half2)((half)((float)((item + 2 * j + 1) % 64) / 64), (half)((float)((item + 2 * j + 2) % 64) / 64));
	}
	for (uint round = 0; round < rounds; round++)
#pragma unroll
		for (uint step = 0; step < ISSUE_STEPS; step++)
#pragma unroll
			for (uint j = 0; j < ISSUE_PAIRS; j++) {
				x[j] = x[j] + turn * y[j];
				y[j] = y[j] - turn * x[j];
			}
#pragma unroll
	for (uint j = 0; j < ISSUE_PAIRS; j++)
		sum += (float)x[j].x + (float)x[j].y + (float)y[j].x + (float)y[j].y;
	out[item] = sum;
}
#endif
