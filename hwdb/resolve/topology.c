#include "hwdb/resolve/topology.h"

#include <string.h>
#include <strings.h>

static const double bits_per_byte = 8;

/* Systems of accelerators, by the beginning of the accelerator's id; the first match is used. */
static const struct system {
	const char *prefix;
	int64_t gpus_per_node;
	double gigabits_per_s; /* network for each accelerator */
	const char *source;
} systems[] = {
	{"gb300", 4, 800, "NVIDIA GB300 NVL72: compute tray of 4 GPUs, ConnectX-8 800 Gb/s each"},
	{"gb200", 4, 400, "NVIDIA GB200 NVL72: compute tray of 4 GPUs, ConnectX-7 400 Gb/s each"},
	{"gh200", 1, 400, "NVIDIA GH200: one GPU and one ConnectX-7 400 Gb/s a node"},
	{"b300", 8, 800, "NVIDIA DGX B300: 8 GPUs, ConnectX-8 800 Gb/s each"},
	{"b200", 8, 400, "NVIDIA DGX B200: 8 GPUs, ConnectX-7 400 Gb/s each"},
	{"b100", 8, 400, "NVIDIA HGX B100: 8 GPUs, ConnectX-7 400 Gb/s each"},
	{"h100-sxm", 8, 400, "NVIDIA DGX H100: 8 GPUs, ConnectX-7 400 Gb/s each"},
	{"h200-sxm", 8, 400, "NVIDIA DGX H200: 8 GPUs, ConnectX-7 400 Gb/s each"},
	{"h800", 8, 400, "DeepSeek-AI 2024, arXiv 2412.19437, section 3.1: nodes of 8 H800, 400 Gb/s InfiniBand each (2505.09343)"},
	{"h20", 8, 400, "NVIDIA HGX H20: 8 GPUs, ConnectX-7 400 Gb/s each"},
	{"a100-sxm", 8, 200, "NVIDIA DGX A100: 8 GPUs, ConnectX-6 200 Gb/s each"},
	{"v100-sxm", 8, 50, "NVIDIA DGX-1: 8 GPUs behind four 100 Gb/s InfiniBand ports"},
	{"p100-sxm", 8, 50, "NVIDIA DGX-1: 8 GPUs behind four 100 Gb/s InfiniBand ports"},
	{"mi250x", 4, 200, "Frontier node: 4 MI250X, Slingshot 200 Gb/s each (OLCF user guide)"},
	{"mi3", 8, 400, "AMD Instinct platform of 8, 400 Gb/s each (as Azure ND MI300X v5)"},
	{"gaudi2", 8, 300, "Intel HLS-Gaudi2: 8 cards, 3 of 24 100 GbE ports each leave the node"},
	{"gaudi3", 8, 600, "Intel HLB-325: 8 cards, 3 of 24 200 GbE ports each leave the node"},
	{"trainium1", 16, 50, "AWS trn1.32xlarge: 16 chips, 800 Gb/s EFA"},
	{"trainium2", 16, 200, "AWS trn2.48xlarge: 16 chips, 3.2 Tb/s EFA"},
	{"inferentia2", 12, 100.0 / 12, "AWS inf2.48xlarge: 12 chips, 100 Gb/s"},
};

/* Instance types whose network differs from that of the vendor's own system. */
static const struct instance {
	const char *provider, *prefix;
	double gigabits_per_s; /* network of the whole instance */
	int64_t gpus;
	const char *source;
} instances[] = {
	{"aws", "p3dn.24xlarge", 100, 8, "AWS p3dn.24xlarge: 100 Gb/s for 8"},
	{"aws", "p3.16xlarge", 25, 8, "AWS p3.16xlarge: 25 Gb/s for 8"},
	{"aws", "p4de.24xlarge", 400, 8, "AWS p4de.24xlarge: 400 Gb/s EFA for 8"},
	{"aws", "p4d.24xlarge", 400, 8, "AWS p4d.24xlarge: 400 Gb/s EFA for 8"},
	{"aws", "p5", 3200, 8, "AWS p5 and p5en.48xlarge: 3.2 Tb/s EFA for 8"},
	{"aws", "p6-b300", 6400, 8, "AWS p6-b300.48xlarge: 6.4 Tb/s EFA for 8"},
	{"aws", "p6-b200", 3200, 8, "AWS p6-b200.48xlarge: 3.2 Tb/s EFA for 8"},
	{"aws", "g5.", 100, 8, "AWS g5.48xlarge: 100 Gb/s for 8"},
	{"aws", "g6.", 100, 8, "AWS g6.48xlarge: 100 Gb/s for 8"},
	{"aws", "g6e.", 400, 8, "AWS g6e.48xlarge: 400 Gb/s for 8"},
	{"aws", "g4dn.", 100, 8, "AWS g4dn.metal: 100 Gb/s for 8"},
	{"aws", "trn1n.", 1600, 16, "AWS trn1n.32xlarge: 1.6 Tb/s EFA for 16"},
	{"azure", "Standard_ND40rs_v2", 100, 8, "Azure ND40rs v2: 100 Gb/s InfiniBand for 8"},
	{"gcp", "a2-megagpu", 100, 16, "Google a2-megagpu-16g: 100 Gb/s for 16"},
	{"gcp", "a2-", 100, 8, "Google a2-highgpu-8g: 100 Gb/s for 8"},
};

/* Links between neighbours only, closed to rings in each dimension. */
static const struct torus {
	const char *prefix;
	int64_t dimensions;
	const char *source;
} tori[] = {
	{"tpu-v2", 2, "Google Cloud TPU v2: 2D torus of 16 x 16 chips (Jouppi et al. 2020, CACM 63(7))"},
	{"tpu-v3", 2, "Google Cloud TPU v3: 2D torus of 32 x 32 chips (Jouppi et al. 2020, CACM 63(7))"},
	{"tpu-v4", 3, "Google Cloud TPU v4: 3D torus (Jouppi et al. 2023, arXiv 2304.01433)"},
	{"tpu-v5e", 2, "Google Cloud TPU v5e: 2D torus of 16 x 16 chips (system architecture)"},
	{"tpu-v5p", 3, "Google Cloud TPU v5p: 3D torus (system architecture)"},
	{"tpu-v6e", 2, "Google Cloud TPU v6e: 2D torus of 16 x 16 chips (system architecture)"},
	{"tpu-v7", 3, "Google Cloud TPU7x: 3D torus (system architecture)"},
	{"trainium1", 2, "AWS Neuron: 16 Trainium chips of an instance in a 2D torus of NeuronLink-v2"},
	{"trainium2", 2, "AWS Neuron: 16 Trainium2 chips of an instance in a 4 x 4 torus of NeuronLink-v3"},
	{"inferentia2", 1, "AWS Neuron: 12 Inferentia2 chips of an instance in a ring of NeuronLink-v2"},
};

/* Slices that Google Cloud rents, and the network between them (Multislice). A pod of cubes is cut along the cubes: any
 * number of whole cubes is a slice. The second and third generation have no Multislice; a job larger than a pod is
 * still planned as several slices, with the fourth generation's network. */
enum { TPU_CUBE = 64 };
static const int64_t v2_slices[] = {4, 16, 64, 128, 256}, v3_slices[] = {4, 16, 32, 64, 128, 256, 512, 1024},
					 square_slices[] = {1, 4, 8, 16, 32, 64, 128, 256},
					 cube_slices[] = {4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 6144},
					 v4_slices[] = {4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096},
					 v7_slices[] = {4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 9216};
static const char v4_network[] =
	"Chowdhery et al. 2022 (PaLM, arXiv 2204.02311, section 4): an aggregate burst of 81 Tb/s over all hosts of two TPU v4 pods of 3,072 chips each, 13.2 Gb/s a chip: what was used, no stated capacity";
static const struct pod {
	const char *kin;
	struct slice_sizes sizes;
	double gigabits_per_s; /* data-centre network for each chip */
	const char *source;
} pods[] = {
	{"tpu-v2",
		{v2_slices, COUNT_OF(v2_slices), 256, 0,
			"Google Cloud, TPU v2: v2-8, v2-32, v2-128, v2-256 and v2-512, two cores a chip (cloud.google.com/tpu/docs/v2)"},
		13.2, v4_network},
	{"tpu-v3",
		{v3_slices, COUNT_OF(v3_slices), 1024, 0, "Google Cloud, TPU v3: v3-8 to v3-2048, two cores a chip (cloud.google.com/tpu/docs/v3)"},
		13.2, v4_network},
	{"tpu-v4",
		{v4_slices, COUNT_OF(v4_slices), 4096, TPU_CUBE,
			"Google Cloud, TPU v4: AxBxC chips, each at most 4 or a multiple of 4, up to 4,096 (cloud.google.com/tpu/docs/types-topologies)"},
		13.2, v4_network},
	{"tpu-v5e",
		{square_slices, COUNT_OF(square_slices), 256, 0,
			"Google Cloud, TPU v5e: supported slice shapes 1x1 to 16x16 (cloud.google.com/tpu/docs/v5e)"},
		25,
		"Google Cloud, TPU v5e: data centre network of 6.4 Tb/s for a pod of 256 chips, which joins slices (cloud.google.com/tpu/docs/v5e)"},
	{"tpu-v6e",
		{square_slices, COUNT_OF(square_slices), 256, 0,
			"Google Cloud, TPU v6e: supported slice shapes 1x1 to 16x16 (docs.cloud.google.com/tpu/docs/v6e)"},
		100,
		"Google Cloud, TPU v6e: data centre network of 25.6 Tb/s for a pod of 256 chips, which joins slices (docs.cloud.google.com/tpu/docs/v6e)"},
	{"tpu-v5p",
		{cube_slices, COUNT_OF(cube_slices), 4096, TPU_CUBE,
			"Google Cloud, TPU v5p: single-slice shapes 2x2x1 to 16x16x24, whole cubes of 64 chips among them (docs.cloud.google.com/tpu/docs/v5p)"},
		50, "Google Cloud, TPU v5p: data centre network of 50 Gb/s for each chip, which joins slices (docs.cloud.google.com/tpu/docs/v5p)"},
	{"tpu-v7",
		{v7_slices, COUNT_OF(v7_slices), 9216, TPU_CUBE,
			"Google Cloud, TPU7x: pods of 9,216 chips in cubes of 64, slices from 2x2x1 (docs.cloud.google.com/tpu/docs/tpu7x)"},
		100, "Google Cloud, TPU7x: data centre network of 100 Gb/s for each chip, which joins slices (docs.cloud.google.com/tpu/docs/tpu7x)"},
};

/* TPU chips of different hosts in a slice use the same links as chips of one host. Slices use the data-centre network
 * between them. */
static struct topology tpu_topology(const struct accelerator *accelerator)
{
	const char *kin = accelerator_kin(accelerator);
	bool eight = strcmp(kin, "tpu-v5e") == 0 || strcmp(kin, "tpu-v6e") == 0;

	struct topology topology = {
		.gpus_per_node = eight ? 8 : 4,
		.internode_gbs = given_or(accelerator->interconnect_gbs, 0) / 2,
		.gpus_source = eight ? "Google Cloud TPU: hosts of 8 chips (ct5lp-hightpu-8t, ct6e-standard-8t)"
							 : "Google Cloud TPU: hosts of 4 chips",
		.internode_source = "inter-chip links join the hosts of a slice: half of interconnect_gbs",
	};

	for (size_t i = 0; i < COUNT_OF(pods); i++)
		if (strcmp(kin, pods[i].kin) == 0) {
			topology.slice_sizes = pods[i].sizes;
			topology.internode_gbs = pods[i].gigabits_per_s / bits_per_byte;
			topology.internode_source = pods[i].source;
		}
	return topology;
}

/* Returns the topology of cards and unknown accelerators: the largest machine in the offers, and 100 Gb/s for the
 * machine. */
static struct topology card_topology(int64_t instance_gpus)
{
	int64_t gpus = instance_gpus >= 1 && instance_gpus <= 16 ? instance_gpus : 8;

	return (struct topology){
		.gpus_per_node = gpus,
		.internode_gbs = 100 / bits_per_byte / (double)gpus,
		.gpus_source = gpus == instance_gpus ? "the largest instance that the catalogue's offers list"
											 : "servers of 8 cards, as AWS g5.48xlarge",
		.internode_source = "100 Gb/s for a server of PCIe cards, as AWS g5.48xlarge and g6.48xlarge",
	};
}

/* A machine's own processors are one device, and the node. */
static struct topology cpu_topology(void)
{
	return (struct topology){.gpus_per_node = 1,
		.internode_gbs = 100 / bits_per_byte,
		.gpus_source = "a machine's processors are one device",
		.internode_source = "100 Gb/s for a server"};
}

static struct topology system_topology(const struct accelerator *accelerator, int64_t instance_gpus)
{
	const char *kin = accelerator_kin(accelerator);

	if (!kin)
		return card_topology(instance_gpus);
	if (strncmp(kin, "cpu-", 4) == 0)
		return cpu_topology();
	if (strncmp(kin, "tpu-", 4) == 0)
		return tpu_topology(accelerator);
	for (size_t i = 0; i < COUNT_OF(systems); i++)
		if (strncmp(kin, systems[i].prefix, strlen(systems[i].prefix)) == 0 &&
			!(accelerator->form_factor && strcmp(accelerator->form_factor, "pcie") == 0))
			return (struct topology){.gpus_per_node = systems[i].gpus_per_node,
				.internode_gbs = systems[i].gigabits_per_s / bits_per_byte,
				.gpus_source = systems[i].source,
				.internode_source = systems[i].source};
	if (accelerator->form_factor && (strcmp(accelerator->form_factor, "sxm") == 0 || strcmp(accelerator->form_factor, "oam") == 0))
		return (struct topology){.gpus_per_node = 8,
			.internode_gbs = 400 / bits_per_byte,
			.gpus_source = "SXM and OAM baseboards hold 8",
			.internode_source = "400 Gb/s each, as NVIDIA DGX H100"};
	return card_topology(instance_gpus);
}

/* True where no instance has more than one accelerator: then no provider guarantees a network between instances. */
static bool is_rented_singly(const struct offer *offer, int64_t instance_gpus, const struct topology *topology)
{
	return offer->gpus == 1 && instance_gpus == 1 && topology->torus_dimensions == 0;
}

struct topology topology_of(const struct accelerator *accelerator, const struct offer *offer, int64_t instance_gpus)
{
	struct topology topology = system_topology(accelerator, instance_gpus);
	const char *kin = accelerator_kin(accelerator);

	for (size_t i = 0; kin && i < COUNT_OF(tori); i++)
		if (strncmp(kin, tori[i].prefix, strlen(tori[i].prefix)) == 0) {
			topology.torus_dimensions = tori[i].dimensions;
			topology.torus_source = tori[i].source;
		}
	if (!offer || !offer->provider || !offer->instance_type)
		return topology;
	for (size_t i = 0; i < COUNT_OF(instances); i++) {
		const struct instance *instance = &instances[i];

		if (strcasecmp(offer->provider, instance->provider) != 0 ||
			strncasecmp(offer->instance_type, instance->prefix, strlen(instance->prefix)) != 0)
			continue;
		topology.internode_gbs = instance->gigabits_per_s / bits_per_byte / (double)instance->gpus;
		topology.internode_source = instance->source;
		return topology;
	}
	if (is_rented_singly(offer, instance_gpus, &topology)) {
		topology.rented_singly = true;
		topology.internode_gbs = 10 / bits_per_byte;
		topology.internode_source = "instances of one accelerator without a published network: 10 Gb/s, as AWS g5.xlarge";
	}
	return topology;
}
