"""Which processes are one's own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tapegate.doors.guard.children import children

NAMED = """
import ctypes, sys
ctypes.CDLL(None).prctl(15, bytes([40, 255, 41, 32, 82, 32, 49]), 0, 0, 0)
print("named", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="no /proc here")
def test_children_are_found_whatever_they_call_themselves():
    """A process that is named with brackets and bytes that are no text is found; one that was reaped is not."""
    with subprocess.Popen([sys.executable, "-c", NAMED], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"named\n"
        assert child.pid in children()
        child.communicate()
    assert child.pid not in children()
    assert os.getppid() not in children()
