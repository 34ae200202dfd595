"""Which tests this interpreter can run: those in inside/ need the boxes' own libraries, all others don't have them."""

from __future__ import annotations

import importlib.util
import os
import signal

# `make test` runs both halves, each with its own interpreter; see the Makefile.
collect_ignore = [] if importlib.util.find_spec("gymnasium") else ["inside"]

# No test reaches a vendor's model, whatever the person who runs it has set.
for name in [name for name in os.environ if name.startswith("GYMWRIGHT_MODEL_")]:
    del os.environ[name]
for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
    os.environ.pop(name, None)

# A shell that runs the tests in its background has SIGINT ignored, and so would every command that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
