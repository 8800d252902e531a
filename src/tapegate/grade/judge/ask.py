"""Asking the judge: twice at the most, with identical inputs, through the tape."""

from __future__ import annotations

from dataclasses import dataclass

import httpx

from tapegate.grade.judge.flags import of_candidate, of_rationale
from tapegate.grade.judge.provider import Call, call
from tapegate.grade.judge.reply import Reply, Unreadable, read_reply
from tapegate.grade.judge.template import Inputs, fill
from tapegate.model.audit import Judgement
from tapegate.model.config import Judge
from tapegate.model.service import Service
from tapegate.stream.provider import read_call
from tapegate.tape.player import REFUSAL

ATTEMPTS = 2
"""Rubric §2.2: the evaluator is retried once."""
REFUSED = frozenset({"content_filter", "refusal", "SAFETY", "PROHIBITED_CONTENT", "RECITATION"})
"""Finish reasons by which a provider says that its model, or a filter of its own, would not answer."""


@dataclass(frozen=True, slots=True)
class _Attempt:
    reply: Reply | Unreadable | None
    """None where no reply came at all."""
    fault: str
    model: str | None = None
    recorded: bool = True


def ask(inputs: Inputs, judge: Judge, service: Service, url: str) -> Judgement:
    """The judge's scores of one answer; `url` is where a gateway's lane serves the judge's service.

    Two replies that cannot be read give nulls and `parse_error` (rubric §2.2). Where the provider gave no reply it is
    `provider_error`, and where no recording answers, `not_recorded`: then nobody said anything, and that is no score.
    """
    request = call(judge, service, fill(inputs))
    flags = of_candidate(inputs.candidate_answer)
    faults: list[str] = []
    with httpx.Client(trust_env=False, timeout=judge.timeout_s) as client:
        for number in range(1, ATTEMPTS + 1):
            attempt = _attempt(client, url, request, service.protocol)
            if isinstance(attempt.reply, Reply):
                reply = attempt.reply
                return Judgement(
                    reply.accuracy_score,
                    reply.faithfulness_score,
                    reply.rationale,
                    faults=tuple(faults),
                    attempts=number,
                    flags=(*flags, *of_rationale(reply.rationale), *_stranger(judge, attempt.model)),
                    model=attempt.model,
                )
            if not attempt.recorded:
                return Judgement(None, None, evaluator_error="not_recorded", attempts=number, flags=flags)
            faults.append(attempt.fault)
    error = "provider_error" if attempt.reply is None else "parse_error"
    return Judgement(None, None, "", error, tuple(faults), ATTEMPTS, flags, attempt.model)


def _stranger(judge: Judge, answered: str | None) -> tuple[str, ...]:
    """A flag where the provider names another model than the pinned one; `models/` and the like may stand before it."""
    known = answered is None or answered.rpartition("/")[2] == judge.model.rpartition("/")[2]
    return () if known else ("answered_by_another_model",)


def _attempt(client: httpx.Client, url: str, request: Call, protocol: str) -> _Attempt:
    try:
        response = client.post(url + request.path, headers=request.headers, content=request.body)
    except httpx.HTTPError as error:
        return _Attempt(None, type(error).__name__)
    if response.status_code == REFUSAL:
        return _Attempt(None, "no recording", recorded=False)
    answered = read_call(
        protocol,
        "POST",
        request.path,
        response.status_code,
        request_headers={},
        request_body=request.body,
        response_headers={name: [value] for name, value in response.headers.items() if name != "content-encoding"},
        response_body=response.content,
    )
    if response.status_code != httpx.codes.OK or answered is None:
        return _Attempt(None, f"http_{response.status_code}")
    reply = read_reply(answered.text)
    if isinstance(reply, Unreadable) and answered.finish_reason in REFUSED:
        reply = Unreadable("refusal", f"the provider ended with {answered.finish_reason}")
    fault = f"{reply.fault}: {reply.detail}" if isinstance(reply, Unreadable) else ""
    return _Attempt(reply, fault, answered.model)
