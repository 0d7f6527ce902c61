"""The wire under the official client: byte caps, decoding, and failures as codes.

The client's own retries are off, redirects are not followed, proxies of the environment are not used, and the
body is read by a transport of ours that stops at a byte cap, before and after decompression, whatever the
status.
"""

from __future__ import annotations

import json
import zlib
from typing import Any

from agent.strict_json import depth_of
from sim.gateway_provider import Reply
from sim.redaction import redact

BODY_BYTES_MAX = 256 * 1024
"""Byte cap of a response, before and after decompression (spec 08, C7)."""

HEADERS_MAX, HEADER_BYTES_MAX = 200, 32 * 1024
"""Caps of a response's headers; an endpoint that works sends a few dozen. Chosen."""

HTTP_VERSIONS = (b"HTTP/1.0", b"HTTP/1.1", b"HTTP/2")

ENVELOPE_DEPTH_MAX = 40
"""Nesting cap of a response."""

STATUS_FAILURES = {
    401: "unauthorized", 403: "unauthorized", 404: "not_found", 408: "server_error", 409: "server_error",
    413: "bad_request", 429: "throttled",
}


class TooLarge(Exception):
    """The body passed the cap."""


class Broken(Exception):
    """The body can't be decoded."""


def make_client(url: str, key: str) -> Any:
    """Return the official client with nothing of its own will. Raises ImportError without the package."""
    import openai

    http = http_library()
    transport = capped_transport(http)
    limits = http.Limits(max_connections=4, max_keepalive_connections=0)
    # An idle connection that has died would fail the next call, so none is kept.
    caller = http.AsyncClient(
        transport=transport(http.AsyncHTTPTransport(retries=0, trust_env=False, limits=limits)),
        trust_env=False, follow_redirects=False, timeout=60.0,
    )
    return openai.AsyncOpenAI(
        api_key=key or "none", base_url=url or None, max_retries=0, http_client=caller,
        default_headers={"Accept-Encoding": "identity"},
    )


def http_library() -> Any:
    """Return the library the client sits on: httpx2 since openai 3.57, httpx before."""
    try:
        import httpx2
    except ImportError:
        import httpx  # type: ignore[import-not-found]

        return httpx
    return httpx2


def capped_transport(http: Any) -> Any:
    """Return a transport class that reads each body up to the cap and decodes it itself."""

    class Capped(http.AsyncBaseTransport):  # type: ignore[misc]
        def __init__(self, inner: Any) -> None:
            self.inner = inner

        async def handle_async_request(self, request: Any) -> Any:
            response = await self.inner.handle_async_request(request)
            try:
                check_head(response.headers.raw, response.extensions.get("http_version", HTTP_VERSIONS[0]))
                body = await read_capped(response.stream)
            finally:
                await response.aclose()
            body = decode(body, response.headers.get("content-encoding", ""))
            kept = [(name, value) for name, value in response.headers.multi_items()
                    if name.lower() not in ("content-encoding", "content-length", "transfer-encoding")]
            return http.Response(response.status_code, headers=kept, content=body, request=request)

        async def aclose(self) -> None:
            await self.inner.aclose()

    return Capped


def check_head(headers: list[tuple[bytes, bytes]], version: bytes) -> None:
    """Raise Broken for a flood of headers, or a version of HTTP that there is not."""
    if len(headers) > HEADERS_MAX or sum(len(name) + len(value) for name, value in headers) > HEADER_BYTES_MAX:
        raise Broken
    if version not in HTTP_VERSIONS:
        raise Broken


async def read_capped(stream: Any) -> bytes:
    """Return the raw body, or raise TooLarge as soon as it passes the cap."""
    found = bytearray()
    async for piece in stream:
        found += piece
        if len(found) > BODY_BYTES_MAX:
            raise TooLarge
    return bytes(found)


def decode(body: bytes, encoding: str) -> bytes:
    """Return *body* decompressed up to the cap. Raises TooLarge or Broken."""
    name = encoding.strip().lower()
    if name in ("", "identity") or not body:
        return body
    if name not in ("gzip", "deflate"):
        raise Broken
    inflater = zlib.decompressobj(47 if name == "gzip" else 15)
    try:
        found = inflater.decompress(body, BODY_BYTES_MAX + 1)
    except zlib.error:
        raise Broken from None
    if len(found) > BODY_BYTES_MAX:
        raise TooLarge
    if not inflater.eof:
        raise Broken
    return found


def read_completion(body: bytes, key: str) -> Reply:
    """Return the reply in the body of a chat completion; anything of another shape is a failure."""
    try:
        text = body.decode("utf-8")
        document: Any = json.loads(text) if depth_of(text) <= ENVELOPE_DEPTH_MAX else None
        choice = document["choices"][0]
        message = choice["message"]
        reason, content = choice.get("finish_reason"), message.get("content")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return Reply(None, "bad_shape")
    usage = document.get("usage")
    tokens = count(usage, "prompt_tokens"), count(usage, "completion_tokens")
    if reason in ("length", "content_filter"):
        return Reply(None, "truncated" if reason == "length" else "filtered", *tokens)
    if message.get("refusal"):
        return Reply(None, "filtered", *tokens)
    if content is None:
        return Reply(None, "no_text", *tokens)
    if not isinstance(content, str):
        return Reply(None, "bad_shape", *tokens)
    # A lone surrogate is kept as bytes that the strict reader will refuse.
    return Reply(redact(content, key).encode("utf-8", "surrogatepass"), "", *tokens)


def count(usage: Any, name: str) -> int:
    """Return a token count, or 0 for anything that is none."""
    value = usage.get(name) if isinstance(usage, dict) else 0
    return value if type(value) is int and 0 <= value < 10**9 else 0


def failure_of(status: int) -> str:
    """Return the failure code of an HTTP status."""
    if status in STATUS_FAILURES:
        return STATUS_FAILURES[status]
    if status >= 500:
        return "server_error"
    return "redirected" if status < 400 else "bad_request"


def connection_failure(error: BaseException) -> str:
    """Return the failure code of a connection that broke, from the kinds of its causes, never from their text."""
    causes: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(causes) < 10:
        causes.append(type(cause).__name__)
        cause = cause.__cause__ or cause.__context__
    if "TooLarge" in causes:
        return "too_large"
    protocol = ("Broken", "RemoteProtocolError", "LocalProtocolError", "DecodingError", "UnsupportedProtocol",
                "InvalidURL", "ProtocolError")
    return "protocol" if any(name in causes for name in protocol) else "connection"


def retry_after_s(value: str | None) -> float:
    """Return the wait an endpoint asks for, in seconds. Dates and nonsense count as very long."""
    if value is None:
        return 0.0
    text = value.strip()
    if text.lstrip("-").isascii() and text.lstrip("-").isdigit() and len(text) < 8:
        return max(0.0, float(text))
    return 1e9
