/* Maps a device on the PCI bus to its accelerator in the catalogue.
 *
 * The device id names the product. The memory that the driver reports distinguishes products that share an id. The
 * marketing name is not used: drivers spell it differently. Constant data, thread-safe. Vendors: 10de NVIDIA, 1002
 * AMD, 1da3 Intel (Habana), 1d0f AWS. A slice of a board (MIG) has the board's id and less memory, so it matches
 * none. */
#ifndef FLEETPLAN_BENCH_PCI_H
#define FLEETPLAN_BENCH_PCI_H

#include <stddef.h>
#include <stdint.h>

struct pci_accelerator {
	uint16_t vendor, device;
	const char *accelerator; /* id in the catalogue */
	double memory_gib;       /* name-plate */
	const char *listed_as;   /* name in the list of PCI ids: the source of this row */
};

extern const struct pci_accelerator pci_accelerators[];
extern const size_t pci_accelerator_count;

/* Finds the accelerator of a device that reports `memory_bytes`. The memory may be up to 15 % below (firmware and
 * ECC take it) or 3 % above the name-plate. NULL: the device is not in the catalogue, or not with this amount of
 * memory. */
const struct pci_accelerator *pci_accelerator_find(uint16_t vendor, uint16_t device, double memory_bytes);

/* The same for the text "10de:2330", the form in which devices are reported. Also NULL if the text has another form. */
const struct pci_accelerator *pci_accelerator_named(const char *pci_id, double memory_bytes);

#endif
