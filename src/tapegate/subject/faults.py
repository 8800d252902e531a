"""Exceptions that a task raises inside a Python subject, in place of calls of its functions."""

from __future__ import annotations

import importlib
import inspect
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any


class Misplaced(Exception):
    """A fault whose function or exception is not there."""


def install(faults: Iterable[tuple[int, Mapping[str, Any]]], met: Callable[[int], None]) -> None:
    """Put each fault, given with its place in the task, where its function stands; `met` is told of each that is met.

    Raises Misplaced for a function or an exception that is not there.
    """
    for place, fault in faults:
        _install(fault, lambda place=place: met(place))  # type: ignore[misc]


def _install(fault: Mapping[str, Any], met: Callable[[], None]) -> None:
    holder, name = _holder(fault["at"])
    kind = inspect.getattr_static(holder, name)
    original = kind.__func__ if isinstance(kind, staticmethod | classmethod) else kind
    if isinstance(original, type) or not callable(original):
        raise Misplaced(f"the fault at {fault['at']!r} stands in for a function, and that is {type(original).__name__}")
    raised = _found(fault["exception"])
    if not (isinstance(raised, type) and issubclass(raised, BaseException)):
        raise Misplaced(f"the fault's exception {fault['exception']!r} is no exception class")
    replaced = _raising(original, _Count(fault["calls"]), lambda: raised(fault["message"]), met)
    setattr(holder, name, type(kind)(replaced) if isinstance(kind, staticmethod | classmethod) else replaced)


class _Count:
    """Which calls raise, counted over all threads."""

    def __init__(self, calls: Iterable[int]) -> None:
        self._calls = frozenset(calls)
        self._lock = threading.Lock()
        self._done = 0

    def due(self) -> bool:
        """Count one call; whether it raises."""
        with self._lock:
            self._done += 1
            return not self._calls or self._done in self._calls


def _raising(
    original: Callable[..., Any], count: _Count, made: Callable[[], BaseException], met: Callable[[], None]
) -> Callable[..., Any]:
    """`original`, raising in the calls that are due: where it is called, awaited or first iterated, as it would."""

    def check() -> None:
        if count.due():
            met()
            raise made()

    if inspect.iscoroutinefunction(original):

        @wraps(original)
        async def awaited(*words: Any, **named: Any) -> Any:
            check()
            return await original(*words, **named)

        return awaited
    if inspect.isasyncgenfunction(original):

        @wraps(original)
        async def streamed(*words: Any, **named: Any) -> Any:
            check()
            async for item in original(*words, **named):
                yield item

        return streamed
    if inspect.isgeneratorfunction(original):

        @wraps(original)
        def iterated(*words: Any, **named: Any) -> Any:
            check()
            return (yield from original(*words, **named))

        return iterated

    @wraps(original)
    def called(*words: Any, **named: Any) -> Any:
        check()
        return original(*words, **named)

    return called


def _holder(callee: str) -> tuple[Any, str]:
    """The module or class that holds a function, and its name there."""
    module, _, names = callee.partition(":")
    *parents, name = names.split(".")
    holder = _found(f"{module}:{'.'.join(parents)}") if parents else _module(module, callee)
    try:
        inspect.getattr_static(holder, name)
    except AttributeError:
        raise Misplaced(f"the fault at {callee!r} stands in for nothing: there is no {name!r}") from None
    return holder, name


def _found(callee: str) -> Any:
    module, _, names = callee.partition(":")
    found = _module(module, callee)
    for name in names.split("."):
        try:
            found = getattr(found, name)
        except AttributeError:
            raise Misplaced(f"{callee!r} names nothing: there is no {name!r}") from None
    return found


def _module(name: str, callee: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Misplaced(f"{callee!r} names nothing: {type(error).__name__}: {error}") from None
