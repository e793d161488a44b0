#include "net/http_client.h"

#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "net/address.h"

enum { RETRY_AFTER_MAX_S = 86400, POLL_MS = 1000, STOP_POLL_MS = 100, STEADY_BYTES_PER_S = 1000, STEADY_S = 30, SECRET_MAX_BYTES = 4096 };

#define CONNECT_S 10.0

struct http_client {
	struct http_client_options options;
	char *ca_file;
	struct curl_slist *resolve;
	CURLM *multi;
	CURL *easy;
	char error[CURL_ERROR_SIZE];

	/* Of the current request. */
	const struct http_request *request;
	struct http_answer *answer;
	bool plain, forbidden, refused;
};

static const char *const end_names[HTTP_END_COUNT] = {
	[HTTP_ANSWERED] = "answered",
	[HTTP_UNREACHABLE] = "unreachable",
	[HTTP_OVERDUE] = "overdue",
	[HTTP_UNTRUSTED] = "untrusted",
	[HTTP_TOO_LARGE] = "too large",
	[HTTP_FORBIDDEN] = "forbidden",
	[HTTP_INTERRUPTED] = "interrupted",
	[HTTP_NO_MEMORY] = "no memory",
};

const char *http_end_name(enum http_end end)
{
	CHECK(end < HTTP_END_COUNT);
	return end_names[end];
}

static void curl_start(void)
{
	(void)curl_global_init(CURL_GLOBAL_DEFAULT); /* after a failure every curl_easy_init() fails */
}

/* Gives the body of a 200 to `take`. Stores every other body, for its error text, within answer_max_bytes. */
static size_t receive_body(char *bytes, size_t size, size_t count, void *context)
{
	struct http_client *client = context;
	const struct http_request *request = client->request;
	long status = 0;

	client->answer->bytes += (int64_t)(size * count);
	(void)curl_easy_getinfo(client->easy, CURLINFO_RESPONSE_CODE, &status);
	if (request->take && status == 200) {
		client->refused = !request->take(request->context, bytes, size * count);
		return client->refused ? 0 : size * count;
	}
	buffer_append(&client->answer->body, bytes, size * count);
	return client->answer->body.failed ? 0 : size * count;
}

/* curl calls this between resolving and connecting: only here the client can reject the address of any name. */
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct http_client *client = context;

	(void)purpose;
	if ((client->plain && !client->options.plain_anywhere && !address_is_this_machine(&address->addr)) ||
		(client->options.public_only && !address_is_public(&address->addr))) {
		client->forbidden = true;
		return CURL_SOCKET_BAD;
	}
	return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

enum status http_client_open(const struct http_client_options *options, struct http_client **client, struct failure *failure)
{
	static pthread_once_t started = PTHREAD_ONCE_INIT;
	struct http_client *made;

	*client = NULL;
	pthread_once(&started, curl_start);
	if (options->ca_file && *options->ca_file && access(options->ca_file, R_OK))
		return failure_set(failure, STATUS_INVALID, "ca-file: %s: %s", options->ca_file, strerror(errno));
	made = calloc(1, sizeof(*made));
	if (!made)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for an HTTP client");
	made->options = *options;
	made->multi = curl_multi_init();
	made->easy = curl_easy_init();
	made->ca_file = options->ca_file && *options->ca_file ? strdup(options->ca_file) : NULL;
	made->resolve = options->resolve ? curl_slist_append(NULL, options->resolve) : NULL;
	if (!made->multi || !made->easy || (options->ca_file && *options->ca_file && !made->ca_file) || (options->resolve && !made->resolve)) {
		http_client_close(made);
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for an HTTP client");
	}
	*client = made;
	return STATUS_OK;
}

void http_client_close(struct http_client *client)
{
	if (!client)
		return;
	curl_easy_cleanup(client->easy);
	curl_multi_cleanup(client->multi);
	curl_slist_free_all(client->resolve);
	free(client->ca_file);
	free(client);
}

#define SET(option, value) (good = curl_easy_setopt(easy, (option), (value)) == CURLE_OK && good)

/* Sets the limits of connections, credentials and time. */
static bool set_limits(struct http_client *client, const struct http_request *request)
{
	double connect_s = client->options.connect_s > 0 ? client->options.connect_s : CONNECT_S;
	CURL *easy = client->easy;
	bool good = true;

	SET(CURLOPT_PROTOCOLS_STR, "http,https");
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	SET(CURLOPT_SSL_VERIFYPEER, 1L);
	SET(CURLOPT_SSL_VERIFYHOST, 2L);
	if (client->ca_file)
		SET(CURLOPT_CAINFO, client->ca_file);
	if (client->plain || client->options.public_only)
		SET(CURLOPT_PROXY, "");
	if (client->resolve)
		SET(CURLOPT_RESOLVE, client->resolve);
	if (request->packed)
		SET(CURLOPT_ACCEPT_ENCODING, "gzip");
	if (request->steady) {
		SET(CURLOPT_LOW_SPEED_LIMIT, (long)STEADY_BYTES_PER_S);
		SET(CURLOPT_LOW_SPEED_TIME, (long)STEADY_S);
	}
	SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
	SET(CURLOPT_OPENSOCKETDATA, client);
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_QUICK_EXIT, 1L); /* an interrupted request does not wait for a slow resolver */
	SET(CURLOPT_TCP_KEEPALIVE, 1L);
	SET(CURLOPT_CONNECTTIMEOUT_MS, (long)(connect_s * 1e3));
	SET(CURLOPT_TIMEOUT_MS, (long)(request->timeout_s * 1e3));
	SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	SET(CURLOPT_USERAGENT, "fleetplan/" FLEETPLAN_VERSION);
	return good;
}

static bool add_header(struct curl_slist **headers, const char *header)
{
	struct curl_slist *longer = curl_slist_append(*headers, header);

	*headers = longer ? longer : *headers;
	return longer != NULL;
}

static bool add_secret(struct curl_slist **headers, const char *name, const char *secret)
{
	char header[SECRET_MAX_BYTES + 32];
	int length = snprintf(header, sizeof(header), "%s %s", name, secret);
	bool good = length < (int)sizeof(header) && add_header(headers, header);

	explicit_bzero(header, sizeof(header));
	return good;
}

static bool set_request(struct http_client *client, const struct http_request *request, struct curl_slist **headers)
{
	char accept[128], content_type[128];
	CURL *easy = client->easy;
	bool good = true;

	SET(CURLOPT_URL, request->url);
	SET(CURLOPT_CUSTOMREQUEST, request->method);
	SET(CURLOPT_ERRORBUFFER, client->error);
	SET(CURLOPT_WRITEFUNCTION, receive_body);
	SET(CURLOPT_WRITEDATA, client);
	if (request->body) {
		SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_length);
		SET(CURLOPT_POSTFIELDS, request->body);
		snprintf(content_type, sizeof(content_type), "Content-Type: %s", request->content_type ? request->content_type : "application/json");
		good = add_header(headers, content_type) && good;
	}
	if (request->bearer)
		good = add_secret(headers, "Authorization: Bearer", request->bearer) && good;
	if (request->basic) {
		SET(CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
		SET(CURLOPT_USERPWD, request->basic);
	}
	for (const char *const *header = request->headers; header && *header; header++)
		good = add_header(headers, *header) && good;
	snprintf(accept, sizeof(accept), "Accept: %s", request->accept ? request->accept : "application/json");
	/* "Expect: 100-continue" would delay a large body by 1 s at servers that do not support it. */
	good = add_header(headers, "Expect:") && add_header(headers, accept) && good;
	SET(CURLOPT_HTTPHEADER, *headers);
	return good;
}

#undef SET

static enum http_end end_of(const struct http_client *client, CURLcode code)
{
	if (client->answer->body.failed)
		return HTTP_TOO_LARGE;
	if (client->forbidden)
		return HTTP_FORBIDDEN;
	if (client->refused)
		return HTTP_INTERRUPTED;
	switch ((int)code) {
	case CURLE_OK:
		return HTTP_ANSWERED;
	case CURLE_OPERATION_TIMEDOUT:
		return HTTP_OVERDUE;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_CERTPROBLEM:
		return HTTP_UNTRUSTED;
	case CURLE_URL_MALFORMAT:
		return HTTP_FORBIDDEN;
	case CURLE_OUT_OF_MEMORY:
		return HTTP_NO_MEMORY;
	default:
		return HTTP_UNREACHABLE;
	}
}

/* Runs the request until it is answered, fails, times out or is interrupted. */
static enum http_end perform(struct http_client *client, const struct http_request *request)
{
	CURLMcode code = curl_multi_add_handle(client->multi, client->easy);
	int running = 1, left;
	const CURLMsg *message;

	while (code == CURLM_OK && (code = curl_multi_perform(client->multi, &running)) == CURLM_OK && running) {
		struct curl_waitfd wake = {.fd = request->wake_fd, .events = CURL_WAIT_POLLIN};

		if (request->stop && request->stop(request->context))
			return HTTP_INTERRUPTED;
		code = curl_multi_poll(client->multi, &wake, request->wake_fd >= 0, request->stop ? STOP_POLL_MS : POLL_MS, NULL);
		if (wake.revents)
			return HTTP_INTERRUPTED;
	}
	message = code == CURLM_OK ? curl_multi_info_read(client->multi, &left) : NULL;
	return message ? end_of(client, message->data.result) : HTTP_NO_MEMORY;
}

static const char *header_of(CURL *easy, const char *name)
{
	struct curl_header *header;

	return curl_easy_header(easy, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK ? header->value : NULL;
}

static int retry_after_s(CURL *easy)
{
	const char *value = header_of(easy, "Retry-After"), *date;
	char *end;
	long seconds;

	if (!value)
		return -1;
	seconds = strtol(value, &end, 10);
	if (end == value && (date = header_of(easy, "Date")) && curl_getdate(value, NULL) >= 0 && curl_getdate(date, NULL) >= 0) {
		seconds = curl_getdate(value, NULL) - curl_getdate(date, NULL);
		seconds = seconds > 0 ? seconds : 0;
	} else if (end == value || *end || seconds < 0) {
		return -1;
	}
	return (int)(seconds < RETRY_AFTER_MAX_S ? seconds : RETRY_AFTER_MAX_S);
}

static void copy_header(CURL *easy, const char *name, char *out, size_t size)
{
	const char *value = header_of(easy, name);

	if (value && strlen(value) < size)
		memcpy(out, value, strlen(value) + 1);
}

static void describe_error(const struct http_client *client, const struct http_request *request, struct http_answer *answer)
{
	const char *why = "";

	if (answer->end == HTTP_FORBIDDEN)
		why = !client->forbidden          ? "only http and https URLs are allowed"
			: client->options.public_only ? "its address does not belong to the public internet"
										  : "http is allowed only to addresses of this machine; use https";
	else if (answer->end == HTTP_TOO_LARGE)
		why = "the answer is larger than the limit";
	else if (answer->end != HTTP_INTERRUPTED && answer->end != HTTP_NO_MEMORY)
		why = client->error;
	snprintf(answer->detail, sizeof(answer->detail), "%s %.120s: %s%s%.100s", request->method, request->url, end_names[answer->end],
		*why ? ": " : "", why);
}

void http_client_run(struct http_client *client, const struct http_request *request, struct http_answer *answer)
{
	struct curl_slist *headers = NULL;
	long status = 0;

	*answer = (struct http_answer){.end = HTTP_NO_MEMORY, .retry_after_s = -1};
	buffer_init(&answer->body, client->options.answer_max_bytes);
	curl_easy_reset(client->easy);
	client->answer = answer;
	client->request = request;
	client->error[0] = '\0';
	client->plain = strncasecmp(request->url, "https://", 8) != 0;
	client->forbidden = client->refused = false;
	if (client->plain && strncasecmp(request->url, "http://", 7) != 0)
		answer->end = HTTP_FORBIDDEN;
	else if (set_limits(client, request) && set_request(client, request, &headers))
		answer->end = perform(client, request);
	if (answer->end == HTTP_ANSWERED) {
		(void)curl_easy_getinfo(client->easy, CURLINFO_RESPONSE_CODE, &status);
		answer->status = (int)status;
		answer->retry_after_s = retry_after_s(client->easy);
		copy_header(client->easy, "ETag", answer->etag, sizeof(answer->etag));
		copy_header(client->easy, "Last-Modified", answer->last_modified, sizeof(answer->last_modified));
		copy_header(client->easy, "Location", answer->location, sizeof(answer->location));
	} else {
		describe_error(client, request, answer);
	}
	(void)curl_multi_remove_handle(client->multi, client->easy);
	for (struct curl_slist *header = headers; header; header = header->next)
		explicit_bzero(header->data, strlen(header->data));
	curl_slist_free_all(headers);
	client->answer = NULL;
	client->request = NULL;
}

void http_answer_release(struct http_answer *answer)
{
	buffer_release(&answer->body);
}
