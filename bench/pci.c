#include "bench/pci.h"

#include <stdlib.h>

#include "base/status.h"

enum { NVIDIA = 0x10de, AMD = 0x1002, HABANA = 0x1da3, AWS = 0x1d0f };

/* Names and numbers: pci.ids of 2026-08-22 (github.com/pciutils/pciids, pci-ids.ucw.cz). The list of 2023-04-10 in
 * Debian 12 (package pci.ids) has the same numbers for the 32 of these devices that it contains. Three ids are
 * missing, because id and memory do not identify the accelerator: 10de:25b6 is an A2 or an A16; 1002:7408 and 740c
 * are half of an MI250X, which the catalogue lists as a whole. */
const struct pci_accelerator pci_accelerators[] = {
	{NVIDIA, 0x102d, "k80-die", 12, "GK210GL [Tesla K80]"},
	{NVIDIA, 0x15f8, "p100-pcie-16gb", 16, "GP100GL [Tesla P100 PCIe 16GB]"},
	{NVIDIA, 0x15f9, "p100-sxm2-16gb", 16, "GP100GL [Tesla P100 SXM2 16GB]"},
	{NVIDIA, 0x1db1, "v100-sxm2-16gb", 16, "GV100GL [Tesla V100 SXM2 16GB]"},
	{NVIDIA, 0x1df5, "v100-sxm2-16gb", 16, "GV100GL [Tesla V100 SXM2 16GB]"},
	{NVIDIA, 0x1db4, "v100-pcie-16gb", 16, "GV100GL [Tesla V100 PCIe 16GB]"},
	{NVIDIA, 0x1db5, "v100-sxm2-32gb", 32, "GV100GL [Tesla V100 SXM2 32GB]"},
	{NVIDIA, 0x1db6, "v100-pcie-32gb", 32, "GV100GL [Tesla V100 PCIe 32GB]"},
	{NVIDIA, 0x1eb8, "t4", 16, "TU104GL [Tesla T4]"},
	{NVIDIA, 0x20b0, "a100-sxm4-40gb", 40, "GA100 [A100 SXM4 40GB]"},
	{NVIDIA, 0x20b1, "a100-pcie-40gb", 40, "GA100 [A100 PCIe 40GB]"},
	{NVIDIA, 0x20f1, "a100-pcie-40gb", 40, "GA100 [A100 PCIe 40GB]"},
	{NVIDIA, 0x20b2, "a100-sxm4-80gb", 80, "GA100 [A100 SXM4 80GB]"},
	{NVIDIA, 0x20b5, "a100-pcie-80gb", 80, "GA100 [A100 PCIe 80GB]"},
	{NVIDIA, 0x20b7, "a30", 24, "GA100GL [A30 PCIe]"},
	{NVIDIA, 0x2204, "rtx-3090", 24, "GA102 [GeForce RTX 3090]"},
	{NVIDIA, 0x2230, "rtx-a6000", 48, "GA102GL [RTX A6000]"},
	{NVIDIA, 0x2235, "a40", 48, "GA102GL [A40]"},
	{NVIDIA, 0x2236, "a10", 24, "GA102GL [A10]"},
	{NVIDIA, 0x2237, "a10g", 24, "GA102GL [A10G]"},
	{NVIDIA, 0x24b0, "rtx-a4000", 16, "GA104GL [RTX A4000]"},
	{NVIDIA, 0x2321, "h100-nvl", 94, "GH100 [H100L 94GB]"},
	{NVIDIA, 0x2324, "h800-sxm5-80gb", 80, "GH100 [H800]"},
	{NVIDIA, 0x2329, "h20-sxm5-96gb", 96, "GH100 [H20]"},
	{NVIDIA, 0x2330, "h100-sxm5-80gb", 80, "GH100 [H100 SXM5 80GB]"},
	{NVIDIA, 0x2331, "h100-pcie-80gb", 80, "GH100 [H100 PCIe]"},
	{NVIDIA, 0x2335, "h200-sxm5-141gb", 141, "GH100 [H200 SXM 141GB]"},
	{NVIDIA, 0x233b, "h200-nvl", 141, "GH100 [H200 NVL]"},
	{NVIDIA, 0x2342, "gh200-96gb", 96, "GH100 [GH200 120GB / 480GB]"}, /* the name includes the CPU's memory */
	{NVIDIA, 0x2348, "gh200-144gb", 144, "GH100 [GH200 144G HBM3e]"},
	{NVIDIA, 0x2684, "rtx-4090", 24, "AD102 [GeForce RTX 4090]"},
	{NVIDIA, 0x26b1, "rtx-6000-ada", 48, "AD102GL [RTX 6000 Ada Generation]"},
	{NVIDIA, 0x26b5, "l40", 48, "AD102GL [L40]"},
	{NVIDIA, 0x26b9, "l40s", 48, "AD102GL [L40S]"},
	{NVIDIA, 0x27b8, "l4", 24, "AD104GL [L4]"},
	{NVIDIA, 0x2901, "b200-sxm6-180gb", 180, "GB100 [B200]"},
	{NVIDIA, 0x2920, "b100-sxm6", 192, "GB100 [TS4 / B100]"},
	{NVIDIA, 0x29bc, "b100-sxm6", 192, "GB102 [B100]"},
	{NVIDIA, 0x2941, "gb200", 186, "GB100 [HGX GB200]"},
	{NVIDIA, 0x2b85, "rtx-5090", 32, "GB202 [GeForce RTX 5090]"},
	{NVIDIA, 0x2bb5, "rtx-pro-6000-server", 96, "GB202GL [RTX PRO 6000 Blackwell Server Edition]"},
	{NVIDIA, 0x3182, "b300-sxm6-288gb", 288, "GB110 [B300 SXM6 AC]"},
	{NVIDIA, 0x31c2, "gb300", 288, "GB110 [GB300]"},
	{NVIDIA, 0x31c3, "gb300", 288, "GB110 [GB300]"},
	{AMD, 0x738c, "mi100", 32, "Arcturus GL-XL [Instinct MI100]"},
	{AMD, 0x738e, "mi100", 32, "Arcturus GL-XL [Instinct MI100]"},
	{AMD, 0x740f, "mi210", 64, "Aldebaran/MI200 [Instinct MI210]"},
	{AMD, 0x74a1, "mi300x", 192, "Aqua Vanjaram [Instinct MI300X]"},
	{AMD, 0x74b5, "mi300x", 192, "Aqua Vanjaram [Instinct MI300X VF]"},
	{AMD, 0x74a5, "mi325x", 256, "Aqua Vanjaram [Instinct MI325X]"},
	{AMD, 0x74b9, "mi325x", 256, "Aqua Vanjaram [Instinct MI325X VF]"},
	{AMD, 0x75a0, "mi350x", 288, "Aqua Vanjaram [Instinct MI350X]"},
	{AMD, 0x75a3, "mi355x", 288, "Aqua Vanjaram [Instinct MI355X]"},
	{HABANA, 0x1020, "gaudi2", 96, "Gaudi2 AI Training Accelerator"},
	{HABANA, 0x1060, "gaudi3", 128, "Gaudi3 AI Training Accelerator"},
	{AWS, 0x7164, "trainium1", 32, "NeuronDevice (Trainium)"},
	{AWS, 0x7264, "inferentia2", 32, "NeuronDevice (Inferentia2)"},
	{AWS, 0x7364, "trainium2", 96, "NeuronDevice (Trainium2)"},
};
const size_t pci_accelerator_count = COUNT_OF(pci_accelerators);

static const double least_share = 0.85, largest_share = 1.03;

const struct pci_accelerator *pci_accelerator_find(uint16_t vendor, uint16_t device, double memory_bytes)
{
	for (size_t i = 0; i < pci_accelerator_count; i++) {
		const struct pci_accelerator *row = &pci_accelerators[i];
		double share = memory_bytes / (row->memory_gib * 0x1p30);

		if (row->vendor == vendor && row->device == device && share >= least_share && share <= largest_share)
			return row;
	}
	return NULL;
}

const struct pci_accelerator *pci_accelerator_named(const char *pci_id, double memory_bytes)
{
	char *colon, *end;
	unsigned long vendor = strtoul(pci_id, &colon, 16), device;

	if (colon == pci_id || *colon != ':' || vendor > UINT16_MAX)
		return NULL;
	device = strtoul(colon + 1, &end, 16);
	if (end == colon + 1 || *end || device > UINT16_MAX)
		return NULL;
	return pci_accelerator_find((uint16_t)vendor, (uint16_t)device, memory_bytes);
}
