#include "planner/step/software.h"

#include <string.h>

#include "planner/step/pairs.h"

/* Each stack's name, and the newest release with published measurements. The behaviour follows the projects'
 * documentation and papers: unfused attention until Megatron adopted flash attention in late 2022; no overlap of
 * gradient reduction before Megatron-LM's distributed optimizer of 2023; ZeRO-2 and 3 do not work with pipelines in
 * DeepSpeed (its documentation: pipeline tutorial), and not at all in Megatron-LM; DeepSpeed's 16-bit gradients and
 * unsharded buffers follow from BLOOM's memory figures (Scao et al. 2022, section 3.2). */
struct stack_row {
	const char *name, *newest;
	bool own_attention, hides_data, hides_tensor, hides_pipeline, balances_ends, blocks;
	int zero_most, zero_most_piped;
};

static const struct stack_row stacks[STACK_COUNT] = {
	[STACK_UNSET] = {"", "2025-06", true, true, false, true, true, false, 3, 3},
	[STACK_GENERIC] = {"generic", "2025-06", true, true, false, true, true, false, 3, 3},
	[STACK_MEGATRON_LM] = {"megatron_lm", "2024-06", false, true, false, true, false, false, 1, 1},
	[STACK_MEGATRON_DEEPSPEED] = {"megatron_deepspeed", "2022-06", false, false, false, false, false, false, 3, 1},
	[STACK_MEGATRON_CORE] = {"megatron_core", "2026-08", true, true, true, true, true, false, 3, 1},
	[STACK_FSDP] = {"fsdp", "2023-10", true, true, false, false, false, true, 3, 3},
	[STACK_TORCHTITAN] = {"torchtitan", "2025-06", false, true, true, true, false, true, 3, 3},
	[STACK_INTERNEVO] = {"internevo", "2024-01", false, true, false, false, false, false, 3, 1},
	[STACK_MAXTEXT] = {"maxtext", "2025-06", true, true, true, true, false, true, 3, 3},
	/* DeepSeek's, with DualPipe, DeepEP and DeepGEMM, which it published (arXiv 2412.19437). `generic` behaves the same,
	 * and is never faster than the best software with a name. */
	[STACK_HAI_LLM] = {"hai_llm", "2025-06", true, true, false, true, true, false, 3, 3},
};

_Static_assert((int)PHYSICS_STACKS == (int)STACK_COUNT, "one speed for each stack");

static const double fused_attention_year = 2022.75;        /* flash attention in Megatron-LM and DeepSpeed forks: autumn 2022 */
static const double torch_attention_year = 2023.2;         /* scaled_dot_product_attention: PyTorch 2.0, March 2023 */
static const double own_attention_year = 2024.0;           /* cuDNN attention in Transformer Engine 1.0 and later */
static const double overlapped_data_year = 2023.0;         /* Megatron-LM 3.0.2 */
static const double reference_year = 2024.5;               /* releases are compared with mid 2024, the middle of the measurements */
static const double fade_years = 2, least_age_years = 0.5; /* a new accelerator's figures are published half a year after it at the earliest */
static const double merged_copies_year = 2025.4;           /* DeepEP, February 2025, and its adoption */
static const double hidden_expert_year = 2025.8;           /* Megatron Core 0.14; its H100 recipes still expose what crosses machines */
static const double published_experts_year = 2025.15;      /* DualPipe, DeepEP, DeepGEMM: DeepSeek, February 2025 (arXiv 2412.19437) */
static const double graphs_year = 2025.3;                  /* CUDA graphs in Megatron Core's recipes */
static const double whole_masters_year = 2025.0;           /* Megatron Core's own distributed optimizer in NeMo 2 */
static const double expert_weights_year = 2025.4; /* Megatron Core 0.12 multiplies by the routing weights inside the activation: outputs are not kept */
static const double fused_experts_year = 2026.4; /* grouped products that cast their operands, for Blackwell: Megatron-Bridge 26.06 */
static const double expert_graphs_year = 2026.3; /* graphs over experts too: Megatron Core's recipes of spring 2026 */
static const double graphs_host_factor = 0.3;
static const double expert_reference_year = 2026; /* grouped products: most of the measurements are of 2025-09 to 2026-08 */
static const double earliest_expert_year = 2024.5;
static const double earliest_gain_year = 2023.5, latest_gain_year = 2026.75;

/* Converts "2025-05" to 2025.375, the middle of the month; 0 if it is not such a date. */
static double release_year(const char *release)
{
	int year, month;

	if (!release || sscanf(release, "%4d-%2d", &year, &month) != 2 || month < 1 || month > 12)
		return 0;
	return year + (month - 0.5) / 12;
}

/* Kernels for a new accelerator mature over years: FlashAttention-3 came two years after the H100 (Shah et al. 2024,
 * arXiv 2407.08608), and reached twice its predecessor's share of the peak. */
static double software_maturity(double year, int64_t accelerator_year, double youth)
{
	double age = accelerator_year > 0 ? fmax(least_age_years, year - (double)accelerator_year - 0.5) : fade_years;

	return 1 - youth * exp(-age / fade_years);
}

/* Factors of stacks that were measured only with unfused attention (Megatron-LM: Narayanan et al. 2021 to Korthikanti
 * et al. 2022; DeepSpeed: BLOOM and vTrain of 2022) hold for those kernels. With fused attention such a stack counts
 * no faster than `generic`, the middle one of the stacks measured with it. */
static double stack_factor(enum stack stack, const struct software *software, const struct physics *physics)
{
	bool unfused_only = stack == STACK_MEGATRON_LM || stack == STACK_MEGATRON_DEEPSPEED;

	return unfused_only && software->fused_attention ? fmin(physics->stack_speed[stack], physics->stack_speed[STACK_GENERIC])
													 : physics->stack_speed[stack];
}

static void software_memory(enum stack stack, enum precision precision, struct software *software)
{
	bool torch_alone = stack == STACK_MEGATRON_DEEPSPEED || stack == STACK_FSDP || stack == STACK_TORCHTITAN || stack == STACK_INTERNEVO;

	bool wide = precision == PRECISION_FP32 || precision == PRECISION_TF32;

	software->gradient_bytes = 4;
	/* PyTorch's allocator keeps up to a fifth of the memory that tensors free, and gives it back only when memory is short
	 * (TorchTitan's and BLOOM's reserved peaks over their tensors); buffers that are placed once keep nothing. */
	software->spare = torch_alone ? 0.15 : 0;
	software->alternates = stacks[stack].blocks && stack != STACK_MAXTEXT;
	software->sends_copies = stack == STACK_MEGATRON_DEEPSPEED;
	/* A vocabulary-parallel or fused loss works in place on one 32-bit copy; TorchTitan's of 2024 keeps the 16-bit logits, their
	 * 32-bit copy and its gradient (its reported peaks at 8 thousand to 262 thousand tokens). */
	software->logits_bytes = stack == STACK_TORCHTITAN ? 10 : 4;
	/* Recipes for 8 and 4 bits reduce 16-bit gradients: NeMo's grad_sync_dtype, Megatron-Bridge's grad_reduce_in_fp32 = False. */
	if (stack == STACK_MEGATRON_CORE && precision_weight_bytes(precision) < 2)
		software->gradient_bytes = 2;
	/* NeMo's distributed optimizer of 2024 keeps only the half of a 32-bit master weight that its 16-bit copy lacks
	 * (store_param_remainders). */
	if (stack == STACK_MEGATRON_CORE && precision_weight_bytes(precision) < 2 && software->year < whole_masters_year)
		software->remainder_bytes = 2;
	if (stack != STACK_MEGATRON_DEEPSPEED)
		return;
	/* FP16: 2 weights + 2 gradients + 0.4; BF16: its optimizer keeps 32-bit gradients and 3.6 bytes more, unsharded. */
	software->gradient_bytes = precision == PRECISION_FP16 ? 2 : 4;
	software->unsharded_bytes = precision == PRECISION_FP16 ? 0.4 : wide ? 0 : 3.6;
}

struct software software_of(
	enum stack stack, const char *release, enum precision precision, int64_t accelerator_year, const struct physics *physics)
{
	const struct stack_row *row = &stacks[stack];
	double year = release_year(release), gain_years;
	bool published; /* software without a name uses everything that is published */
	struct software software = {.name = row->name, .year = year > 0 ? year : release_year(row->newest)};

	published = (stack <= STACK_GENERIC || stack == STACK_HAI_LLM) && software.year >= published_experts_year;
	software.fused_attention = software.year >= fused_attention_year;
	gain_years = fmin(fmax(software.year, earliest_gain_year), latest_gain_year) - reference_year;
	software.speed = software_maturity(software.year, accelerator_year, physics->youth) * stack_factor(stack, &software, physics) *
		exp(physics->release_gain_per_year * gain_years);
	software.expert_speed = exp(
		physics->expert_gain_per_year * (fmin(fmax(software.year, earliest_expert_year), latest_gain_year) - expert_reference_year));
	software.fused_experts = (stack == STACK_MEGATRON_CORE && software.year >= fused_experts_year && accelerator_year >= 2024) ||
		(published && accelerator_year >= 2022);
	software.keeps_expert_outputs = software.year < expert_weights_year;
	software.attention_speed = accelerator_year >= 2022 && !(row->own_attention && software.year >= own_attention_year)
		? physics->flash2_fraction
		: 1;
	software.hides_data = row->hides_data && software.year >= overlapped_data_year;
	software.hides_tensor = row->hides_tensor;
	software.hides_pipeline = row->hides_pipeline && software.year >= overlapped_data_year;
	software.hides_expert_across = published;
	software.hides_expert_inside = published || (stack == STACK_MEGATRON_CORE && software.year >= hidden_expert_year);
	software.waits_for_counts = !published;
	software.merges_copies = software.year >= merged_copies_year;
	software.balances_ends = row->balances_ends;
	software.zero_most = row->zero_most;
	software.zero_most_piped = row->zero_most_piped;
	software.blocks = row->blocks;
	software.expert_host_factor = software.year >= expert_graphs_year ? graphs_host_factor : 1;
	software.host_factor = stack == STACK_MEGATRON_CORE && software.year >= graphs_year ? graphs_host_factor : 1;
	software.single_tensors = stack == STACK_INTERNEVO;
	software.synchronise_s = stack == STACK_MEGATRON_DEEPSPEED ? physics->synchronise_s : 0;
	software.separate_adapters = stack <= STACK_GENERIC || stack == STACK_HAI_LLM || stack == STACK_MEGATRON_DEEPSPEED ||
		stack == STACK_FSDP || stack == STACK_TORCHTITAN;
	software.submodules = stack == STACK_MEGATRON_DEEPSPEED;
	software.narrow_speed = 1;
	software.score_traffic = 1;
	software_memory(stack, precision, &software);
	return software;
}

void software_of_published_model(enum stack stack, struct software *software)
{
	if (stack > STACK_GENERIC || software->year >= torch_attention_year)
		return;
	software->fused_attention = false;
	software->score_traffic = eager_scores;
}

void software_on(enum stack stack, const struct accelerator *accelerator, struct software *software)
{
	const char *kin = accelerator_kin(accelerator);
	bool torch = stack == STACK_FSDP || stack == STACK_TORCHTITAN;

	if (torch && accelerator->vendor && strcmp(accelerator->vendor, "amd") == 0) {
		software->speed *= torch_on_amd;
		software->narrow_speed = torch_on_amd_narrow;
	}
	software->fuses_adapters = kin && strncmp(kin, "gaudi", 5) == 0;
}

const char *stack_name(enum stack stack)
{
	return stacks[stack].name;
}

const char *stack_newest_release(enum stack stack)
{
	return stacks[stack].newest;
}
