"""What the rules decide to say and to call."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Call:
    """A tool to call."""

    tool: str
    argument: str
    value: str


@dataclass(frozen=True, slots=True)
class Reply:
    """One completion."""

    text: str = ""
    """The answer; empty where tools are called first."""
    calls: tuple[Call, ...] = ()
    thought: str = ""
    """What a reasoning model would think aloud; goes out in a hidden tag, before everything else."""

    @property
    def content(self) -> str:
        """The message's text, thoughts included."""
        thought = f"<thinking>{self.thought}</thinking>" if self.thought else ""
        return "\n\n".join(part for part in (thought, self.text) if part)
