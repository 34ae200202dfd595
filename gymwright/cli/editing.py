"""Editing a text in the user's own editor."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from gymwright.errors import RequestWrong


def edited(text: str, name: str) -> str:
    """The text as $VISUAL or $EDITOR (else vi) leaves it. name: the file's, so that the editor knows its kind."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with TemporaryDirectory(prefix="gymwright-") as folder:
        file = Path(folder) / name
        file.write_text(text, "utf-8")
        try:
            code = subprocess.call([*shlex.split(editor), str(file)])
        except OSError as problem:
            raise RequestWrong(f"The editor {editor} can't be started ({problem.strerror}); set EDITOR.") from None
        if code != 0:
            raise RequestWrong(f"The editor {editor} ended with {code}; nothing was sent.")
        return file.read_text("utf-8")
