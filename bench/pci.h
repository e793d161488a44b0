/* Which accelerator of the catalogue a device on the PCI bus is.
 *
 * The device id names the product, and the memory that its driver reports tells apart what shares an id, so that a
 * marketing name, which drivers spell as they like, is never trusted. Constant data, thread-safe. Vendors: 10de NVIDIA,
 * 1002 AMD, 1da3 Intel (Habana), 1d0f AWS. A slice of a board (MIG) has the board's id and less memory: it is none of these. */
#ifndef FLEETPLAN_BENCH_PCI_H
#define FLEETPLAN_BENCH_PCI_H

#include <stddef.h>
#include <stdint.h>

struct pci_accelerator {
	uint16_t vendor, device;
	const char *accelerator; /* id in the catalogue */
	double memory_gib;       /* name-plate */
	const char *listed_as;   /* what the list of PCI ids calls it: the source of this row */
};

extern const struct pci_accelerator pci_accelerators[];
extern const size_t pci_accelerator_count;

/* Of a device that reports `memory_bytes`: within 15 % below (what firmware and ECC take) and 3 % above the name-plate.
 * NULL: not in the catalogue, or another amount of memory than it has. */
const struct pci_accelerator *pci_accelerator_find(uint16_t vendor, uint16_t device, double memory_bytes);

/* The same by text, "10de:2330", as devices are told of; NULL also when it is no such text. */
const struct pci_accelerator *pci_accelerator_named(const char *pci_id, double memory_bytes);

#endif
