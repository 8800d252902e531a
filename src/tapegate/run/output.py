"""Files of a run's output folder, each old or new and never half."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from tapegate.errors import Unavailable


def write_atomically(path: Path, data: bytes, *, lasting: bool = True) -> None:
    """Replace `path` by `data`. Raises Unavailable `write_failed` where the disk does not take it.

    `lasting` waits until the disk has it: what is written for every trial, and can be made again, need not.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                if lasting:
                    os.fsync(file.fileno())
            # mkstemp makes files for their owner alone; a report is for everyone who may see its folder.
            Path(draft).chmod(0o644)
            Path(draft).replace(path)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise Unavailable.of(
            "write_failed", f"{path} could not be written: {error.strerror or error}", fix="choose another --out"
        ) from error
