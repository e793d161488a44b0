/* E140. PCIe in machines whose links connect fewer accelerators than the machine has. */
#include "planner/operators/device.h"

/* Fractions of PCIe's payload rate, one direction. Two cards below one processor: A100 PCIe 20.9 of 28.8 GB/s with two
 * ranks and 20.8 with four, RTX PRO 6000 38.6 of 57.6 with two. A ring that crosses between processors: 12.5 of 28.8
 * with eight A100, 24.7 of 57.6 with eight RTX PRO 6000. All rings that cross at once: two rings of four A100 7.0 and
 * 7.65 GB/s each, four rings of two 3.9 and 4.0, an all-to-all over eight 16.5. */
static const double peer_share = 0.70, socket_share = 0.43, sockets_share = 0.56;

/* A processor has lanes for four cards of 16 lanes; larger machines have two processors. */
static const int64_t root_least = 4;

static int64_t link_domain(const struct accelerator *accelerator, int64_t node)
{
	if (!is_given(accelerator->interconnect_gbs) || accelerator->interconnect_gbs <= 0)
		return 1;
	return accelerator->max_nvlink_domain >= 1 ? accelerator->max_nvlink_domain : node;
}

void device_wiring(const struct accelerator *accelerator, int64_t node, struct device *device)
{
	double pcie = accelerator_pcie_bytes_per_s(accelerator);

	device->node = node >= 1 ? node : 1;
	device->domain = link_domain(accelerator, device->node);
	device->reach = device->domain > device->node ? device->domain : device->node;
	device->root = device->node / 2 > root_least ? device->node / 2 : root_least;
	device->peer_bytes_per_s = pcie * peer_share;
	device->socket_bytes_per_s = pcie * socket_share;
	device->sockets_bytes_per_s = pcie * sockets_share;
}
