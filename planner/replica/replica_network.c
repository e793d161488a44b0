/* E140. Links of one replica: the link inside its domain, PCIe in one machine, network adapters between machines. */
#include "planner/replica/replica.h"

enum { NODE_USUAL = 8 };

/* Default without a value from the request or the catalogue: 100 Gb/s for a machine. */
static const double machine_bytes_per_s = 12.5e9;

/* Rates that engines reach over PCIe, as factors of those of NCCL alone: engines run part of a reduction beside their
 * kernels. Set by hand to figures that TensorRT-LLM publishes for the L40S at tensor 4 and 8. */
static const double peer_gain = 1.1, socket_gain = 1.35;

static double adapter_latency_s(struct group group)
{
	return group.machine < group.ranks ? physics_fitted.nic_latency_s * log2(group.ranks / group.machine) : 0;
}

void replica_network(struct replica *replica, const struct accelerator *accelerator, const struct replica_layout *layout)
{
	struct replica_network *network = &replica->network;
	struct device *device = &network->device;
	double stride = (double)layout->tensor * layout->attention_data, nic;

	*network = (struct replica_network){0};
	device_wiring(accelerator, layout->gpus_per_node > 0 ? layout->gpus_per_node : NODE_USUAL, device);
	device->peer_bytes_per_s *= peer_gain;
	device->socket_bytes_per_s *= socket_gain;
	device->sockets_bytes_per_s *= socket_gain;
	nic = layout->internode_bytes_per_s > 0 ? layout->internode_bytes_per_s : machine_bytes_per_s / (double)device->node;
	device->nic_bytes_per_s = nic * physics_fitted.nic_fraction;
	device->link_bytes_per_s = accelerator_link_bytes_per_s(accelerator);
	network->tensor = collective_group(device, layout->tensor, 1);
	network->exchange = collective_group(device, layout->attention_data, layout->tensor);
	network->linked = network->tensor.local >= network->tensor.ranks;
	network->tensor_bytes_per_s = collective_rate_bytes_per_s(device, network->tensor);
	network->tensor_latency_s = adapter_latency_s(network->tensor);
	network->exchange_latency_s = adapter_latency_s(network->exchange);
	if (stride < (double)device->domain)
		network->stage_bytes_per_s = device->link_bytes_per_s;
	else if (stride < (double)device->reach)
		network->stage_bytes_per_s = fmin(device->link_bytes_per_s, device->peer_bytes_per_s);
	else
		network->stage_bytes_per_s = fmin(device->link_bytes_per_s, device->nic_bytes_per_s);
	network->stage_latency_s = stride < (double)device->reach ? 0 : physics_fitted.nic_latency_s / 2;
}
