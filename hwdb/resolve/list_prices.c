#include "hwdb/resolve/list_prices.h"

#include <stddef.h>
#include <string.h>

#include "base/status.h"

#define STREET \
	"aiinframap.com, H100 vs H200 vs B200 TCO: typical street prices of mid-2026, 20 to 40 % either way by volume and quarter (30 % taken)"

static const struct list_price prices[] = {
	{"h100-sxm5-80gb", 30000, 21000, 39000, "2026-06", STREET},
	{"h200-sxm5-141gb", 35000, 24500, 45500, "2026-06", STREET},
	{"b200-sxm6-180gb", 40000, 28000, 52000, "2026-06", STREET},
	{"mi300x", 15000, 10000, 15000, "2024-02",
		"estimated: Citi (C. Danely), by svethardware.cz/ai-akceleratory-nvidia-h100-pry-stoji-2krat-mozna-az-6krat-vice-nez-amd-mi300/60384: 10,000 USD for Microsoft, 15,000 for others"},
	{"rtx-4090", 1599, 1599, 1599, "2022-09-20",
		"NVIDIA's announcement: from 1,599 USD, by www.pcgamer.com/nvidia-geforce-rtx-4090-release-date-price-specs-performance"},
	{"rtx-5090", 1999, 1999, 1999, "2025-01-06",
		"NVIDIA's announcement: 1,999 USD, by techtwisted.com/news/nvidias-rtx-50-series-brings-ai-revolution-with-dollar1999-flagship-gpu"},
	{"rtx-6000-ada", 6800, 6800, 9999, "2022-12",
		"unconfirmed: 6,800 USD is repeated without a page of the maker; the first shop had it at 9,999 USD (tecnobabele.com/?p=113166)"},
};

const struct list_price *list_price_of(const char *accelerator)
{
	for (size_t i = 0; accelerator && i < COUNT_OF(prices); i++)
		if (strcmp(prices[i].accelerator, accelerator) == 0)
			return &prices[i];
	return NULL;
}
