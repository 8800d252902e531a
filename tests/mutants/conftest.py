"""Makes the catalog importable as it is in `make mutants`: as the package `mutants`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
