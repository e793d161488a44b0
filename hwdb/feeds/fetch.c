#include "hwdb/feeds/fetch.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/clock.h"
#include "net/http_client.h"

enum { ATTEMPTS_MAX = 3, REDIRECTS_MAX = 3, WAIT_MAX_S = 60, FIRST_WAIT_MS = 500, SLICE_MS = 100, VALIDATORS_MAX = 64 };

static const int64_t ns_per_s = 1000000000, ns_per_ms = 1000000;

/* A walk in progress. */
struct fetch {
	struct feed_walk *walk;
	const struct fetch_options *options;
	const struct progress *progress;
	struct fetch_traffic *traffic;
	struct http_client *client;
	char host[PACE_HOST_MAX];
	bool ranged;      /* the request is for a part of a file */
	int64_t until_ns; /* deadline of the refresh */

	/* State of a streamed answer. */
	enum status taken;
	int64_t taken_bytes;
	struct failure *failure;
};

/* --- allowed URLs ------------------------------------------------------------------------------------------------- */

static bool part_equal(CURLU *a, CURLU *b, CURLUPart part, unsigned flags)
{
	char *left = NULL, *right = NULL;
	bool equal = curl_url_get(a, part, &left, flags) == CURLUE_OK && curl_url_get(b, part, &right, flags) == CURLUE_OK &&
		strcasecmp(left, right) == 0;

	curl_free(left);
	curl_free(right);
	return equal;
}

static bool has_part(CURLU *url, CURLUPart part)
{
	char *text = NULL;
	bool has = curl_url_get(url, part, &text, 0) == CURLUE_OK;

	curl_free(text);
	return has;
}

static bool same_origin(CURLU *a, CURLU *b)
{
	return part_equal(a, b, CURLUPART_SCHEME, 0) && part_equal(a, b, CURLUPART_HOST, 0) &&
		part_equal(a, b, CURLUPART_PORT, CURLU_DEFAULT_PORT) && !has_part(b, CURLUPART_USER) && !has_part(b, CURLUPART_PASSWORD);
}

/* True if a URL is of one of the walk's stores: by https (as the base), at the port in the store's name, else https's
 * own. */
static bool is_store(const struct fetch *fetch, CURLU *base, CURLU *url)
{
	char *host = NULL, *port = NULL, place[300] = "";
	const char *stores = fetch->walk->stores;
	bool found = false, own_port;

	if (!part_equal(base, url, CURLUPART_SCHEME, 0) || has_part(url, CURLUPART_USER) || has_part(url, CURLUPART_PASSWORD) ||
		curl_url_get(url, CURLUPART_HOST, &host, 0) != CURLUE_OK)
		return false;
	own_port = curl_url_get(url, CURLUPART_PORT, &port, CURLU_NO_DEFAULT_PORT) == CURLUE_OK;
	snprintf(place, sizeof place, "%.250s%s%.8s", host, own_port ? ":" : "", own_port ? port : "");
	for (const char *at = stores; *at && !found; at += strcspn(at, " "), at += strspn(at, " "))
		found = strcspn(at, " ") == strlen(place) && strncasecmp(at, place, strlen(place)) == 0;
	curl_free(host);
	curl_free(port);
	return found;
}

/* Makes `url`, which may be relative to `from`, an absolute URL of the base's origin (for a part of a file also of a
 * store, then *elsewhere is true), in the arena; NULL with a failure otherwise. */
static const char *vetted_url(const struct fetch *fetch, const char *from, const char *url, bool *elsewhere, struct failure *failure)
{
	CURLU *base = curl_url(), *target = curl_url();
	char *whole = NULL;
	const char *kept = NULL;

	*elsewhere = false;

	if (!base || !target || curl_url_set(base, CURLUPART_URL, fetch->walk->base_url, 0) != CURLUE_OK ||
		curl_url_set(target, CURLUPART_URL, from, 0) != CURLUE_OK || curl_url_set(target, CURLUPART_URL, url, 0) != CURLUE_OK)
		(void)!failure_set(failure, STATUS_UNAVAILABLE, "%s: \"%.120s\" is not a URL", fetch->walk->feed->name, url);
	else if (!same_origin(base, target) && !(*elsewhere = fetch->ranged && is_store(fetch, base, target)))
		(void)!failure_set(failure, STATUS_UNAVAILABLE, "%s: \"%.120s\" leads away from %.120s and is not followed",
			fetch->walk->feed->name, url, fetch->walk->base_url);
	else if (curl_url_get(target, CURLUPART_URL, &whole, 0) == CURLUE_OK)
		kept = arena_strdup(fetch->walk->arena, whole);
	if (!kept && failure->status == STATUS_OK)
		(void)!failure_set(failure, STATUS_NO_MEMORY, "%s: no memory for a URL", fetch->walk->feed->name);
	curl_free(whole);
	curl_url_cleanup(base);
	curl_url_cleanup(target);
	return kept;
}

enum status fetch_base_check(const char *base_url, bool local, struct failure *failure)
{
	CURLU *url = curl_url();
	bool plain = strncasecmp(base_url, "http://", 7) == 0, whole;

	whole = url && (plain || strncasecmp(base_url, "https://", 8) == 0) && curl_url_set(url, CURLUPART_URL, base_url, 0) == CURLUE_OK &&
		has_part(url, CURLUPART_HOST) && !has_part(url, CURLUPART_USER) && !has_part(url, CURLUPART_QUERY) &&
		!has_part(url, CURLUPART_FRAGMENT);
	curl_url_cleanup(url);
	if (!whole)
		return failure_set(failure, STATUS_INVALID, "\"%.120s\" is not of the form https://HOST/PATH", base_url);
	if (plain && !local)
		return failure_set(failure, STATUS_INVALID, "\"%.120s\": feeds are fetched by https only", base_url);
	return STATUS_OK;
}

/* --- time --------------------------------------------------------------------------------------------------------- */

static bool stopped(void *context)
{
	const struct fetch *fetch = context;

	return progress_stopped(fetch->progress) || clock_monotonic_ns() > fetch->until_ns;
}

/* Returns the status and sets the failure for a stop that stopped() reported. */
static enum status stopped_status(const struct fetch *fetch, struct failure *failure)
{
	if (progress_stopped(fetch->progress))
		return failure_set(failure, STATUS_CANCELLED, "%s: cancelled", fetch->walk->feed->name);
	return failure_set(failure, STATUS_UNAVAILABLE, "%s: not done within %u s", fetch->walk->feed->name, fetch->walk->feed->refresh_s);
}

/* Waits. False when the walk was stopped meanwhile. */
static bool wait_ns(struct fetch *fetch, int64_t ns)
{
	int64_t until_ns = clock_monotonic_ns() + ns, left_ns;

	while ((left_ns = until_ns - clock_monotonic_ns()) > 0) {
		int64_t slice_ns = left_ns < SLICE_MS * ns_per_ms ? left_ns : SLICE_MS * ns_per_ms;

		if (stopped(fetch))
			return false;
		nanosleep(&(struct timespec){.tv_nsec = (long)slice_ns}, NULL);
	}
	return !stopped(fetch);
}

/* --- one request --------------------------------------------------------------------------------------------------- */

static bool take_piece(void *context, const char *piece, size_t length)
{
	struct fetch *fetch = context;
	struct feed_walk *walk = fetch->walk;
	char doing[128];

	if (length == 0)
		return true;
	if ((fetch->taken_bytes += (int64_t)length) > (int64_t)walk->feed->answer_max_bytes)
		fetch->taken = failure_set(
			fetch->failure, STATUS_MALFORMED, "%s: the file is larger than %zu bytes", walk->feed->name, walk->feed->answer_max_bytes);
	else
		fetch->taken = walk->feed->take(walk, piece, length, fetch->failure);
	snprintf(doing, sizeof doing, "%s: %lld MB", walk->scope_at < walk->scope.count ? walk->scope.items[walk->scope_at] : walk->feed->name,
		(long long)(fetch->taken_bytes / 1000000));
	progress_note(fetch->progress, walk->scope.count ? (double)walk->scope_at / (double)walk->scope.count : 0, doing);
	return fetch->taken == STATUS_OK;
}

static const struct feed_validator *known_validator(const struct fetch *fetch, const char *url)
{
	for (size_t i = 0; i < fetch->traffic->known_count; i++)
		if (strcmp(fetch->traffic->known[i].url, url) == 0)
			return &fetch->traffic->known[i];
	return NULL;
}

/* Collects the adapter's headers, and the validators of a conditional request. */
static enum status headers_of(
	const struct fetch *fetch, const struct feed_request *request, const char *url, const char *headers[5], struct failure *failure)
{
	const struct feed_validator *known = request->conditional ? known_validator(fetch, url) : NULL;
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(request->headers) && request->headers[i]; i++)
		headers[count++] = request->headers[i];
	if (known && known->etag)
		headers[count++] = arena_printf(fetch->walk->arena, "If-None-Match: %s", known->etag);
	else if (known && known->last_modified)
		headers[count++] = arena_printf(fetch->walk->arena, "If-Modified-Since: %s", known->last_modified);
	if (count > 0 && !headers[count - 1])
		return failure_set(failure, STATUS_NO_MEMORY, "%s: no memory", fetch->walk->feed->name);
	headers[count] = NULL;
	return STATUS_OK;
}

/* Sends one request without judging its answer. */
static enum status ask(struct fetch *fetch, const struct feed_request *request, const char *url, bool elsewhere, struct http_answer *answer,
	struct failure *failure)
{
	const struct feed *feed = fetch->walk->feed;
	double left_s = (double)(fetch->until_ns - clock_monotonic_ns()) / 1e9,
		   request_s = fetch->options->request_s ? fetch->options->request_s : feed->request_s;
	const char *headers[5];
	struct http_request sent = {.method = request->method ? request->method : "GET",
		.url = url,
		.bearer = elsewhere ? NULL : request->bearer,
		.basic = elsewhere ? NULL : request->basic,
		.body = request->body,
		.body_length = request->body ? strlen(request->body) : 0,
		.accept = request->accept,
		.headers = headers,
		.packed = !request->ranged,
		.steady = true,
		.timeout_s = left_s < request_s ? left_s : request_s,
		.wake_fd = -1,
		.take = request->streamed ? take_piece : NULL,
		.stop = stopped,
		.context = fetch};
	enum status status = headers_of(fetch, request, url, headers, failure);

	if (status != STATUS_OK)
		return status;
	if (fetch->traffic->requests >= feed->pages_max * ATTEMPTS_MAX)
		return failure_set(failure, STATUS_MALFORMED, "%s: more than %u requests, the feed's limit", feed->name, feed->pages_max);
	if (pace_held_s(fetch->options->pace, fetch->host) > WAIT_MAX_S)
		return failure_set(failure, STATUS_UNAVAILABLE, "%s: %.100s asked for no requests for another %d s", feed->name, fetch->host,
			pace_held_s(fetch->options->pace, fetch->host));
	/* No pause for an internal mirror: only this installation uses it. */
	if (!wait_ns(fetch, pace_turn_ns(fetch->options->pace, fetch->host, fetch->options->local ? 0 : feed->pause_ms)))
		return stopped_status(fetch, failure);
	fetch->traffic->requests++;
	fetch->taken = STATUS_OK;
	fetch->taken_bytes = 0;
	fetch->failure = failure;
	http_client_run(fetch->client, &sent, answer);
	fetch->traffic->bytes += answer->bytes;
	return STATUS_OK;
}

static bool is_redirect(const struct http_answer *answer)
{
	return answer->end == HTTP_ANSWERED &&
		(answer->status == 301 || answer->status == 302 || answer->status == 303 || answer->status == 307 || answer->status == 308);
}

/* True if another attempt may succeed. Not for a stream of which rows were taken: they would be taken twice. */
static bool is_passing(const struct fetch *fetch, const struct http_answer *answer)
{
	if (fetch->taken_bytes > 0)
		return false;
	if (answer->end == HTTP_ANSWERED)
		return answer->status == 429 || answer->status >= 500;
	return answer->end == HTTP_UNREACHABLE;
}

/* Sends a request and follows redirects on the same host; for a part of a file also to a store, without the key. */
static enum status ask_redirected(struct fetch *fetch, const struct feed_request *request, struct http_answer *answer, struct failure *failure)
{
	bool elsewhere;
	const char *url = vetted_url(fetch, fetch->walk->base_url, request->url, &elsewhere, failure);
	enum status status = url ? ask(fetch, request, url, elsewhere, answer, failure) : failure->status;

	for (int hop = 0; status == STATUS_OK && is_redirect(answer) && hop < REDIRECTS_MAX; hop++) {
		url = vetted_url(fetch, url, answer->location, &elsewhere, failure);
		http_answer_release(answer);
		status = url ? ask(fetch, request, url, elsewhere, answer, failure) : failure->status;
	}
	return status;
}

/* Waits as long as the host requests, or a little longer after each attempt. */
static enum status wait_for_another(struct fetch *fetch, const struct http_answer *answer, int attempt, struct failure *failure)
{
	int64_t ns = (int64_t)(FIRST_WAIT_MS << attempt) * ns_per_ms;

	if (answer->retry_after_s > WAIT_MAX_S) {
		pace_hold(fetch->options->pace, fetch->host, answer->retry_after_s);
		return failure_set(failure, STATUS_UNAVAILABLE, "%s: %.100s answered %d and asked for no requests for %d s",
			fetch->walk->feed->name, fetch->host, answer->status, answer->retry_after_s);
	}
	if (answer->retry_after_s >= 0)
		ns = answer->retry_after_s * ns_per_s;
	if (clock_monotonic_ns() + ns > fetch->until_ns)
		return failure_set(failure, STATUS_UNAVAILABLE, "%s: no time remains for another attempt", fetch->walk->feed->name);
	return wait_ns(fetch, ns) ? STATUS_OK : stopped_status(fetch, failure);
}

/* Sends a request until its answer is final. With STATUS_OK the caller releases the answer with
 * http_answer_release(). */
static enum status ask_patiently(struct fetch *fetch, const struct feed_request *request, struct http_answer *answer, struct failure *failure)
{
	enum status status = STATUS_OK;

	for (int attempt = 0; status == STATUS_OK; attempt++) {
		*answer = (struct http_answer){.retry_after_s = -1};
		status = ask_redirected(fetch, request, answer, failure);
		if (status == STATUS_OK && (!is_passing(fetch, answer) || attempt + 1 == ATTEMPTS_MAX))
			return STATUS_OK;
		if (status == STATUS_OK)
			status = wait_for_another(fetch, answer, attempt, failure);
		http_answer_release(answer);
	}
	return status;
}

/* Judges an answer. STATUS_OK: a 200 or 304. Otherwise the failure never quotes the body: a server may repeat a key in
 * it. */
static enum status judge(struct fetch *fetch, const struct http_answer *answer, struct failure *failure)
{
	const char *name = fetch->walk->feed->name;

	if (fetch->taken != STATUS_OK)
		return fetch->taken;
	if (answer->end == HTTP_INTERRUPTED)
		return stopped_status(fetch, failure);
	if (answer->end == HTTP_TOO_LARGE)
		return failure_set(failure, STATUS_MALFORMED, "%s: an answer is larger than %zu bytes", name, fetch->walk->feed->answer_max_bytes);
	if (answer->end == HTTP_NO_MEMORY)
		return failure_set(failure, STATUS_NO_MEMORY, "%s: no memory for a request", name);
	if (answer->end != HTTP_ANSWERED)
		return failure_set(failure, STATUS_UNAVAILABLE, "%s: %.240s", name, answer->detail);
	switch (answer->status) {
	case 200:
	case 304:
		if (fetch->ranged)
			return failure_set(failure, STATUS_UNAVAILABLE, "%s: %.100s does not support requests for parts of files", name, fetch->host);
		return STATUS_OK;
	case 206:
		if (fetch->ranged)
			return STATUS_OK;
		return failure_set(failure, STATUS_UNAVAILABLE, "%s: %.100s answered only a part of the request", name, fetch->host);
	case 401:
	case 403:
		return failure_set(failure, STATUS_FORBIDDEN, "%s: %.100s answered %d: the key is missing, wrong, or does not allow this request",
			name, fetch->host, answer->status);
	case 404:
		return failure_set(failure, STATUS_NOT_FOUND, "%s: %.100s answered 404", name, fetch->host);
	default:
		return failure_set(failure, STATUS_UNAVAILABLE, "%s: %.100s answered %d", name, fetch->host, answer->status);
	}
}

/* --- the walk ------------------------------------------------------------------------------------------------------ */

static enum status fetch_open(struct fetch *fetch, struct failure *failure)
{
	const struct feed *feed = fetch->walk->feed;
	const struct http_client_options options = {.ca_file = fetch->options->ca_file,
		.public_only = !fetch->options->local,
		.resolve = fetch->options->resolve,
		.answer_max_bytes = feed->take ? (size_t)16 << 20 : feed->answer_max_bytes};
	const char *host = strstr(fetch->walk->base_url, "://");
	enum status status = fetch_base_check(fetch->walk->base_url, fetch->options->local, failure);

	if (status != STATUS_OK)
		return status;
	snprintf(fetch->host, sizeof fetch->host, "%.*s", (int)strcspn(host + 3, "/"), host + 3);
	fetch->until_ns = clock_monotonic_ns() + feed->refresh_s * ns_per_s;
	return http_client_open(&options, &fetch->client, failure);
}

static void keep_validator(struct fetch *fetch, const struct feed_request *request, const struct http_answer *answer)
{
	struct fetch_traffic *traffic = fetch->traffic;
	struct arena *arena = fetch->walk->arena;
	struct feed_validator fresh = {.url = arena_strdup(arena, request->url)};

	if (!request->conditional || (!answer->etag[0] && !answer->last_modified[0]) || traffic->fresh_count == VALIDATORS_MAX)
		return;
	if (!traffic->fresh)
		traffic->fresh = ARENA_ARRAY(arena, struct feed_validator, VALIDATORS_MAX);
	fresh.etag = answer->etag[0] ? arena_strdup(arena, answer->etag) : NULL;
	fresh.last_modified = answer->last_modified[0] ? arena_strdup(arena, answer->last_modified) : NULL;
	if (traffic->fresh && fresh.url && (fresh.etag || fresh.last_modified))
		traffic->fresh[traffic->fresh_count++] = fresh;
}

static enum status read_answer(
	struct fetch *fetch, const struct feed_request *request, const struct http_answer *answer, struct failure *failure)
{
	struct feed_walk *walk = fetch->walk;
	enum status status;

	if (answer->status == 304) {
		if (!request->conditional)
			return failure_set(failure, STATUS_MALFORMED, "%s: 304 was answered to an unconditional request", walk->feed->name);
		fetch->traffic->unchanged++;
		feed_walk_next_item(walk);
		return STATUS_OK;
	}
	if (request->streamed)
		status = walk->feed->take(walk, "", 0, failure);
	else
		status = walk->feed->read(walk, answer->body.bytes ? answer->body.bytes : "", answer->body.length, failure);
	if (status == STATUS_OK)
		keep_validator(fetch, request, answer);
	return status;
}

static enum status fetch_step(struct fetch *fetch, struct failure *failure)
{
	struct feed_walk *walk = fetch->walk;
	struct feed_request request = {0};
	struct http_answer answer;
	char doing[64];
	enum status status = walk->feed->request(walk, &request, failure);

	if (status == STATUS_OK)
		status = ask_patiently(fetch, &request, &answer, failure);
	if (status != STATUS_OK)
		return status;
	status = judge(fetch, &answer, failure);
	if (status == STATUS_OK) {
		status = read_answer(fetch, &request, &answer, failure);
	} else if (request.optional && (status == STATUS_FORBIDDEN || status == STATUS_NOT_FOUND)) {
		feed_rows_skip(&walk->rows, walk->arena, "an answer that the key does not allow", request.url);
		failure_clear(failure);
		feed_walk_next_item(walk);
		status = STATUS_OK;
	}
	http_answer_release(&answer);
	snprintf(doing, sizeof doing, "%lld requests, %lld rows", (long long)fetch->traffic->requests, (long long)walk->rows.seen);
	progress_note(fetch->progress, walk->scope.count ? (double)walk->scope_at / (double)walk->scope.count : 0, doing);
	return status;
}

enum status fetch_walk(struct feed_walk *walk, const struct fetch_options *options, const struct progress *progress,
	struct fetch_traffic *traffic, struct failure *failure)
{
	struct fetch fetch = {.walk = walk, .options = options, .progress = progress, .traffic = traffic};
	enum status status = fetch_open(&fetch, failure);

	for (unsigned page = 0; status == STATUS_OK && !walk->done; page++) {
		if (page == walk->feed->pages_max)
			status = failure_set(failure, STATUS_MALFORMED, "%s: more than %u answers, the feed's limit", walk->feed->name, page);
		else
			status = fetch_step(&fetch, failure);
	}
	if (status == STATUS_OK && walk->feed->finish)
		status = walk->feed->finish(walk, failure);
	http_client_close(fetch.client);
	return status;
}

enum status fetch_document(struct feed_walk *walk, const struct fetch_options *options, const struct feed_request *request,
	const struct progress *progress, const char **text, size_t *length, struct failure *failure)
{
	struct fetch_traffic traffic = {0};
	struct fetch fetch = {.walk = walk, .options = options, .progress = progress, .traffic = &traffic, .ranged = request->ranged};
	struct http_answer answer;
	enum status status = fetch_open(&fetch, failure);

	if (status == STATUS_OK)
		status = ask_patiently(&fetch, request, &answer, failure);
	if (status == STATUS_OK) {
		status = judge(&fetch, &answer, failure);
		if (status == STATUS_OK) {
			*length = answer.body.length;
			*text = arena_strndup(walk->arena, answer.body.bytes ? answer.body.bytes : "", answer.body.length);
			status = *text ? STATUS_OK : failure_set(failure, STATUS_NO_MEMORY, "%s: no memory", walk->feed->name);
		}
		http_answer_release(&answer);
	}
	http_client_close(fetch.client);
	return status;
}
