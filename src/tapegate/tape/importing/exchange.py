"""One exchange as another tool recorded it, whatever its dialect."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

from tapegate.tape.cassette import Headers
from tapegate.tape.coding import Undecodable, decoded

Fidelity = Literal["exact", "decoded", "rebuilt"]
"""How a body relates to what went over the wire: its very bytes; those that its content encoding stood for; or JSON
that means the same, where the recorder kept only what it had parsed."""


class Unreadable(ValueError):
    """What stands where an exchange should be, and is none that is known here."""


@dataclass(frozen=True, slots=True)
class Body:
    """Bytes, and how far they can be trusted to be the ones that were sent."""

    data: bytes
    fidelity: Fidelity = "exact"


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its response."""

    method: str
    uri: str
    request_headers: Headers
    request: Body
    status: int
    reason: str
    response_headers: Headers
    response: Body


def is_exchange(value: Any) -> bool:
    """Whether `value` looks like a recorded exchange of HTTP."""
    return (
        isinstance(value, dict)
        and isinstance(request := value.get("request"), dict)
        and isinstance(value.get("response"), dict)
        and "method" in request
        and ("uri" in request or "url" in request)
    )


def read_exchange(value: dict[str, Any]) -> Exchange:
    """The exchange that `value` holds. Raises `Unreadable` with what is wrong."""
    request, response = value["request"], value["response"]
    request_headers = headers(request.get("headers"))
    response_headers = headers(response.get("headers"))
    status, reason = _status(response)
    asked = _body(request, "request")
    answered = _body(response, "response")
    request_headers, asked = _settled(request_headers, asked, "request")
    response_headers, answered = _settled(response_headers, answered, "response")
    return Exchange(
        method=text(request["method"], "method"),
        uri=_uri(request.get("uri", request.get("url"))),
        request_headers=request_headers,
        request=asked,
        status=status,
        reason=reason,
        response_headers=response_headers,
        response=answered,
    )


def text(value: Any, what: str) -> str:
    """`value` as text; bytes are latin-1, as HTTP/1 has it. Raises `Unreadable`."""
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if not isinstance(value, str):
        raise Unreadable(f"{what} is {type(value).__name__}; expected text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Unreadable(f"{what} holds half of a surrogate pair, which is no text") from None
    return value


def _uri(value: Any) -> str:
    uri = text(value, "uri")
    try:
        _ = urlsplit(uri).port
    except ValueError as error:
        raise Unreadable(f"the uri is no URL: {error}") from None
    return uri


def headers(value: Any) -> Headers:
    """Names, each with its values: a mapping of text or of lists, or a list of pairs. Raises `Unreadable`."""
    if value is None:
        return {}
    if isinstance(value, list):
        value = _paired(value)
    if not isinstance(value, dict):
        raise Unreadable(f"headers are {type(value).__name__}; expected a mapping")
    return {
        text(name, "a header's name"): tuple(
            text(each if isinstance(each, str | bytes) else _shown(each), f"header {name!r}")
            for each in (values if isinstance(values, list) else [values])
        )
        for name, values in value.items()
    }


def _paired(pairs: list[Any]) -> dict[Any, list[Any]]:
    grouped: dict[Any, list[Any]] = {}
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2 or isinstance(pair[0], list | dict):
            raise Unreadable("headers are a list of something other than pairs")
        grouped.setdefault(pair[0], []).append(pair[1])
    return grouped


def _shown(value: Any) -> Any:
    """A header's number as the text that it was sent as."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _status(response: dict[str, Any]) -> tuple[int, str]:
    status = response.get("status", response.get("status_code"))
    reason = ""
    if isinstance(status, dict):
        reason = status.get("message") or ""
        status = status.get("code")
    if isinstance(status, bool) or not isinstance(status, int) or not 100 <= status <= 999:
        raise Unreadable(f"the response's status is {status!r}; expected three digits")
    return status, text(reason, "the reason phrase")


def _body(side: dict[str, Any], what: str) -> Body:
    if "parsed_body" in side:
        return Body(as_json(side["parsed_body"]), "rebuilt")
    if "content" in side and "body" not in side:
        return Body(_bytes(side["content"], what))
    body = side.get("body")
    if isinstance(body, dict) and set(body) <= {"string", "encoding", "base64_string"} and "string" in body:
        return Body(_bytes(body["string"], what))
    if isinstance(body, dict | list):
        return Body(as_json(body), "rebuilt")
    return Body(_bytes(body, what))


def _bytes(value: Any, what: str) -> bytes:
    if value is None:
        return b""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, tuple) and all(isinstance(piece, str | bytes) for piece in value):
        return b"".join(_bytes(piece, what) for piece in value)
    raise Unreadable(f"the body of the {what} is {type(value).__name__}; expected text or binary")


def as_json(value: Any) -> bytes:
    """JSON of a parsed body, spelled as Python's SDKs spell it. Raises `Unreadable` for what JSON has no word for."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise Unreadable(f"a parsed body that is no JSON: {error}") from None


def _settled(named: Headers, body: Body, what: str) -> tuple[Headers, Body]:
    """Headers that fit the body: a content encoding that the recorder has undone is left out."""
    encoding = {name: values for name, values in named.items() if name.lower() == "content-encoding"}
    if not encoding or not body.data:
        return named, body
    rest = {name: values for name, values in named.items() if name not in encoding}
    if body.fidelity == "rebuilt":
        return rest, body
    try:
        known = decoded(encoding, body.data) is not None
    except Undecodable as error:
        if _is_text(body.data):
            return rest, Body(body.data, "decoded")
        raise Unreadable(f"the body of the {what}: {error}") from None
    # br and zstd cannot be told here, but neither of them gives text.
    return (named, body) if known or not _is_text(body.data) else (rest, Body(body.data, "decoded"))


def _is_text(data: bytes) -> bool:
    try:
        return data.decode().isprintable() or not any(byte < 32 and byte not in b"\t\n\r\f" for byte in data)
    except UnicodeDecodeError:
        return False
