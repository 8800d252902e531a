"""Which headers a recording keeps, and which names of headers and query parameters carry credentials."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import parse_qsl

from tapegate.tape.secrets.placeholder import is_placeholder

KEPT_REQUEST: Mapping[str, str] = {
    "accept": "asks for a stream or for JSON",
    "anthropic-beta": "changes what the API does",
    "anthropic-version": "changes what the API does",
    "content-encoding": "says how the body is read",
    "content-type": "says how the body is read",
    "mcp-protocol-version": "changes what an MCP server does",
    "openai-beta": "changes what the API does",
    "prefer": "asks for a synchronous answer (Replicate, PostgREST)",
    "range": "asks for a part",
    "tapegate-lane": "tells the equal requests of concurrent sessions apart",
    "x-amz-target": "names the operation of an AWS call",
}
"""Request headers that a recording keeps, each with the reason. All others are dropped: keys and cookies, and what
differs from run to run or machine to machine (user-agent, x-stainless-*, traceparent, idempotency-key, host)."""

KEPT_RESPONSE: Mapping[str, str] = {
    "content-encoding": "says how the body is read",
    "content-range": "says which part came",
    "content-type": "says how the body is read",
    "link": "leads to the next page",
    "location": "leads a redirect on",
    "retry-after": "SDKs wait by it",
    "retry-after-ms": "SDKs wait by it",
    "x-amzn-bedrock-input-token-count": "usage that stands in no body",
    "x-amzn-bedrock-output-token-count": "usage that stands in no body",
    "x-amzn-errortype": "names the error of an AWS call",
    "x-should-retry": "SDKs retry by it",
}
"""Response headers that a recording keeps, each with the reason. All others are dropped: cookies, account and request
ids (set-cookie, openai-organization, request-id), dates, quotas and timings (date, x-ratelimit-*,
openai-processing-ms), and framing (content-length, transfer-encoding), which is the door's own."""

CREDENTIAL_HEADERS = re.compile(
    r"^(?:(?:proxy-)?authorization|(?:set-)?cookie2?|.*(?:api-?key|-key|-auth|token|secret|session|signature|password).*)$",
    re.IGNORECASE,
)
"""Names of headers whose value is a credential."""
_HARMLESS = re.compile(r"ratelimit|rate-limit|sec-websocket|surrogate|-count$", re.IGNORECASE)
_PARAMETERS = re.compile(
    r"^(?:(?:access|auth|refresh)[_-]?token|(?:x[_-])?api[_-]?key|(?:ocp-apim-)?subscription-key|client[_-]?secret|"
    r"password|secret|sig|x-amz-(?:security-token|signature)|x-goog-signature)$",
    re.IGNORECASE,
)
"""Query parameters whose value is a credential by their name alone."""
_PERHAPS = re.compile(r"^(?:auth|key|signature|token)$", re.IGNORECASE)
"""Query parameters that may as well hold a word or a page number."""


def credential_headers(headers: Mapping[str, tuple[str, ...]], kept: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Name and credential of each header that carries one, those with a stand-in or a mark in its place left out."""
    for name, values in headers.items():
        if name.lower() in kept or not CREDENTIAL_HEADERS.match(name) or _HARMLESS.search(name):
            continue
        for value in values:
            for credential in _credentials(name.lower(), value):
                if len(credential) >= 8 and not is_placeholder(credential.encode("utf-8", "surrogateescape"), 2.0):
                    yield name, credential


def credential_parameters(uri: str) -> Iterator[tuple[str, str]]:
    """Name and value of each query parameter that carries a credential, those with a stand-in or a mark left out."""
    for name, value in parse_qsl(uri.partition("#")[0].partition("?")[2], errors="surrogateescape"):
        certain, perhaps = _PARAMETERS.match(name), _PERHAPS.match(name)
        least, bits = (8, 2.0) if certain else (16, 3.0)
        secret = value.encode("utf-8", "surrogateescape")
        if (certain or perhaps) and len(value) >= least and not is_placeholder(secret, bits):
            yield name, value


def _credentials(name: str, value: str) -> list[str]:
    if "cookie" in name:
        cookies = value.split(";")[: 1 if name.startswith("set-") else None]
        return [cookie.partition("=")[2].strip() for cookie in cookies]
    return value.split()[-1:]  # what follows the scheme
