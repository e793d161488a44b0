/* Multiply-adds on registers only: an upper bound of the device's compute rate.
 *
 * Pairs of numbers move on an ellipse: x += a y, then y -= a x, one multiply-add each. They neither grow nor vanish,
 * so their bits keep changing, and double precision can reproduce them. Eight pairs per work-item hide the latency. */
#define ISSUE_PAIRS 8
#define ISSUE_STEPS 16 /* steps of each pair in one round */

/* out[item] = the final sum of all pairs. Pair j of an item begins at (1, (item + j + 1) mod 64 / 64). */
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

/* The same with two pairs at a time, for devices with packed half precision: pair j here is pairs 2 j and 2 j + 1
 * above. */
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
