"""The programs that a subject starts itself: looked for before it is started, so that their lack is no fault of it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping

from tapegate.errors import SubjectError
from tapegate.model.config import CommandSubject, HttpSubject


def found_all(subject: HttpSubject | CommandSubject, environment: Mapping[str, str]) -> None:
    """Raises SubjectError where one of them is not on the PATH that the subject has."""
    for program in subject.needs:
        if shutil.which(program, path=environment.get("PATH")) is None:
            raise SubjectError.of(
                "subject_not_started",
                f"the subject needs the program {program!r}, which is not on the PATH",
                fix=f"install {program!r}; `tapegate doctor` names all that is missing",
            )
