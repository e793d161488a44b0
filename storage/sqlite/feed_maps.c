/* Maps of the feeds' structs: the column or parameter of each member. */
#include "storage/sqlite/maps.h"

static const char *const none_unsealed[] = {NULL};

#define C(member) COLUMN(struct feed_refresh_record, member, #member)
static const struct column feed_refresh_columns[] = {C(id), C(feed), C(outcome), C(detail), C(started_by), C(started_at_us),
	C(finished_at_us), C(source), C(licence), C(base_url), C(requests), C(bytes), C(seen), C(added), C(changed), C(unchanged), C(kept),
	C(quarantined), C(rejected), C(skipped), C(catalogue_revision)};
#undef C
const struct column_map feed_refresh_map = SEALED_MAP(feed_refresh_columns, struct feed_refresh_record, "refresh", none_unsealed);

#define C(member) COLUMN(struct feed_change, member, #member)
static const struct column feed_change_columns[] = {
	C(refresh_id), C(feed), C(position), C(at_us), C(what), C(subject), C(quantity), C(before), C(after), C(low), C(high), C(detail)};
#undef C
const struct column_map feed_change_map = SEALED_MAP(feed_change_columns, struct feed_change, "change of a feed", none_unsealed);

#define C(member, name) COLUMN(struct feed_validator_stored, member, name)
static const struct column feed_validator_columns[] = {
	C(feed, "feed"), C(validator.url, "url"), C(validator.etag, "etag"), C(validator.last_modified, "last_modified"), C(at_us, "at_us")};
#undef C
const struct column_map feed_validator_map = SEALED_MAP(
	feed_validator_columns, struct feed_validator_stored, "validator of a feed", none_unsealed);

#define C(member) COLUMN(struct grid_hour, member, #member)
static const struct column grid_hour_columns[] = {C(zone), C(signal), C(feed), C(start_us), C(gco2e_per_kwh), C(forecast), C(fetched_at_us)};
#undef C
const struct column_map grid_hour_map = SEALED_MAP(grid_hour_columns, struct grid_hour, "hour of a grid", none_unsealed);

#define C(member) COLUMN(struct grid_zone, member, #member)
static const struct column grid_zone_columns[] = {C(zone), C(signal), C(feed), C(from_us), C(to_us), C(fetched_at_us)};
#undef C
const struct column_map grid_zone_map = SEALED_MAP(grid_zone_columns, struct grid_zone, "zone of a grid", none_unsealed);

#define C(member) COLUMN(struct feed_query, member, #member)
static const struct column feed_query_columns[] = {
	C(id), C(feed), C(zone), C(signal), C(cursor_id), C(limit), C(cursor_us), C(before_us), C(from_us), C(to_us), C(held)};
#undef C
const struct column_map feed_query_map = COLUMN_MAP(feed_query_columns, struct feed_query);
