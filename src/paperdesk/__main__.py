"""`python -m paperdesk`."""

import sys

from paperdesk.cli import main

sys.exit(main())
