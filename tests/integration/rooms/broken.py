"""A room that can't start, and says why."""

import sys

sys.exit("No sandbox: make one first.")
