"""What the replay itself says: requests without a recording, recordings without a request, how the subject ended."""

from __future__ import annotations

from decimal import ROUND_UP, Decimal

from tapegate.grade.docket import Docket
from tapegate.model.finding import Severity
from tapegate.model.setup import RaiseFault
from tapegate.model.trace import Event, Finish, Text, Trace, Turn, Violation
from tapegate.oracles.oracle import INVARIANTS

NO_NETWORK = "no_network_attempt"
"""The invariant that every trial is held to."""
REPLAY = "replay"
"""What the findings of the player's account name as their metric."""
SUBJECT = "subject"
"""What the findings of the subject's ending name as their metric."""
STREAM = "stream"
"""What the findings of a stream that breaks its protocol name as their metric."""

_ENDINGS = {
    "raised": "the subject raised",
    "crashed": "the subject crashed",
    "exited": "the subject exited with an error",
    "timed_out": "the subject did not answer within its time",
    "http_error": "the subject answered with an HTTP error",
    "empty_output": "the subject answered nothing",
}


def cut_short(trace: Trace) -> bool:
    """Whether the agent might have gone on differently, had the recording covered its requests.

    Only a miss does that. An agent that left recorded interactions unplayed ended by its own decision, with every
    request it made answered: what it did not do, it would not have done.
    """
    return bool(trace.account.misses)


def excused(trace: Trace) -> Severity:
    """What a fault leads to that a miss may have caused: `stale` after a miss, else `fail`."""
    return "stale" if cut_short(trace) else "fail"


def about(tokens: int | None, usd: Decimal | None) -> str:
    """What recording takes, as the end of a command that a shell passes over; nothing where that is not known."""
    if not tokens:
        return ""
    # Rounded up, and never to nothing: a cent is shown in hundredths.
    money = f", ${usd.quantize(Decimal('0.0001') if usd < 1 else Decimal('0.01'), ROUND_UP)}" if usd else ""
    return f"  # about {tokens:,} tokens{money}"


def report_network(docket: Docket, trace: Trace) -> None:
    """A broken invariant for every address that the subject tried to reach, each once and in a fixed order.

    It is held of every trial; a task that names it is pointed at.
    """
    named = docket.task.expect.required_invariants
    path = (*INVARIANTS, named.index(NO_NETWORK)) if NO_NETWORK in named else ()
    for address in sorted({attempt.address for attempt in trace.account.network}):
        docket.say(
            REPLAY,
            "network_attempt",
            "fail",
            f"the subject tried to reach {address} instead of a recorded service; nothing was sent",
            path=path,
            expected="no network access in replay",
            got=address,
            fix="declare the service in evals/tapegate.yaml so that it is recorded, or do not call it",
        )


def report_ending(docket: Docket, trace: Trace) -> None:
    """How the subject ended where it did not complete, and where its stream breaks its protocol."""
    ending = trace.ending
    after = " after a request without a recording" if cut_short(trace) else ""
    if ending.kind != "completed":
        detail = f": {ending.detail}" if ending.detail else ""
        message = f"{_ENDINGS[ending.kind]}{after}{detail}"
        docket.say(SUBJECT, ending.kind, excused(trace), message, expected="an answer", got=ending.detail)
    elif docket.task.mode != "stream_fixture" and len(trace.turns) == len(docket.task.messages):
        # A filter may rightly show nothing of a stream; an agent that was asked something answers.
        for number, turn in enumerate(trace.turns, 1):
            if all(map(_silent, turn.events)):
                which = f"message {number}" if len(trace.turns) > 1 else "the message"
                message = f"the subject answered nothing to {which}{after}: its stream ends and holds nothing else"
                docket.say(SUBJECT, "empty_output", excused(trace), message, expected="an answer", got="nothing")
    reported = {finding.code for finding in docket.findings}
    if "protocol_violation" not in reported:  # an invariant of the task may have said so already
        for violation in (event for event in trace.events if isinstance(event, Violation)):
            message = f"the agent's stream breaks its protocol{after}: {violation.message}"
            docket.say(STREAM, violation.code, excused(trace), message)


def _silent(event: Event | Turn) -> bool:
    return isinstance(event, Finish | Violation | Turn) or (isinstance(event, Text) and not event.text.strip())


def report_splits(docket: Docket, trace: Trace) -> None:
    """That a sample of a stream's cuts was tried, where it was not all of them."""
    splits = trace.splits
    if splits is not None and splits.tried < splits.possible:
        message = f"{splits.tried:,} of {splits.possible:,} cuts of the stream were tried, drawn by a fixed rule"
        fix = "a shorter fixture has all its cuts tried"
        docket.say(STREAM, "cuts_sampled", "note", message, path=("setup", "chunking"), fix=fix)


def report_account(docket: Docket, trace: Trace) -> None:
    """Every request without a recording, every recording without a request, and every fault that nobody met."""
    task, account = docket.task, trace.account
    for place, fault in enumerate(task.setup.faults):
        if place not in account.faults:
            # Without it the trial proves nothing of what it was written for.
            wrong = "`at` and `calls`" if isinstance(fault, RaiseFault) else "`calls` and `containing`"
            what = f"call of {fault.at!r}" if isinstance(fault, RaiseFault) else f"request to service {fault.service!r}"
            docket.say(
                REPLAY,
                "fault_not_met",
                excused(trace),
                f"no {what} met the fault {fault.kind!r}: the subject never made a call that it is declared for",
                path=("setup", "faults", place),
                expected=f"a {what} that meets it",
                got="none",
                fix=f"correct {wrong} of the fault, or remove it",
            )
    usd = Decimal(trace.recorded_usd) if trace.recorded_usd is not None else None
    record = f"tapegate record {task.key} --stale{about(trace.recorded_tokens, usd)}"
    if account.alike:
        places = ", ".join(str(place) for place in account.alike)
        docket.say(
            REPLAY,
            "matched_by_conversation",
            "needs_review",
            f"recorded requests {places} were played for their conversation alone: prompt, tools or parameters differ, "
            "and nobody knows what the provider would answer to those",
            path=("setup", "match"),
            expected="requests as they were recorded",
            got="match: conversation",
            fix=record,
        )
    for miss in dict.fromkeys(account.misses):
        docket.say(REPLAY, miss.kind, "stale", miss.explanation, fix=record)
    unplayed = account.unplayed
    if unplayed and account.misses:
        count = f"{len(unplayed)} recorded interaction{'s' if len(unplayed) > 1 else ''}"
        places = ", ".join(str(one.index) for one in unplayed)
        message = f"{count} ({places}) had not been requested when the replay left the recording"
        docket.say(REPLAY, "unplayed", "note", message)
        return
    for one in unplayed:
        docket.say(
            REPLAY,
            "unplayed",
            "stale",
            f"the agent no longer makes the recorded request {one.index}: {one.method} {one.service}{one.path}",
            expected=f"{one.method} {one.service}{one.path}",
            got="no such request",
            fix=record,
        )
