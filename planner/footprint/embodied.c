#include "planner/footprint/carbon.h"

#include "base/units.h"
#include "planner/interval.h"

/* NVIDIA 2025, Product Carbon Footprint of HGX H100: 1,312 kgCO2e for eight; memory 42 %, integrated circuits 25 %. */
static const double h100_nvidia_kgco2e = 164, h100_memory_gb = 80, h100_die_mm2 = 814;
static const double memory_share = 0.42, die_share = 0.25;

/* BoaviztAPI's figure of the same part: how far apart the books are. */
static const double boavizta_over_nvidia = 575.2 / 164;

/* A server without its accelerators: Luccioni et al. 2023 (BLOOM) 2,500 kg, EcoLogits on p5.48xlarge 5,700 kg. */
static const double server_low_kgco2e = 2500, server_high_kgco2e = 5700;

/* Life in years, and the part of it in use (Luccioni et al. 2023: 85 %). Three years: hyperscalers until 2020; six: since 2023. */
static const double life_years = 4, life_low_years = 3, life_high_years = 6, used_share = 0.85;

double embodied_accelerator_kgco2e(
	const struct accelerator *accelerator, double *low, double *high, const char **source)
{
	double maker = accelerator->embodied_kgco2e, boavizta = accelerator->embodied_boavizta_kgco2e;

	if (is_given(maker) || is_given(boavizta)) {
		*low = given_or(maker, boavizta / boavizta_over_nvidia);
		*high = given_or(boavizta, maker * boavizta_over_nvidia);
		*source = "E65: catalogue row; geometric mean of the maker's and Boavizta's figures, which differ 3.5 times on "
				  "an H100";
	} else {
		double memory = given_or(accelerator->memory_gb, h100_memory_gb) / h100_memory_gb;
		double die = given_or(accelerator->die_area_mm2, h100_die_mm2) / h100_die_mm2;

		*low = h100_nvidia_kgco2e * (memory_share * memory + die_share * die + 1 - memory_share - die_share);
		*high = *low * boavizta_over_nvidia;
		*source = "E65: no published figure; NVIDIA's H100 (164 kg, 2025) scaled by memory and die, times 3.5 as upper "
				  "end (Boavizta)";
	}
	if (*low > *high) {
		double swap = *low;

		*low = *high;
		*high = swap;
	}
	return sqrt(*low * *high);
}

void embodied_of_usage(const struct usage *usage, struct embodied *embodied, struct findings *findings)
{
	const char *source;
	double low, high, device = embodied_accelerator_kgco2e(usage->accelerator, &low, &high, &source);
	double server = sqrt(server_low_kgco2e * server_high_kgco2e);
	double life_share = usage->hours / (life_years * HOURS_PER_YEAR * used_share);
	double hardware = usage->gpu_count * device + usage->node_count * server;
	double hardware_low = usage->gpu_count * low + usage->node_count * server_low_kgco2e;
	double hardware_high = usage->gpu_count * high + usage->node_count * server_high_kgco2e;
	double sigmas[2] = {
		interval_log_sigma(hardware_low, hardware_high), interval_log_sigma(life_low_years, life_high_years)};
	struct interval interval = interval_of_product(hardware * life_share, sigmas, COUNT_OF(sigmas));

	*embodied = (struct embodied){.kgco2e = interval.p50, .low_kgco2e = interval.p10, .high_kgco2e = interval.p90};
	if (!findings)
		return;
	findings_assume_number(findings, "accelerator.embodied_kgco2e", device, source);
	findings_assume_number(findings, "server.embodied_kgco2e", server,
		"E65: geometric mean of Luccioni et al. 2023 (2,500 kg) and EcoLogits on p5.48xlarge without GPUs (5,700 kg)");
	findings_assume_number(findings, "hardware.life_years", life_years,
		"E65: 4 years, 3 to 6, used 0.85 of the time (Luccioni et al. 2023)");
}
