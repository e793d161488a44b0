#include "planner/serving/hosted.h"

#include "base/status.h"
#include "base/units.h"

static const double tokens_per_million = 1e6;

struct hosted hosted_beside(const struct hosted_price *price, double prompt_tokens, double output_tokens, double own_usd_per_hour,
	double requests_per_s, double requests_per_s_max)
{
	double request_usd = (prompt_tokens * price->input_usd_per_million_tokens + output_tokens * price->output_usd_per_million_tokens) /
		tokens_per_million;
	double hosted_usd_per_hour = request_usd * requests_per_s * SECONDS_PER_HOUR, ratio = own_usd_per_hour / hosted_usd_per_hour;
	struct hosted hosted = {.price = *price,
		.usd_per_month = hosted_usd_per_hour * HOURS_PER_MONTH,
		.usd_per_million_tokens = request_usd / (prompt_tokens + output_tokens) * tokens_per_million,
		.own_over_hosted = ratio,
		.break_even_input_usd_per_million_tokens = ratio * price->input_usd_per_million_tokens,
		.break_even_output_usd_per_million_tokens = ratio * price->output_usd_per_million_tokens,
		.break_even_requests_per_s = ratio * requests_per_s};

	CHECK(isfinite(ratio));
	if (hosted.break_even_requests_per_s > requests_per_s_max)
		hosted.break_even_requests_per_s = ABSENT_NUMBER;
	return hosted;
}
