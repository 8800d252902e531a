"""What one step of a workflow run leaves behind: its summary, its annotations, its outputs.

None of it decides anything: what cannot be written costs itself, never the verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tapegate.errors import TapegateError
from tapegate.github import annotations as commands
from tapegate.github.install import output
from tapegate.model.run import Run
from tapegate.report import answers, markdown
from tapegate.report.inert import code_block

MOST_CHARACTERS = 100_000
"""Of the problems in a summary: GitHub refuses one over 1 MiB, and spelled out a character has up to ten bytes."""


@dataclass(frozen=True, slots=True)
class Step:
    """The step that the gate runs in."""

    project: Path
    """The project's root."""
    environ: Mapping[str, str]
    """The runner's variables, `GITHUB_*`."""
    say: Callable[[str], None]
    """Prints one line to the step's log."""
    annotate: bool = True
    """Whether findings are annotated."""
    part: bool = False
    """Whether it judges one part of a run, which decides nothing: the summary is written where the parts are joined."""

    def judged(self, run: Run, digest: str, out: Path) -> None:
        """Tell the workflow of a run that was judged."""
        self.told(commands.of_run(run, prefix(self.project, self.environ)), "", run, digest)
        with suppress(OSError):
            output(self.environ, "digest", digest)
            output(self.environ, "report", str(out))

    def told(self, annotated: list[str], compared: str, run: Run, digest: str) -> None:
        """Annotate, and summarise: what changed where there is a comparison, the two answers, and the whole run."""
        self._annotations(annotated)
        if self.part:
            return
        answered = "".join(
            f"- {word} {answer.sentence}\n"
            for word, answer in (("Behaviour", answers.behaviour(run)), ("Recordings", answers.recordings(run)))
        )
        # What changed has its own words for the two answers.
        changed = f"{compared}\n" if compared else ""
        room = markdown.MOST_BYTES - len(changed.encode())
        self._summary(changed + markdown.render(run, digest, answered="" if compared else answered, most_bytes=room))

    def refused(self, error: TapegateError) -> None:
        """Tell the workflow of a run that could not begin."""
        self._annotations(commands.of_problems(error.problems, prefix(self.project, self.environ)))
        self._summary(f"## Tapegate: failed\n\nExit code {error.exit_code}.\n\n{_shown(error)}\n")

    def _annotations(self, lines: list[str]) -> None:
        if self.annotate:
            for line in lines:
                self.say(line)

    def _summary(self, text: str) -> None:
        path = self.environ.get("GITHUB_STEP_SUMMARY")
        if path:
            with suppress(OSError), Path(path).open("a", encoding="utf-8") as file:
                file.write(text)


def prefix(project: Path, environ: Mapping[str, str]) -> str:
    """The way from the repository's root to a project, since annotations name files from the former."""
    root = Path(environ.get("GITHUB_WORKSPACE") or project).resolve()
    below = project.resolve()
    if below == root or not below.is_relative_to(root):
        return ""
    return below.relative_to(root).as_posix() + "/"


def _shown(error: TapegateError) -> str:
    """The problems, the first of them where a summary has no room for all."""
    told = str(error)
    block = code_block(told[:MOST_CHARACTERS])
    return block if len(told) <= MOST_CHARACTERS else f"{block}\n\nThere are more in the step's log."
