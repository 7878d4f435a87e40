"""`python -m tui`: the same as `breakfix`."""

import sys

from tui.cli import main

sys.exit(main())
