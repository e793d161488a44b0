#include "server/stream.h"

#include "base/clock.h"
#include "server/http_private.h"
#include "server/server.h"

enum { STREAM_STATE_MAX_BYTES = 1024 * 1024, STREAM_BLOCK_BYTES = 4096, STREAM_HEARTBEAT_MAX_S = 15 };
#define NS_PER_S 1000000000LL

/* Shared by the watcher, which adds events, and the connection's thread, which reads bytes. The last of the two frees
 * it. */
struct stream {
	struct watch watch; /* first member, so that a pointer to it is a pointer to the struct */
	struct stream_subject subject;
	char id[STREAM_ID_SIZE]; /* the watcher's: id of the last event */
	int64_t spoke_ns;        /* the watcher's: when something was last added */

	pthread_mutex_t mutex;     /* protects all members below */
	struct exchange *exchange; /* NULL once the connection has released the stream */
	struct buffer pending;
	size_t sent_bytes; /* bytes of `pending` that are sent */
	bool asleep;       /* the connection is suspended, until there is something to send */
	bool ended;        /* no more events follow */
	bool watched;      /* the watcher owns it too */
};

static void stream_free(struct stream *stream)
{
	buffer_release(&stream->pending);
	pthread_mutex_destroy(&stream->mutex);
	free(stream);
}

static void stream_put_event(struct stream *stream, const char *id, const struct buffer *state, bool done)
{
	buffer_printf(&stream->pending, "id: %s\nevent: %s\ndata: ", id, done ? "done" : "progress");
	buffer_append(&stream->pending, state->bytes, state->length);
	buffer_append_text(&stream->pending, "\n\n");
	snprintf(stream->id, sizeof stream->id, "%s", id);
}

/* Send a keep-alive comment four times within the idle timeout: a client with the same timeout then keeps the
 * connection. */
static int64_t stream_heartbeat_ns(const struct stream *stream)
{
	int64_t ns = stream->exchange->http->options.idle_seconds * NS_PER_S / 4;

	return ns < STREAM_HEARTBEAT_MAX_S * NS_PER_S ? ns : STREAM_HEARTBEAT_MAX_S * NS_PER_S;
}

/* Adds the next event or keep-alive comment; ends the stream if its subject no longer exists. */
static void stream_fill(struct stream *stream, bool last)
{
	struct buffer state;
	char id[STREAM_ID_SIZE];
	bool done = false;

	buffer_init(&state, STREAM_STATE_MAX_BYTES);
	if (stream->subject.read(&stream->subject, &state, id, &done) != STATUS_OK || state.failed) {
		stream->ended = true;
	} else if (strcmp(id, stream->id) != 0) {
		stream_put_event(stream, id, &state, done);
		stream->spoke_ns = clock_monotonic_ns();
	} else if (clock_monotonic_ns() - stream->spoke_ns > stream_heartbeat_ns(stream)) {
		buffer_append_text(&stream->pending, ": still here\n\n");
		stream->spoke_ns = clock_monotonic_ns();
	}
	buffer_release(&state);
	stream->ended |= done || last || (stream->subject.ends_with_service && atomic_load(&stream->subject.server->draining));
}

static bool stream_look(struct watch *watch, bool last)
{
	struct stream *stream = (struct stream *)(void *)watch;
	bool over;

	pthread_mutex_lock(&stream->mutex);
	if (stream->exchange && atomic_load(&stream->exchange->peer->gone))
		stream->ended = true;
	/* A slow client receives the newest state after it has read what is pending. */
	if (stream->exchange && !stream->ended && stream->sent_bytes == stream->pending.length)
		stream_fill(stream, last);
	stream->ended |= last;
	if (stream->exchange && stream->asleep && (stream->ended || stream->sent_bytes < stream->pending.length)) {
		stream->asleep = false;
		MHD_resume_connection(stream->exchange->mhd);
	}
	over = !stream->exchange || stream->ended;
	stream->watched = !over;
	last = over && !stream->exchange;
	pthread_mutex_unlock(&stream->mutex);
	if (last)
		stream_free(stream);
	return over;
}

/* Gives bytes to libmicrohttpd. With nothing to send the connection is suspended: only returning 0 would make
 * libmicrohttpd spin. */
static ssize_t stream_read(void *closure, uint64_t position, char *out, size_t room)
{
	struct stream *stream = closure;
	struct exchange *exchange = stream->exchange;
	ssize_t result;
	size_t left;

	(void)position;
	pthread_mutex_lock(&stream->mutex);
	left = stream->pending.length - stream->sent_bytes;
	if (left > room)
		left = room;
	if (left > 0) {
		memcpy(out, stream->pending.bytes + stream->sent_bytes, left);
		stream->sent_bytes += left;
		exchange->answer_length += left;
	}
	if (stream->sent_bytes == stream->pending.length) {
		buffer_clear(&stream->pending);
		stream->sent_bytes = 0;
	}
	result = left > 0 ? (ssize_t)left : stream->ended ? MHD_CONTENT_READER_END_OF_STREAM : 0;
	/* The send deadline applies only while there is something to read. */
	if (!peer_enter(&exchange->http->peers, exchange->peer, result == 0 ? PHASE_WORKING : PHASE_SENDING)) {
		result = MHD_CONTENT_READER_END_WITH_ERROR;
	} else if (result == 0) {
		stream->asleep = true;
		MHD_suspend_connection(exchange->mhd);
	}
	pthread_mutex_unlock(&stream->mutex);
	return result;
}

struct MHD_Response *stream_response(struct exchange *exchange)
{
	return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK_BYTES, stream_read, exchange->stream, NULL);
}

void stream_close(struct exchange *exchange)
{
	struct stream *stream = exchange->stream;
	bool mine;

	if (!stream)
		return;
	exchange->stream = NULL;
	pthread_mutex_lock(&stream->mutex);
	stream->exchange = NULL;
	mine = !stream->watched;
	pthread_mutex_unlock(&stream->mutex);
	if (mine)
		stream_free(stream);
}

static enum status stream_begin(struct call *call, const struct stream_subject *subject)
{
	struct exchange *exchange = exchange_of(call);
	struct stream *stream = calloc(1, sizeof *stream);

	if (!stream)
		return STATUS_NO_MEMORY;
	stream->watch.look = stream_look;
	stream->subject = *subject;
	stream->exchange = exchange;
	stream->watched = true;
	stream->spoke_ns = clock_monotonic_ns();
	if (call->last_event_id && strlen(call->last_event_id) < sizeof stream->id)
		snprintf(stream->id, sizeof stream->id, "%s", call->last_event_id);
	pthread_mutex_init(&stream->mutex, NULL);
	buffer_init(&stream->pending, 2 * STREAM_STATE_MAX_BYTES);
	buffer_append_text(&stream->pending, "retry: 2000\n\n");
	exchange->stream = stream;
	call_header(call, "X-Accel-Buffering", "no"); /* a buffering proxy would deliver all events at the end */
	watcher_add(&exchange->http->watcher, &stream->watch);
	return STATUS_OK;
}

enum status call_stream(struct call *call, const struct stream_subject *subject)
{
	char id[STREAM_ID_SIZE];
	struct buffer state;
	bool done = false;
	enum status status;

	buffer_init(&state, STREAM_STATE_MAX_BYTES);
	status = subject->read(subject, &state, id, &done);
	buffer_release(&state);
	if (status != STATUS_OK)
		return status;
	if (done && call->last_event_id && strcmp(call->last_event_id, id) == 0) {
		call_no_content(call);
		return STATUS_OK;
	}
	return stream_begin(call, subject);
}
