"""Every probe of docs/http-limits.md: a request that two readers could understand differently is refused, and its
connection closed."""
import json

import pytest

HOST = b"Host: localhost\r\n"
SMUGGLED = b"GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n"

REFUSED = {
    "content_length_twice": b"POST /livez HTTP/1.1\r\n" + HOST + b"Content-Length: 2\r\nContent-Length: 45\r\n\r\n{}" + SMUGGLED,
    "content_length_twice_larger_first": b"POST /livez HTTP/1.1\r\n" + HOST + b"Content-Length: 40\r\nContent-Length: 2\r\n\r\n{}",
    "content_length_twice_equal": b"POST /livez HTTP/1.1\r\n" + HOST + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
    "length_and_chunked": b"POST /livez HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "chunked_and_length": b"POST /livez HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "chunked_twice": b"POST /livez HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "xchunked": b"POST /livez HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "gzip_transfer": b"POST /livez HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: gzip\r\n\r\n0\r\n\r\n",
    "chunked_identity": b"POST /livez HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "chunked_in_http_1_0": b"POST /livez HTTP/1.0\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "space_before_colon": b"POST /livez HTTP/1.1\r\n" + HOST + b"Content-Length : 2\r\n\r\n{}",
    "tab_in_name": b"GET /livez HTTP/1.1\r\n" + HOST + b"X\tY: 1\r\n\r\n",
    "empty_name": b"GET /livez HTTP/1.1\r\n" + HOST + b": 1\r\n\r\n",
    "two_hosts": b"GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "no_host": b"GET /livez HTTP/1.1\r\nX-A: 1\r\n\r\n",
    "no_header_at_all": b"GET /livez HTTP/1.1\r\n\r\n",
    "host_list": b"GET /livez HTTP/1.1\r\nHost: a, b\r\n\r\n",
    "bare_cr_in_value": b"GET /livez HTTP/1.1\r\n" + HOST + b"X-A: a\rb\r\n\r\n",
    "nul_in_value": b"GET /livez HTTP/1.1\r\n" + HOST + b"X-A: a\x00b\r\n\r\n",
    "nul_in_last_value": b"GET /livez HTTP/1.1\r\nX-A: a\x00b\r\n" + HOST + b"\r\n",
    "nul_at_end_of_value": b"GET /livez HTTP/1.1\r\n" + HOST + b"X-A: a\x00\r\n\r\n",
    "control_in_value": b"GET /livez HTTP/1.1\r\n" + HOST + b"X-A: a\x01b\r\n\r\n",
    "folded": b"GET /livez HTTP/1.1\r\n" + HOST + b"X-A: a\r\n b\r\nX-B: c\r\n\r\n",
    "folded_last": b"GET /livez HTTP/1.1\r\n" + HOST + b"X-A: a\r\n\tb\r\n\r\n",
    "folded_transfer_encoding": b"POST /livez HTTP/1.1\r\n" + HOST + b"Transfer-Encoding:\r\n chunked\r\nContent-Length: 3\r\n\r\nabc",
    "bare_lf_everywhere": b"GET /livez HTTP/1.1\nHost: localhost\n\n",
    "bare_lf_after_request_line": b"GET /livez HTTP/1.1\nHost: localhost\r\n\r\n",
    "bare_lf_between_headers": b"GET /livez HTTP/1.1\r\nHost: localhost\nX-A: 1\r\n\r\n",
    "bare_lf_after_last_header": b"GET /livez HTTP/1.1\r\nHost: localhost\n\r\n",
    "bare_lf_blank_line": b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\n",
    "encoded_nul": b"GET /livez%00 HTTP/1.1\r\n" + HOST + b"\r\n",
    "raw_nul": b"GET /livez\x00 HTTP/1.1\r\n" + HOST + b"\r\n",
    "encoded_newline": b"GET /livez%0a HTTP/1.1\r\n" + HOST + b"\r\n",
    "dot_dot": b"GET /v1/../livez HTTP/1.1\r\n" + HOST + b"\r\n",
    "encoded_dot_dot": b"GET /v1/%2e%2e/livez HTTP/1.1\r\n" + HOST + b"\r\n",
    "encoded_slash": b"GET /v1%2flivez HTTP/1.1\r\n" + HOST + b"\r\n",
    "bad_escape": b"GET /livez%zz HTTP/1.1\r\n" + HOST + b"\r\n",
    "cut_escape": b"GET /livez%4 HTTP/1.1\r\n" + HOST + b"\r\n",
    "bad_escape_in_query": b"GET /livez?a=%f HTTP/1.1\r\n" + HOST + b"\r\n",
    "not_utf8": b"GET /livez%ff HTTP/1.1\r\n" + HOST + b"\r\n",
    "overlong_utf8": b"GET /%c0%afetc HTTP/1.1\r\n" + HOST + b"\r\n",
    "backslash": b"GET /v1\\livez HTTP/1.1\r\n" + HOST + b"\r\n",
    "space_in_target": b"GET /livez x HTTP/1.1\r\n" + HOST + b"\r\n",
    "no_slash": b"GET livez HTTP/1.1\r\n" + HOST + b"\r\n",
    "two_spaces_before_version": b"GET /livez  HTTP/1.1\r\n" + HOST + b"\r\n",
    "http_1_2": b"GET /livez HTTP/1.2\r\n" + HOST + b"\r\n",
}


@pytest.mark.parametrize("name", REFUSED)
def test_ambiguous_requests_are_refused_and_the_connection_closed(daemon, name):
    with daemon.wire() as wire:
        wire.send(REFUSED[name])
        answer = wire.answer()
        assert answer.status == 400
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json["type"] == "urn:fleetplan:problem/malformed"
        assert answer.json["detail"]
        assert wire.closed(), "no later request may be answered"


def test_unknown_expectation_is_417(daemon):
    with daemon.wire() as wire:
        answer = wire.send(b"POST /livez HTTP/1.1\r\n" + HOST + b"Expect: bogus\r\nContent-Length: 2\r\n\r\n").answer()
        assert answer.status == 417 and answer.json["status"] == 417
        assert wire.closed()


@pytest.mark.parametrize("line", [b"0x2\r\n{}\r\n0\r\n\r\n", b"-1\r\n{}\r\n0\r\n\r\n", b"2 \r\n{}\r\n0\r\n\r\n", b";\r\n"])
def test_bad_chunk_sizes_are_refused(daemon, line):
    """libmicrohttpd answers these itself, with HTML: see docs/http-limits.md."""
    with daemon.wire() as wire:
        wire.send(b"POST /v1/estimates/training HTTP/1.1\r\n" + HOST +
                  b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + line)
        assert wire.answer().status == 400


@pytest.mark.parametrize("length, status", [(b"+2", 400), (b"-1", 400), (b"2, 2", 400), (b"2 ", 400), (b"0x2", 400), (b"99999999999999999999", 413)])
def test_bad_content_lengths_are_refused(daemon, length, status):
    """Checks only the status and the close: 0.9.75 writes the header of such an answer twice, and the daemon cannot
    prevent that."""
    with daemon.wire() as wire:
        wire.send(b"POST /v1/estimates/training HTTP/1.1\r\n" + HOST + b"Content-Length: " + length + b"\r\n\r\n{}")
        head = wire._read_until(b"\r\n").decode()
        assert head.split(" ")[1] == str(status)


@pytest.mark.parametrize("line", [b"GET /livez", b"GET /livez HTTP/2.0", b"GET /livez HTTPS/1.1", b"GET"])
def test_other_protocols_are_refused(daemon, line):
    """libmicrohttpd refuses these before it calls the daemon."""
    with daemon.wire() as wire:
        wire.send(line + b"\r\n" + HOST + b"\r\n")
        head = wire.socket.recv(65536)
        assert not head or head.split(b" ")[1] in (b"400", b"505"), head


def test_long_targets_and_headers(daemon):
    for target, headers, status in [(b"/" + b"a" * 9000, b"", 414), (b"/" + b"a" * 40000, b"", 414),
                                    (b"/livez", b"X-A: " + b"a" * 17000 + b"\r\n", 431), (b"/livez", b"X-A: " + b"a" * 40000 + b"\r\n", 431),
                                    (b"/livez", b"".join(b"X-%d: 1\r\n" % i for i in range(150)), 431),
                                    (b"/livez", b"".join(b"X-%d: 1\r\n" % i for i in range(2000)), 431)]:
        with daemon.wire() as wire:
            wire.send(b"GET " + target + b" HTTP/1.1\r\n" + HOST + headers + b"\r\n")
            assert wire.answer().status == status


def test_regular_requests_pass_however_they_are_cut(daemon):
    """The rules about the header section's layout delay no valid request, of any size, with any split, pipelined or
    not."""
    request = (b"GET /livez HTTP/1.1\r\nHost:localhost\r\nX-Empty:\r\nX-Space:  \t two words \t\r\nAccept: */*\r\nX-Long: " + b"y" * 12000 +
               b"\r\nCookie: a=b; c=d\r\n\r\n")
    for step in (1, 7, 1000, len(request)):
        data = request if step > 1 else b"GET /livez?x=%20y&z HTTP/1.1\r\nHost: localhost\r\nX-A: 1\r\nX-B:\t2\r\n\r\n"
        with daemon.wire() as wire:
            for i in range(0, len(data), step):
                wire.send(data[i:i + step])
            assert wire.answer().status == 200
            wire.send(request * 5)
            assert [wire.answer().status for _ in range(5)] == [200] * 5


def test_http_1_0_is_answered_and_closed(daemon):
    with daemon.wire() as wire:
        assert wire.send(b"GET /livez HTTP/1.0\r\nX-A: 1\r\n\r\n").answer().status == 200
        assert wire.closed()


def test_a_refused_request_is_logged_with_its_status(daemon_with):
    daemon = daemon_with()  # its log has no other request
    with daemon.wire() as wire:
        wire.send(REFUSED["two_hosts"]).answer()
        assert wire.closed()
    lines = daemon.wait_events("request")
    assert lines[-1]["status"] == 400 and lines[-1]["route"] is None
    json.dumps(lines[-1])
