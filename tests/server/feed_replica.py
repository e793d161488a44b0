"""The server that feeds fetch from in the tests. It runs on loopback, answers in the documented shapes over TLS with a
CA made here, and can misbehave as a test requests."""
import gzip
import http.server
import json
import pathlib
import ssl
import struct
import subprocess
import threading
import urllib.parse

LEAF_CONFIG = "subjectAltName=IP:127.0.0.1,DNS:localhost"


def make_certificates(folder):
    """Makes a CA, and a certificate of 127.0.0.1 signed by it."""
    folder = pathlib.Path(folder)

    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True, timeout=30)

    (folder / "leaf.cnf").write_text(LEAF_CONFIG)
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=Test CA", "-keyout", "ca.key",
            "-out", "ca.pem", "-addext", "keyUsage=critical,keyCertSign")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=127.0.0.1", "-keyout", "leaf.key", "-out", "leaf.csr")
    openssl("x509", "-req", "-in", "leaf.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "leaf.cnf", "-out", "leaf.pem")
    return folder


class Reply:
    """An answer: status, body (JSON unless bytes), headers. `claims`: a Content-Length that differs from the body's.
    `pieces`: a body that is generated while it is sent. `wait`: an event to wait for before the body."""

    def __init__(self, body=b"", status=200, headers=None, claims=None, pieces=None, wait=None):
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.status, self.headers, self.claims, self.pieces, self.wait = status, headers or {}, claims, pieces, wait


class Replica:
    """`answers` maps a path to a Reply, or to a function of the request (method, path, query, headers, body) that
    returns one."""

    def __init__(self, certificates=None):
        replica = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                path, _, query = self.path.partition("?")
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                request = (self.command, path, urllib.parse.parse_qs(query), dict(self.headers), body)
                replica.requests.append(request)
                reply = replica.answers.get(path, Reply({"error": "no such path"}, 404))
                reply = reply(*request) if callable(reply) else reply
                try:
                    self.give(reply)
                except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
                    self.close_connection = True

            def give(self, reply):
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                if reply.pieces:
                    self.send_header("Connection", "close")
                else:
                    self.send_header("Content-Length", str(len(reply.body) if reply.claims is None else reply.claims))
                self.end_headers()
                if reply.wait:
                    reply.wait.wait(20)
                self.wfile.write(reply.body)
                for piece in reply.pieces or []:
                    self.wfile.write(piece)
                self.close_connection = reply.pieces is not None or reply.claims is not None

            do_GET = do_POST = answer

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # the client rejects the certificate, or has read enough

        self.answers, self.requests = {}, []
        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.scheme = "http"
        if certificates:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificates / "leaf.pem", certificates / "leaf.key")
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
            self.scheme = "https"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def reset(self):
        self.answers, self.requests = {}, []

    def paths(self):
        return [path for _, path, _, _, _ in self.requests]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def azure_item(price, sku="ND96isrH100v5", arm="Standard_ND96isr_H100_v5", kind="Consumption", **more):
    return {"currencyCode": "USD", "tierMinimumUnits": 0.0, "retailPrice": price, "unitPrice": price, "armRegionName": "eastus", "location": "US East",
            "effectiveStartDate": "2024-01-01T00:00:00Z", "productName": "Virtual Machines NDsrH100v5 Series Linux", "skuName": sku,
            "serviceName": "Virtual Machines", "unitOfMeasure": "1 Hour", "type": kind, "isPrimaryMeterRegion": True, "armSkuName": arm} | more


def azure_page(items, following=None):
    return Reply({"BillingCurrency": "USD", "CustomerEntityId": "Default", "CustomerEntityType": "Retail", "Items": items, "NextPageLink": following,
                  "Count": len(items)})


AWS_COLUMNS = ["SKU", "OfferTermCode", "TermType", "EffectiveDate", "Unit", "PricePerUnit", "Currency", "LeaseContractLength", "PurchaseOption", "OfferingClass",
               "Location", "Instance Type", "vCPU", "Memory", "Tenancy", "Operating System", "GPU", "CapacityStatus", "Pre Installed S/W", "Region Code"]


def aws_line(instance, price, **more):
    values = {"SKU": "ABC", "OfferTermCode": "JRTC", "TermType": "OnDemand", "EffectiveDate": "2026-11-01", "Unit": "Hrs", "PricePerUnit": price, "Currency": "USD",
              "Location": "US East (N. Virginia)", "Instance Type": instance, "vCPU": "192", "Memory": "2048 GiB", "Tenancy": "Shared", "Operating System": "Linux",
              "GPU": "8", "CapacityStatus": "Used", "Pre Installed S/W": "NA", "Region Code": "us-east-1"} | {k.replace("_", " "): v for k, v in more.items()}
    return (",".join('"%s"' % values.get(column, "") for column in AWS_COLUMNS) + "\n").encode()


AWS_HEAD = ('"FormatVersion","v1.0"\n"Disclaimer","This pricing list is for informational purposes only"\n"Publication Date","2026-11-20T00:00:00Z"\n'
            '"Version","20261120000000"\n"OfferCode","AmazonEC2"\n' + ",".join('"%s"' % column for column in AWS_COLUMNS) + "\n").encode()


def aws_answers(replica, file):
    replica.answers["/offers/v1.0/aws/index.json"] = Reply({"offers": {"AmazonEC2": {"currentRegionIndexUrl": "/offers/v1.0/aws/AmazonEC2/current/region_index.json"}}})
    replica.answers["/offers/v1.0/aws/AmazonEC2/current/region_index.json"] = Reply({"regions": {"us-east-1": {
        "regionCode": "us-east-1", "currentVersionUrl": "/offers/v1.0/aws/AmazonEC2/20261120/us-east-1/index.json"}}})
    replica.answers["/offers/v1.0/aws/AmazonEC2/20261120/us-east-1/index.csv"] = file


def safetensors(tensors, dtype="BF16", bits=16, length=None):
    """Returns the bytes of a file without its tensors: the header's length, and the header."""
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for name, shape in tensors.items():
        size = bits // 8
        for side in shape:
            size *= side
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text


def ranged(file):
    """Answers requests for parts of a file, as the Hub's stores do."""
    def answer(method, path, query, headers, body):
        first, _, last = headers["Range"].removeprefix("bytes=").partition("-")
        part = file[int(first):int(last) + 1]
        return Reply(part, 206, {"Content-Range": f"bytes {first}-{int(first) + len(part) - 1}/{len(file)}"}) if part else Reply(b"", 416)
    return answer


def gzip_bomb(megabytes):
    """Zeros, packed a thousandfold."""
    return gzip.compress(b"\0" * (megabytes * 1000000), 6)
