"""The entry of a Python subject: found by its name, and what it returns handed over piece by piece."""

from __future__ import annotations

import asyncio
import base64
import importlib
import re
import traceback
from collections.abc import Callable, Mapping, Sequence, Set
from inspect import isawaitable
from pathlib import Path
from typing import Any

LARGEST, MOST = 64 << 20, 1_000_000
"""Bytes and pieces of an answer: beyond them it is no answer, and the harness's memory is not without end."""

BYTES = "tapegate:bytes"
"""The one key of what stands for bytes in arguments."""
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,16}")
_LONGEST = 500
_HERE = str(Path(__file__).parent)


class AnswerTooLarge(Exception):
    """The agent gives more than any answer needs."""


def load(name: str) -> Callable[..., Any]:
    """The callable that `module:callable` names. Raises whatever importing the module raises."""
    module, _, names = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in names.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise TypeError(f"{name!r} is no callable but {type(found).__name__}")
    return found  # type: ignore[no-any-return]


def answer(result: Any, give: Callable[[bytes], None]) -> None:
    """Hand over what an entry returned: text or bytes, or an iterable of either, sync or async, awaited or not.

    Raises TypeError for anything else, and AnswerTooLarge.
    """
    give = _bounded(give)
    if isawaitable(result) or hasattr(result, "__aiter__"):
        asyncio.run(_answer_async(result, give))
    else:
        _answer_sync(result, give)


def arguments(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Keyword arguments as they came through JSON, with the bytes in them made bytes again."""
    return [{name: _unpacked(value) for name, value in message.items()} for message in messages]


def packed(data: bytes) -> dict[str, str]:
    """Bytes as JSON holds them in arguments."""
    return {BYTES: base64.b64encode(data).decode()}


def _unpacked(value: Any) -> Any:
    if isinstance(value, dict):
        if value.keys() == {BYTES}:
            return base64.b64decode(value[BYTES])
        return {key: _unpacked(part) for key, part in value.items()}
    return [_unpacked(part) for part in value] if isinstance(value, list) else value


def show(error: BaseException) -> None:
    """Print an exception's traceback to standard error, from the agent's own first frame on."""
    trace = error.__traceback__
    while trace is not None and _is_ours(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    traceback.print_exception(type(error), error, trace)


def describe(error: BaseException, places: Mapping[str, str]) -> str:
    """Type and message of an exception, without what differs between two runs; `places` names folders by their path."""
    text = f"{type(error).__name__}: {error}".strip().removesuffix(":")
    for path in sorted(places, key=len, reverse=True):
        text = re.sub(re.escape(path) + r"(?![\w.-])", lambda _, name=places[path]: name, text)  # type: ignore[misc]
    # UTF-8, which all reports are written in, does not have lone surrogates.
    text = _ADDRESS.sub("0x…", text).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _bounded(give: Callable[[bytes], None]) -> Callable[[bytes], None]:
    size = pieces = 0

    def bounded(data: bytes) -> None:
        nonlocal size, pieces
        size, pieces = size + len(data), pieces + 1
        if size > LARGEST or pieces > MOST:
            raise AnswerTooLarge(f"an answer may have {LARGEST:,} bytes in {MOST:,} pieces")
        give(data)

    return bounded


def _is_ours(file: str) -> bool:
    return file.startswith((_HERE, "<frozen importlib")) or file in (importlib.__file__, asyncio.runners.__file__)


async def _answer_async(result: Any, give: Callable[[bytes], None]) -> None:
    if isawaitable(result):
        result = await result
    if hasattr(result, "__aiter__"):
        async for piece in result:
            give(_bytes(piece))
    else:
        _answer_sync(result, give)


def _answer_sync(result: Any, give: Callable[[bytes], None]) -> None:
    if isinstance(result, str | bytes | bytearray):
        give(_bytes(result))
    # The keys of a mapping are no answer, and a set has no order.
    elif hasattr(result, "__iter__") and not isinstance(result, Mapping | Set):
        for piece in result:
            give(_bytes(piece))
    else:
        raise TypeError(f"the entry returned {type(result).__name__}; expected text, bytes, or an iterable of either")


def _bytes(piece: Any) -> bytes:
    if isinstance(piece, str):
        return piece.encode("utf-8")
    if isinstance(piece, bytes | bytearray):
        return bytes(piece)
    raise TypeError(f"the entry yielded {type(piece).__name__}; expected text or bytes")
