"""The gate profiles that there are: those of a config, and those that need not be declared."""

from __future__ import annotations

from collections.abc import Mapping

from tapegate.errors import UsageError
from tapegate.load.suggest import nearest
from tapegate.model.config import Config, Profile

BUILT_IN: Mapping[str, Profile] = {
    "pr": Profile(),
    "nightly": Profile(),
    "weekly": Profile(),
    "dev": Profile(partial=True),
}
"""`dev` is for a selection while one works on it."""


def profile_of(config: Config | None, name: str) -> Profile:
    """The profile of that name, the config's before a built-in one. Raises UsageError naming those that there are."""
    declared = config.profiles if config is not None else {}
    found = declared.get(name) or BUILT_IN.get(name)
    if found is None:
        known = sorted({*BUILT_IN, *declared})
        near = nearest(name, known)
        raise UsageError.of(
            "unknown_profile",
            f"there is no profile {name!r}; there are {', '.join(known)}",
            fix=f"did you mean {near!r}?" if near is not None else "declare it under `profiles` in evals/tapegate.yaml",
        )
    return found
