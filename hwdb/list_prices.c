#include "hwdb/list_prices.h"

#include <stddef.h>
#include <string.h>

#include "base/status.h"

#define STREET "aiinframap.com, H100 vs H200 vs B200 TCO: typical street prices of mid-2026, 20 to 40 % either way by volume and quarter (30 % taken)"

static const struct list_price prices[] = {
	{"h100-sxm5-80gb", 30000, 21000, 39000, "2026-06", STREET},
	{"h200-sxm5-141gb", 35000, 24500, 45500, "2026-06", STREET},
	{"b200-sxm6-180gb", 40000, 28000, 52000, "2026-06", STREET},
	{"mi300x", 15000, 10000, 15000, "2024-02", "Citi's estimate, by Tom's Hardware of 2024-02: 10,000 USD for the largest customer, 15,000 for others"},
	{"rtx-4090", 1599, 1599, 1599, "2022-09-20", "NVIDIA, announcement of the GeForce RTX 4090: 1,599 USD"},
	{"rtx-5090", 1999, 1999, 1999, "2025-01-06", "NVIDIA, announcement of the GeForce RTX 5090: 1,999 USD"},
	{"rtx-6000-ada", 6800, 6800, 6800, "2022-12", "NVIDIA, price of the RTX 6000 Ada Generation at its launch: 6,800 USD"},
};

const struct list_price *list_price_of(const char *accelerator)
{
	for (size_t i = 0; accelerator && i < COUNT_OF(prices); i++)
		if (strcmp(prices[i].accelerator, accelerator) == 0)
			return &prices[i];
	return NULL;
}
