#include "planner/step/pipeline.h"

/* Returns the layers in chunk `chunk` of `chunks`. The remainder goes to chunks 0, 1, ..., or to 1, 2, ... when the ends
 * get fewer. */
static int chunk_layers(int layers, int chunks, int chunk, bool balance_ends)
{
	int first = balance_ends && chunks > 1 ? 1 : 0, extra = layers % chunks;

	return layers / chunks + (chunk >= first && chunk < first + extra ? 1 : 0);
}

void stages_split(const struct model *model, int pipeline, int interleave, bool balance_ends, struct stages *stages)
{
	int chunks = pipeline * interleave, layer = 0, total = model->layer_count > 0 ? model->layer_count : 1;

	CHECK(pipeline >= 1 && interleave >= 1 && pipeline <= PIPELINE_STAGES_MAX);
	stages->count = pipeline;
	stages->interleave = interleave;
	memset(stages->layers, 0, (size_t)pipeline * sizeof stages->layers[0]);
	for (int chunk = 0; chunk < chunks; chunk++) {
		uint16_t *row = stages->layers[chunk % pipeline];
		int count = chunk_layers(total, chunks, chunk, balance_ends);

		if (model->kind_count <= 1)
			row[0] = (uint16_t)(row[0] + count);
		else
			for (int i = layer; i < layer + count; i++)
				row[model->layers[i]]++;
		layer += count;
	}
}

int stage_layers(const struct stages *stages, int stage)
{
	int layers = 0;

	for (int k = 0; k < MODEL_LAYER_KINDS_MAX; k++)
		layers += stages->layers[stage][k];
	return layers;
}

double stage_kept_share(const struct parallelism *layout, const struct stages *stages, int stage)
{
	if (layout->recompute != RECOMPUTE_FULL || layout->kept_layers <= 0)
		return 0;
	return fmin(1, (double)layout->kept_layers / fmax(1, stage_layers(stages, stage)));
}

double stages_in_flight(const struct stages *stages, int stage, double micro_batches)
{
	double pipeline = stages->count, interleave = stages->interleave, after = pipeline - 1 - stage;

	if (stages->interleave <= 1)
		return fmin(micro_batches, after + 1);
	return fmin(micro_batches, (2 * after + 1 + (interleave - 1) * pipeline) / interleave);
}

double pipeline_time_s(double longest_s, double all_s, double micro_batches, double pipeline, double interleave)
{
	double passes = interleave > 1 ? ceil(micro_batches / pipeline - 1e-9) * pipeline : micro_batches;

	return passes * longest_s + (all_s - longest_s) / interleave;
}
