#include "server/feed_settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/spelling.h"
#include "hwdb/feeds/fetch.h"
#include "server/options.h"

/* One item "NAME=VALUE" of an option. */
struct pair {
	const struct feed *feed;
	enum feed_id id;
	const char *value; /* NULL without "=" */
};

static enum status unknown_feed(const char *option, const char *name, struct failure *failure)
{
	struct spelling spelling;
	char nearest[128];

	spelling_init(&spelling, name);
	for (size_t i = 0; i < FEED_COUNT; i++)
		spelling_offer(&spelling, feeds[i].name);
	spelling_list(&spelling, nearest, sizeof nearest);
	return failure_set(failure, STATUS_INVALID, "%s: there is no feed \"%.60s\"; %s%s", option, name,
		nearest[0] ? "similar names: " : "see docs/feeds.md", nearest);
}

/* Reads the next item of a comma-separated list; pair->feed is NULL at its end. */
static enum status next_pair(const char *option, char **list, struct pair *pair, struct failure *failure)
{
	char *item, *equals;

	*pair = (struct pair){0};
	do {
		item = *list ? strsep(list, ",") : NULL;
		if (!item)
			return STATUS_OK;
		item += strspn(item, " \t");
	} while (!*item);
	for (char *end = item + strlen(item); end > item && (end[-1] == ' ' || end[-1] == '\t');)
		*--end = '\0';
	equals = strchr(item, '=');
	if (equals) {
		*equals = '\0';
		pair->value = equals + 1;
	}
	pair->feed = feed_find(item);
	if (!pair->feed)
		return unknown_feed(option, item, failure);
	pair->id = (enum feed_id)(pair->feed - feeds);
	return STATUS_OK;
}

static enum status take_enabled(const struct pair *pair, struct feed_setting *setting, struct failure *failure)
{
	unsigned long minutes = 0;
	char *end = NULL;

	if (pair->value)
		minutes = strtoul(pair->value, &end, 10);
	if (pair->value && (end == pair->value || *end || minutes < 1 || minutes > FEED_MINUTES_MAX || pair->value[0] == '-'))
		return failure_set(failure, STATUS_INVALID, "feeds: %s=MINUTES must have 1 to %d minutes between two refreshes, not \"%.40s\"",
			pair->feed->name, FEED_MINUTES_MAX, pair->value);
	if (pair->feed->kind == FEED_MODELS && minutes > 0)
		return failure_set(
			failure, STATUS_INVALID, "feeds: %s fetches single models and is not refreshed; leave out =MINUTES", pair->feed->name);
	setting->enabled = true;
	setting->every_minutes = (unsigned)minutes;
	return STATUS_OK;
}

static enum status take_url(const struct pair *pair, struct feed_setting *setting, bool local, struct failure *failure)
{
	if (!pair->value)
		return failure_set(failure, STATUS_INVALID, "feed-urls: give %s=URL", pair->feed->name);
	setting->base_url = pair->value;
	return fetch_base_check(pair->value, local, failure);
}

static enum status take_scope(const struct pair *pair, struct feed_setting *setting, struct arena *arena, struct failure *failure)
{
	struct feed_walk walk;

	if (!pair->value || !*pair->value)
		return failure_set(failure, STATUS_INVALID, "feed-scopes: give %s=WORDS (%s)", pair->feed->name, pair->feed->scope_is);
	if (!*pair->feed->scope)
		return failure_set(
			failure, STATUS_INVALID, "feed-scopes: the feed %s has no scope (%s); leave it out", pair->feed->name, pair->feed->scope_is);
	setting->scope = pair->value;
	return feed_walk_begin(&walk, pair->feed, NULL, pair->value, clock_wall_us(), arena, failure);
}

/* Checks a list of host names or addresses with an optional port: no scheme, no path, no user. */
static enum status take_redirects(const struct pair *pair, struct feed_setting *setting, struct failure *failure)
{
	const char *hosts = pair->value ? pair->value : "";

	if (!pair->feed->stores)
		return failure_set(failure, STATUS_INVALID, "feed-redirects: the feed %s uses no redirects; leave it out", pair->feed->name);
	if (!pair->value || strspn(hosts, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-: ") != strlen(hosts))
		return failure_set(failure, STATUS_INVALID, "feed-redirects: give %s=HOST HOST:PORT ..., not \"%.80s\"", pair->feed->name, hosts);
	setting->stores = pair->value;
	return STATUS_OK;
}

enum list { LIST_FEEDS, LIST_URLS, LIST_SCOPES, LIST_REDIRECTS, LIST_COUNT };

static enum status take_list(
	const struct options *options, enum list which, struct arena *arena, struct feed_setting settings[FEED_COUNT], struct failure *failure)
{
	static const char *const names[LIST_COUNT] = {
		[LIST_FEEDS] = "feeds", [LIST_URLS] = "feed-urls", [LIST_SCOPES] = "feed-scopes", [LIST_REDIRECTS] = "feed-redirects"};
	const char *const texts[LIST_COUNT] = {
		[LIST_FEEDS] = options->feeds, [LIST_URLS] = options->feed_urls, [LIST_SCOPES] = options->feed_scopes, [LIST_REDIRECTS] = options->feed_redirects};
	char *list = arena_strdup(arena, texts[which]);
	struct pair pair;
	enum status status = list ? next_pair(names[which], &list, &pair, failure) : STATUS_NO_MEMORY;

	while (status == STATUS_OK && pair.feed) {
		struct feed_setting *setting = &settings[pair.id];

		status = which == LIST_FEEDS ? take_enabled(&pair, setting, failure)
			: which == LIST_URLS     ? take_url(&pair, setting, options->feed_local, failure)
			: which == LIST_SCOPES   ? take_scope(&pair, setting, arena, failure)
									 : take_redirects(&pair, setting, failure);
		if (status == STATUS_OK)
			status = next_pair(names[which], &list, &pair, failure);
	}
	return status;
}

/* A key that a feed needs must be readable; an optional key is used if its file exists. */
static enum status take_keys(
	const struct options *options, struct arena *arena, struct feed_setting settings[FEED_COUNT], struct failure *failure)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < FEED_COUNT && status == STATUS_OK; i++) {
		const char *key, *file = *options->feed_keys ? arena_printf(arena, "%s/%s", options->feed_keys, feeds[i].name) : NULL;

		if (!settings[i].enabled)
			continue;
		if (feeds[i].key && !file)
			return failure_set(failure, STATUS_INVALID, "feeds: %s needs %s: put it into a file %s of the folder that --feed-keys names",
				feeds[i].name, feeds[i].key, feeds[i].name);
		if (file && (feeds[i].key || access(file, F_OK) == 0))
			settings[i].key_file = file;
		status = feed_key_read(&feeds[i], &settings[i], arena, &key, failure);
	}
	return status;
}

enum status feed_settings_read(
	const struct options *options, struct arena *arena, struct feed_setting settings[FEED_COUNT], struct failure *failure)
{
	enum status status = STATUS_OK;

	memset(settings, 0, FEED_COUNT * sizeof *settings);
	for (int which = 0; which < LIST_COUNT && status == STATUS_OK; which++)
		status = take_list(options, (enum list)which, arena, settings, failure);
	return status == STATUS_OK ? take_keys(options, arena, settings, failure) : status;
}

enum status feed_key_read(
	const struct feed *feed, const struct feed_setting *setting, struct arena *arena, const char **key, struct failure *failure)
{
	char text[FEED_KEY_MAX_BYTES + 2];
	ssize_t length;
	int fd;

	*key = NULL;
	if (!setting->key_file)
		return STATUS_OK;
	fd = open(setting->key_file, O_RDONLY | O_CLOEXEC);
	length = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
	if (fd >= 0)
		close(fd);
	if (length < 0)
		return failure_set(failure, STATUS_INVALID, "feed-keys: %s: %s", setting->key_file, strerror(errno));
	while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r' || text[length - 1] == ' '))
		length--;
	text[length] = '\0';
	for (ssize_t i = 0; i < length; i++)
		if (text[i] <= ' ' || text[i] > '~')
			length = 0;
	if (length > 0 && length <= FEED_KEY_MAX_BYTES)
		*key = arena_strdup(arena, text);
	explicit_bzero(text, sizeof text);
	if (!*key)
		return failure_set(failure, STATUS_INVALID, "feed-keys: %s: the file must have %s on one line, at most %d bytes", setting->key_file,
			feed->key ? feed->key : "a key", FEED_KEY_MAX_BYTES);
	return STATUS_OK;
}
