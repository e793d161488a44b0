#include "planner/footprint/carbon.h"

#include "base/units.h"
#include "planner/interval.h"

/* NVIDIA 2025, Product Carbon Footprint of HGX H100: 1,312 kgCO2e for eight; memory 42 %, integrated circuits 25 %. */
static const double h100_nvidia_kgco2e = 164, h100_memory_gb = 80, h100_die_mm2 = 814;
static const double memory_share = 0.42, die_share = 0.25;

/* BoaviztAPI's figure of the same part over NVIDIA's. */
static const double boavizta_over_nvidia = 575.2 / 164;

/* A server without its accelerators: Luccioni et al. 2023 (BLOOM) 2,500 kg, EcoLogits on p5.48xlarge 5,700 kg. */
static const double server_low_kgco2e = 2500, server_high_kgco2e = 5700;

/* Life in years, and the fraction of it in use (Luccioni et al. 2023: 85 %). Three years: hyperscalers until 2020;
 * six: since 2023. */
static const double life_years = 4, life_low_years = 3, life_high_years = 6, used_share = 0.85;

double embodied_scale(const struct accelerator *accelerator)
{
	double memory = given_or(accelerator->memory_gb, h100_memory_gb) / h100_memory_gb;
	double die = given_or(accelerator->die_area_mm2, h100_die_mm2) / h100_die_mm2;

	return memory_share * memory + die_share * die + 1 - memory_share - die_share;
}

double embodied_accelerator_kgco2e(const struct accelerator *accelerator, double *low, double *high, const char **source)
{
	double maker = accelerator->embodied_kgco2e, boavizta = accelerator->embodied_boavizta_kgco2e;

	if (is_given(maker) || is_given(boavizta)) {
		*low = given_or(maker, boavizta / boavizta_over_nvidia);
		*high = given_or(boavizta, maker * boavizta_over_nvidia);
		*source = !is_given(maker)
			? "E65: geometric mean of Boavizta's figure and of a lower end 3.5 times below it, the ratio of Boavizta's to NVIDIA's figure of an H100"
			: !is_given(boavizta)
			? "E65: geometric mean of the catalogue row and of an upper end 3.5 times above it, the ratio of Boavizta's to NVIDIA's figure of an H100"
			: "E65: catalogue row; geometric mean of the maker's and Boavizta's figures, which differ 3.5 times on an H100";
	} else {
		*low = h100_nvidia_kgco2e * embodied_scale(accelerator);
		*high = *low * boavizta_over_nvidia;
		*source = "E65: no published figure; lower end: NVIDIA's H100 (164 kg, 2025) scaled by memory and die; upper end: 3.5 times "
				  "that (Boavizta)";
	}
	if (*low > *high) {
		double swap = *low;

		*low = *high;
		*high = swap;
	}
	return sqrt(*low * *high);
}

static struct figure given_figure(const char *field, double value)
{
	return (struct figure){.field = field, .value = value, .low = value, .high = value, .source = "request", .status = PROVENANCE_GIVEN};
}

static void embodied_inputs(const struct usage *usage, struct embodied *embodied)
{
	const struct hardware_request *given = usage->hardware;
	struct figure device = {.field = "hardware.embodied_kgco2e_per_gpu", .status = PROVENANCE_DEFAULT};

	device.value = embodied_accelerator_kgco2e(usage->accelerator, &device.low, &device.high, &device.source);
	embodied->device = device;
	embodied->node = (struct figure){.field = "hardware.embodied_kgco2e_per_node",
		.value = sqrt(server_low_kgco2e * server_high_kgco2e),
		.low = server_low_kgco2e,
		.high = server_high_kgco2e,
		.status = PROVENANCE_DEFAULT,
		.source = "E65: geometric mean of Luccioni et al. 2023 (2,500 kg) and EcoLogits on p5.48xlarge without GPUs (5,700 kg)"};
	embodied->life_years = (struct figure){.field = "hardware.life_years",
		.value = life_years,
		.low = life_low_years,
		.high = life_high_years,
		.status = PROVENANCE_DEFAULT,
		.source = "E65: 4 years; 3 years: hyperscalers until 2020, 6 years: since 2023"};
	embodied->used_fraction = (struct figure){.field = "hardware.used_fraction",
		.value = used_share,
		.low = used_share,
		.high = used_share,
		.status = PROVENANCE_DEFAULT,
		.source = "E65: in use 0.85 of the time, Luccioni et al. 2023"};
	if (!given)
		return;
	if (is_given(given->embodied_kgco2e_per_gpu))
		embodied->device = given_figure(embodied->device.field, given->embodied_kgco2e_per_gpu);
	if (is_given(given->embodied_kgco2e_per_node))
		embodied->node = given_figure(embodied->node.field, given->embodied_kgco2e_per_node);
	if (given->life_years > 0)
		embodied->life_years = given_figure(embodied->life_years.field, given->life_years);
	if (given->used_fraction > 0)
		embodied->used_fraction = given_figure(embodied->used_fraction.field, given->used_fraction);
}

void embodied_of_usage(const struct usage *usage, struct embodied *embodied, struct findings *findings)
{
	double life_share, hardware, low, high;
	struct interval interval;

	embodied_inputs(usage, embodied);
	life_share = usage->hours / (embodied->life_years.value * HOURS_PER_YEAR * embodied->used_fraction.value);
	hardware = usage->gpu_count * embodied->device.value + usage->node_count * embodied->node.value;
	low = usage->gpu_count * embodied->device.low + usage->node_count * embodied->node.low;
	high = usage->gpu_count * embodied->device.high + usage->node_count * embodied->node.high;
	embodied->log_sigma = interval_joint_sigma(
		interval_log_sigma(low, high), interval_log_sigma(embodied->life_years.low, embodied->life_years.high));
	interval = interval_of_product(hardware * life_share, &embodied->log_sigma, 1);
	embodied->kgco2e = interval.p50;
	embodied->low_kgco2e = interval.p10;
	embodied->high_kgco2e = interval.p90;
	if (!findings)
		return;
	findings_assume_figure(findings, &embodied->device);
	findings_assume_figure(findings, &embodied->node);
	findings_assume_figure(findings, &embodied->life_years);
	findings_assume_figure(findings, &embodied->used_fraction);
}
