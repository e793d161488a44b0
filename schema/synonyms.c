#include "schema/synonyms.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Fields by dotted name, with the names that Hugging Face, Megatron, DeepSpeed, vLLM, cloud consoles and people use. For
 * a key in several rows, the first row whose field is in the table counts: "batch_size" differs for a training, a
 * service and a replica. */
static const struct {
	const char *field, *keys;
} synonyms[] = {
	{"requests_per_s", "qps rps requests_per_second request_rate rate"},
	{"queries_per_minute", "qpm rpm"},
	{"gpu_count", "gpus num_gpus n_gpus ngpus gpu_num number_of_gpus world_size accelerators_count accelerator_count"},
	{"accelerator", "gpu gpu_type gpu_model gpu_name hardware device instance instance_type accelerator_type"},
	{"gpus_per_node", "gpus_per_instance gpus_per_machine"},
	{"global_batch_size", "batch batch_size train_batch_size global_batch gbs"},
	{"parallelism.max_batch", "batch batch_size max_batch_size max_num_seqs"},
	{"parallelism.micro_batch", "micro_batch_size mbs"},
	{"sequence_length", "seq_len seqlen seq_length max_seq_len context context_length context_window ctx max_position_embeddings block_size"},
	{"prompt_tokens", "context context_length input_tokens input_length isl prompt_length"},
	{"output_tokens", "max_tokens max_new_tokens output_length osl completion_tokens generated_tokens"},
	{"model.params", "params parameters param_count num_params n_params model_size"},
	{"model", "model_name model_id model_type checkpoint"},
	{"tokens", "num_tokens n_tokens training_tokens train_tokens dataset_tokens total_tokens dataset_size"},
	{"epochs", "num_epochs n_epochs num_train_epochs"},
	{"deadline_hours", "deadline hours days deadline_days max_hours"},
	{"budget_usd", "budget max_cost max_usd"},
	{"pricing.usd_per_gpu_hour", "price price_per_hour price_per_gpu_hour usd_per_gpu_hour usd_per_hour cost_per_gpu_hour gpu_price"},
	{"pricing.terms", "spot term terms pricing_model"},
	{"pricing.providers", "providers"},
	{"site.provider", "provider cloud"},
	{"site.region", "region location zone"},
	{"site.country", "country"},
	{"site.grid_gco2e_per_kwh", "carbon_intensity grid_intensity grid_carbon_intensity gco2e_per_kwh"},
	{"site.pue", "pue"},
	{"precision", "dtype data_type torch_dtype quantization quant weight_precision"},
	{"kv_precision", "kv_dtype kv_cache_dtype"},
	{"slo.ttft_ms", "ttft time_to_first_token"},
	{"slo.tpot_ms", "tpot itl inter_token_latency time_per_output_token"},
	{"slo.e2e_ms", "latency latency_ms e2e e2el"},
	{"slo.percentile", "percentile"},
	{"parallelism.tensor", "tp tensor_parallel tensor_parallel_size tensor_model_parallel_size"},
	{"parallelism.pipeline", "pp pipeline_parallel pipeline_parallel_size"},
	{"parallelism.data", "dp data_parallel data_parallel_size"},
	{"parallelism.context", "cp context_parallel context_parallel_size"},
	{"parallelism.expert", "ep expert_parallel expert_parallel_size"},
	{"parallelism.zero_stage", "zero zero_stage fsdp"},
	{"parallelism.recompute", "gradient_checkpointing activation_checkpointing recomputation"},
	{"stack", "framework trainer"},
	{"engine", "framework server backend serving_engine"},
	{"fine_tuning.method", "lora qlora finetuning finetune peft"},
	{"fine_tuning.rank", "lora_rank lora_r rank"},
	{"reliability.mtbf_gpu_hours", "mtbf"},
	{"daily_profile", "profile"},
	{"prefix_cache_hit_rate", "prefix_caching cache_hit_rate"},
	{"speculative", "speculative_decoding draft"},
	{"gpu_count", "replicas nodes"},
	{"concurrency", "batch batch_size users concurrent_requests"},
	{"params", "parameters n_params num_params model_size"},
	{"tensor", "tp tensor_parallel tensor_parallel_size"},
	{"pipeline", "pp pipeline_parallel"},
	{"data", "dp data_parallel"},
	{"expert", "ep expert_parallel"},
	{"context", "cp context_parallel"},
	{"micro_batch", "micro_batch_size mbs"},
	{"max_batch", "batch_size max_batch_size max_num_seqs"},
};

static bool is_among(const char *keys, const char *key)
{
	size_t length = strlen(key);

	for (size_t word; *keys; keys += word + strspn(keys + word, " ")) {
		word = strcspn(keys, " ");
		if (word == length && strncasecmp(keys, key, length) == 0)
			return true;
	}
	return false;
}

/* Writes the pointer of a dotted name. False: the table does not have this field, or it is read-only. */
static bool pointer_of(const struct field_table *table, const char *name, char *pointer, size_t size)
{
	size_t used = 0;

	for (const char *at = name; *at;) {
		char part[64];
		size_t length = strcspn(at, ".");
		void *nowhere = NULL;
		const struct field *row;

		snprintf(part, sizeof part, "%.*s", (int)length, at);
		row = table ? field_find(table, part, &nowhere) : NULL;
		if (!row || row->flags & READ_ONLY || used + length + 2 > size)
			return false;
		used += (size_t)snprintf(pointer + used, size - used, "/%s", part);
		table = row->table;
		at += length + (at[length] == '.');
	}
	return true;
}

/* Finds a member with this key in one of the table's objects. */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as tables nest, which a test bounds. */
static bool find_inside(const struct field_table *table, const char *key, char *pointer, size_t size)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct field *row = &table->rows[i];
		char name[128];

		if (row->kind == FIELD_MERGE && find_inside(row->table, key, pointer, size))
			return true;
		snprintf(name, sizeof name, "%.60s.%.60s", row->key ? row->key : "", key);
		if (row->kind == FIELD_OBJECT && !(row->flags & READ_ONLY) && pointer_of(table, name, pointer, size))
			return true;
	}
	return false;
}

bool synonym_find(const struct field_table *table, const char *key, char *pointer, size_t size)
{
	for (size_t i = 0; i < COUNT_OF(synonyms); i++)
		if (is_among(synonyms[i].keys, key) && pointer_of(table, synonyms[i].field, pointer, size))
			return true;
	return find_inside(table, key, pointer, size);
}
