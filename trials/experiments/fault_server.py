"""A fault server: raw sockets on 127.0.0.1 that play the byte scripts of transport_faults.jsonl.

It counts connections and requests, so that a client that asks more often than it declares is found out. A
script is a list of steps: send, send_b64, drip (with bytes and sleep_ms), repeat, sleep_ms, rst, close,
gen_gzip. Placeholders like {{REQ}} are filled from a table.
"""

from __future__ import annotations

import base64
import re
import socket
import struct
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import Any


class FaultServer:
    """Plays one script to everybody who connects, until closed."""

    def __init__(self, steps: list[dict[str, Any]], fill: dict[str, str]) -> None:
        self.steps, self.fill = steps, fill
        for step in steps:
            if "gen_gzip" in step:
                deflated(**step["gen_gzip"])  # Made before anybody waits for it: it takes half a second of work.
        self.connections = self.requests = 0
        self.heads: list[bytes] = []
        self.bodies: list[bytes] = []
        self._stop = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(0.05)
        self.port = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> FaultServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(3.0)
        self._listener.close()

    def _accept(self) -> None:
        while not self._stop.is_set():
            with suppress(TimeoutError):
                peer, _ = self._listener.accept()
                self.connections += 1
                thread = threading.Thread(target=self._serve, args=(peer,), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _serve(self, peer: socket.socket) -> None:
        with peer, suppress(OSError):
            if self._read_request(peer):
                self.requests += 1
                for step in self.steps:
                    self._play(peer, step)

    def _read_request(self, peer: socket.socket) -> bool:
        peer.settimeout(2.0)
        data = b""
        while b"\r\n\r\n" not in data:
            piece = peer.recv(65536)
            if not piece:
                return False
            data += piece
        head, _, body = data.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: *(\d+)", head, re.I)
        while length and len(body) < int(length.group(1)):
            body += peer.recv(65536)
        self.heads.append(head)
        self.bodies.append(body)
        return True

    def _play(self, peer: socket.socket, step: dict[str, Any]) -> None:
        if self._stop.is_set():
            raise OSError("stopped")
        if "rst" in step:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if "rst" in step or "close" in step:
            peer.close()
            raise OSError("closed by the script")
        if "repeat" in step:
            for _ in range(step["repeat"]["times"]):
                self._play(peer, {"send": step["repeat"]["send"]})
                self._sleep(step["repeat"]["sleep_ms"])
            return
        for piece in self._pieces(step):
            peer.sendall(piece)
        if "drip" in step:
            data, size = self._text(step["drip"]), step["bytes"]
            for at in range(0, len(data), size):
                peer.sendall(data[at : at + size])
                self._sleep(step.get("sleep_ms", 200))
        elif "sleep_ms" in step:
            self._sleep(int(self._text(str(step["sleep_ms"])).decode()))

    def _pieces(self, step: dict[str, Any]) -> Iterator[bytes]:
        if "send" in step:
            yield with_moved_length(step["send"].encode(), self._text(step["send"]))
        if "send_b64" in step:
            yield base64.b64decode(step["send_b64"])
        if "gen_gzip" in step:
            yield deflated(**step["gen_gzip"])

    def _text(self, text: str) -> bytes:
        def value(match: re.Match[str]) -> str:
            name, _, plus = match.group(1).partition("+")
            found = self.fill[name]
            return str(int(found) + int(plus)) if plus else found

        return re.sub(r"\{\{([A-Z_0-9]+(?:\+\d+)?)\}\}", value, text).encode()

    def _sleep(self, milliseconds: int) -> None:
        end = time.monotonic() + milliseconds / 1000
        while time.monotonic() < end and not self._stop.is_set():
            self._stop.wait(min(0.05, max(0.0, end - time.monotonic())))


@cache
def deflated(prefix: str = "", repeat: str = "", times: int = 0, mid: str = "", close: str = "", suffix: str = "") -> bytes:
    """Return the compressed body that a `gen_gzip` step describes, in the words of a reply's `gen`."""
    deflater = zlib.compressobj(9, zlib.DEFLATED, 31)
    found = [deflater.compress(prefix.encode())]
    block = repeat.encode() * 65536
    found += [deflater.compress(block) for _ in range(times // 65536)]
    rest = repeat * (times % 65536) + mid + close * times + suffix
    found += [deflater.compress(rest.encode()), deflater.flush()]
    return b"".join(found)


def with_moved_length(plain: bytes, filled: bytes) -> bytes:
    """Move each Content-Length by what filling the placeholders added, and keep lies lies."""
    found = []
    for before, after in zip(plain.split(STATUS), filled.split(STATUS), strict=True):
        _, gap, old_body = before.partition(b"\r\n\r\n")
        head, _, body = after.partition(b"\r\n\r\n")
        match = LENGTH.search(head)
        if match:
            length = int(match.group(1)) + len(body) - len(old_body)
            head = head.replace(match.group(), b"Content-Length: %d" % length)
        found.append(head + gap + body)
    return STATUS.join(found)


STATUS = b"HTTP/1.1 "
LENGTH = re.compile(rb"Content-Length: (\d+)")
