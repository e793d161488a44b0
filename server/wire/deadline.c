#include "server/wire/deadline.h"

#include <errno.h>
#include <linux/tcp.h> /* newer than netinet/tcp.h: tcpi_bytes_received */
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "server/wire/body.h"
#include "server/wire/peer.h"

/* A client is slow if it reads less than SLOW_BYTES in SLOW_MS: half a minute per megabyte. */
enum { SWEEP_MS = 250, SLOW_MS = 2000, HALF_CLOSED_MS = 1000, SLOW_BYTES = 64 * 1024 };

/* The answer to a client that took too long to send. It is written to the socket directly: libmicrohttpd does not write
 * in this phase. */
#define DEADLINE_PROBLEM \
	"{\"type\":\"urn:fleetplan:problem/request-timeout\",\"title\":\"Request took too long to arrive\",\"status\":408," \
	"\"detail\":\"the request did not arrive in time (--receive-seconds); send it faster\"}"
_Static_assert(sizeof DEADLINE_PROBLEM - 1 == 185, "the Content-Length below");
static const char deadline_answer[] = "HTTP/1.1 408 Request Timeout\r\nContent-Type: application/problem+json\r\n"
									  "Content-Length: 185\r\nConnection: close\r\n\r\n" DEADLINE_PROBLEM;

uint64_t deadline_bytes_received(int fd)
{
	struct tcp_info info;
	socklen_t length = sizeof info;

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 ||
		length < offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received)
		return 0;
	return info.tcpi_bytes_received;
}

/* Starts the deadline of a request on an idle connection: libmicrohttpd reports nothing before a whole request line has
 * arrived, so arriving bytes are the beginning of a request. */
static void deadline_watch_idle(struct peers *peers, struct peer *peer, uint64_t state, int64_t now_ms)
{
	uint64_t received = deadline_bytes_received(peer->fd);

	if (!peer->idle_seen) {
		peer->idle_seen = true;
		peer->bytes_received = received;
	} else if (received != peer->bytes_received) {
		uint64_t until_ms = (uint64_t)now_ms + peers->receive_seconds * 1000ULL;
		if (atomic_compare_exchange_strong(&peer->state, &state, until_ms * 8 + PHASE_OPENED))
			atomic_store(&peer->since_ms, now_ms);
	}
}

/* True if a client reads its answer so slowly that requests waiting for memory come first. */
static bool deadline_is_slow(const struct peers *peers, struct peer *peer, int64_t now_ms)
{
	struct tcp_info info;
	socklen_t length = sizeof info;
	bool slow;

	if (atomic_load(&peer->held_bytes) == 0 || getsockopt(peer->fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 ||
		length < offsetof(struct tcp_info, tcpi_bytes_acked) + sizeof info.tcpi_bytes_acked)
		return false;
	if (peer->taken_ms == 0 || info.tcpi_bytes_acked - peer->bytes_taken >= SLOW_BYTES) {
		peer->taken_ms = now_ms;
		peer->bytes_taken = info.tcpi_bytes_acked;
	}
	slow = now_ms - peer->taken_ms >= SLOW_MS;
	return slow && atomic_load(&peers->budget->used_bytes) > peers->budget->maximum_bytes / 2;
}

static void deadline_cut(struct peers *peers, struct peer *peer, uint64_t state)
{
	if (!atomic_compare_exchange_strong(&peer->state, &state, PHASE_CUT))
		return; /* the connection changed its phase at the last moment */
	if ((state & 7) == PHASE_RECEIVING || (state & 7) == PHASE_OPENED)
		(void)!send(peer->fd, deadline_answer, sizeof deadline_answer - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	shutdown(peer->fd, SHUT_RDWR);
	atomic_fetch_add(&peers->cut, 1);
}

/* A client that has shut its sending half may wait for its answer, or have left; only sending would show which. It gets
 * HALF_CLOSED_MS. */
static void deadline_watch_client(struct peer *peer, int64_t now_ms)
{
	enum peer_end end = peer_end_of(peer);

	if (end == PEER_STAYS)
		return;
	if (peer->ended_ms == 0)
		peer->ended_ms = now_ms;
	if (end == PEER_LEFT || now_ms - peer->ended_ms >= HALF_CLOSED_MS)
		atomic_store(&peer->gone, true);
}

static void deadline_sweep(struct peers *peers, int64_t now_ms)
{
	for (struct peer *peer = peers->first; peer; peer = peer->next) {
		uint64_t state = atomic_load(&peer->state);
		enum peer_phase phase = (enum peer_phase)(state & 7);

		if (phase == PHASE_IDLE) {
			deadline_watch_idle(peers, peer, state, now_ms);
			continue;
		}
		peer->idle_seen = false;
		if (phase != PHASE_SENDING)
			peer->taken_ms = 0;
		else if (deadline_is_slow(peers, peer, now_ms)) {
			atomic_fetch_add(&peers->cut_for_memory, 1);
			deadline_cut(peers, peer, state);
			continue;
		}
		if (phase == PHASE_WORKING)
			deadline_watch_client(peer, now_ms);
		else
			peer->ended_ms = 0;
		if ((phase == PHASE_OPENED || phase == PHASE_RECEIVING || phase == PHASE_SENDING) && (int64_t)(state / 8) < now_ms)
			deadline_cut(peers, peer, state);
	}
}

/* Discards what arrives at gently closed sockets, until the client closes too or its time is over. */
static void deadline_linger(struct peers *peers, int64_t now_ms)
{
	char waste[16 * 1024];
	size_t kept = 0;

	for (size_t i = 0; i < peers->lingering_count; i++) {
		struct lingering *lingering = &peers->lingering[i];
		ssize_t got = 0;

		for (int rounds = 0; rounds < 64; rounds++) {
			got = recv(lingering->fd, waste, sizeof waste, MSG_DONTWAIT);
			if (got <= 0)
				break;
		}
		if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR) || lingering->until_ms < now_ms)
			close(lingering->fd);
		else
			peers->lingering[kept++] = *lingering;
	}
	peers->lingering_count = kept;
}

void *deadline_sweeper(void *argument)
{
	struct peers *peers = argument;

	pthread_mutex_lock(&peers->mutex);
	while (!peers->stopping) {
		int64_t now_ns = clock_monotonic_ns(), until_ns = now_ns + SWEEP_MS * 1000000LL;
		struct timespec until = {.tv_sec = until_ns / 1000000000, .tv_nsec = until_ns % 1000000000};

		deadline_sweep(peers, now_ns / 1000000);
		deadline_linger(peers, now_ns / 1000000);
		pthread_cond_timedwait(&peers->wake, &peers->mutex, &until);
	}
	pthread_mutex_unlock(&peers->mutex);
	return NULL;
}
