"""Whether this process may reach a provider without a tape, and what becomes of code that tries."""

from __future__ import annotations

from collections.abc import Callable

from tapegate.doors.current import TAPE, Heard, Outside

Report = Callable[[str], None]
"""Told `host:port` of a request that no tape covers. Called on the thread that made it."""

_report: Report | None = None


class Refused(Exception):
    """A request that must not leave this process. Doors turn it into their client's own connection error."""


def arm(report: Report) -> None:
    """From now on a request that hears no tape is refused and reported, never sent."""
    global _report  # noqa: PLW0603  armed is a state of the process: the doors it governs are installed once in it
    _report = report


def disarm() -> None:
    """Code without a tape reaches the network again."""
    global _report  # noqa: PLW0603
    _report = None


def armed() -> bool:
    """Whether code without a tape is refused."""
    return _report is not None


def hear(address: Callable[[], str]) -> Heard | None:
    """The tape of the code that asks; None where its request may pass. Raises Refused.

    `address` gives the `host:port` it wants to reach, and is called only where that is reported.
    """
    heard = TAPE.get()
    if heard is None:
        if _report is None:
            return None
        raise _stray(address(), "no tape is set for the code that asks")
    if isinstance(heard, Outside):
        return None
    if heard.elsewhere:
        # The ledger may still tell the harness; whatever was played here would be played again by the parent.
        heard.tape.attempted(address())
        raise Refused(
            f"tapegate refused a request to {address()!r}: this process was forked from the one that the tape belongs "
            "to; let a subject that forks reach its services through the gateway (kind: http)"
        )
    if heard.over:
        raise _stray(address(), "the trial whose tape it heard has ended")
    return heard


def unrouted(heard: Heard, address: str) -> Refused:
    """Account a request to an address that no service declares, and say so."""
    heard.tape.attempted(address)
    return Refused(
        f"tapegate refused a request to {address!r}: no service in evals/tapegate.yaml has this address; "
        "declare it under `services`, or let the agent use the base-URL variable of the one it means"
    )


def _stray(address: str, why: str) -> Refused:
    if _report is not None:
        _report(address)
    return Refused(f"tapegate refused a request to {address!r}: {why}")
