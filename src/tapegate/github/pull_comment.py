"""What is said on a pull request, and whether it is worth a comment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tapegate.errors import TapegateError
from tapegate.github.client import Client
from tapegate.github.evidence import Evidence
from tapegate.github.marker import Marker
from tapegate.github.reply import WorkflowRun
from tapegate.github.sticky import MOST_BYTES, Put, StickyComment
from tapegate.report import comment
from tapegate.report.answers import recordings
from tapegate.report.inert import code_block
from tapegate.report.safety import safety

Mode = Literal["auto", "always", "changes", "off"]
"""When a comment is made: `always`; `changes`, where anything differs from the base or could not be compared; `auto`,
also where the run alone is not safe; `off`, never. One that is there is kept up to date in every mode but `off`."""

_RESERVED = 1_600
"""Bytes kept for the marker and for what is said of the run."""


@dataclass(frozen=True, slots=True)
class Told:
    """A comment before it is made."""

    text: str
    differs: bool
    """Whether anything differs from the base, or could not be compared with it."""
    safe: bool

    def wanted(self, mode: Mode) -> bool:
        """Whether it is worth being made where there is none."""
        return mode == "always" or (mode != "off" and self.differs) or (mode == "auto" and not self.safe)

    def doubted(self, headline: str, sentence: str) -> Told:
        """The same under another headline: whoever reads one line reads this."""
        _, _, _, *rest = self.text.split("\n")
        return Told("\n".join([f"## Tapegate: {headline}", "", f"**{sentence}**", *rest]), self.differs, safe=False)


def tell(evidence: Evidence) -> Told:
    """The comment of a run that is believed, since it ran here."""
    run, diff = evidence.run, evidence.diff
    text = comment.render(diff, run, digest=evidence.digest, most_bytes=MOST_BYTES - _RESERVED)
    told = Told(text, diff is not None and not diff.empty, safety(run, diff).state == "safe")
    if told.safe and evidence.lint:
        return told.doubted("not safe to merge", "The gate passes, and lint finds what must be mended first.")
    return told


def tell_of_stranger(evidence: Evidence | TapegateError, run: WorkflowRun) -> Told:
    """The comment of a run that a stranger's workflow made: what its artifact says, and how the run really ended."""
    foot = f"From the artifact of [run {run.id}]({_url(run)}), which this pull request's own code took part in.\n"
    if isinstance(evidence, TapegateError):
        return _unreadable(str(evidence), foot)
    try:
        told = tell(evidence)
    except Exception as error:  # noqa: BLE001 - each value fits its type, and together they may be nonsense
        return _unreadable(f"bad_artifact: what it holds makes no sense: {type(error).__name__}", foot)
    # A check of the recordings alone may be red where the gate is not: that says the comment itself.
    if told.safe and run.conclusion != "success" and recordings(evidence.run).state == "current":
        ended = _word((run.conclusion or "no conclusion").replace("_", " "))
        why = f"Its report says that the gate passes, and the run itself ended with {ended}."
        told = told.doubted("not known to be safe", why)
    return Told(f"{told.text}\n{foot}", told.differs, told.safe)


def post(client: Client, number: int, marker: Marker, told: Told, mode: Mode) -> Put:
    """Make the comment or keep it up to date. Raises GitHubError where GitHub does not let it."""
    if mode == "off":
        return Put("none")
    return StickyComment(client, number, marker).put(told.text, create=told.wanted(mode))


def say_unjudged(client: Client, number: int, marker: Marker, why: str) -> Put:
    """Let the comment of an earlier run say that nothing is known of this one; where there is none, make none."""
    return StickyComment(client, number, marker).put(_unreadable(why, "").text, create=False)


def _unreadable(why: str, foot: str) -> Told:
    said = "The run left no report that can be read."
    head = f"## Tapegate: not known to be safe\n\n**{said}**\n\n{code_block(why[:2_000])}\n\n"
    return Told(head + foot, differs=False, safe=False)


def _word(text: str) -> str:
    return text if text.replace(" ", "").isalpha() and text.isascii() else "something unknown"


def _url(run: WorkflowRun) -> str:
    """As GitHub gives it, if it can stand in a link."""
    plain = run.html_url.isascii() and run.html_url.isprintable() and not set(run.html_url) & set(" ()<>[]\\`\"'")
    return run.html_url if plain and run.html_url.startswith(("https://", "http://127.0.0.1")) else "#"
