"""`python -m paperdesk`."""

import gc
import sys

from paperdesk.cli import main

gc.set_threshold(
    100_000
)  # the SDK's thousands of classes are all kept: looking through them delays the start by a sixth
sys.exit(main())
