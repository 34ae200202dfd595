"""Which tests this interpreter can run: those in inside/ need the boxes' own libraries, all others don't have them."""

from __future__ import annotations

import importlib.util

# `make test` runs both halves, each with its own interpreter; see the Makefile.
collect_ignore = [] if importlib.util.find_spec("gymnasium") else ["inside"]
