"""Settings: read once at a room's door from the environment, frozen, and passed on as plain values."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, TypeVar

from pydantic import ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from gymwright.errors import RequestWrong
from gymwright.tls import CA, CERT, KEY, MutualTls, mutual_tls


class SettingsWrong(SystemExit):
    """The room can't start as it is configured; the message says which variable and why."""


class SharedSettings(BaseSettings):
    """GYMWRIGHT_ARTIFACTS, _LOG_LEVEL, _TOKEN_FILE, _TLS_CERT_FILE and so on: the same for every room."""

    model_config = SettingsConfigDict(env_prefix="GYMWRIGHT_", frozen=True, extra="ignore")

    artifacts: str = "runs"  # a folder, or s3://bucket/prefix
    log_level: str = "info"
    # Every listener that is not on loopback needs a token, or mutual TLS, or both.
    token_file: Path | None = None
    tls_cert_file: Path | None = None  # shown to callers, and to the rooms that are called
    tls_key_file: Path | None = None
    tls_ca_file: Path | None = None  # who signed the certificates of callers, and of the rooms that are called
    tls_name: str = ""  # in the certificates of the rooms that are called, where it is not their address's host


SHARED: Final = frozenset(f"GYMWRIGHT_{name}".upper() for name in SharedSettings.model_fields)


class RoomSettings(BaseSettings):
    """What every room has; a subclass sets env_prefix and adds its own."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore")

    listen: str
    shared: SharedSettings = SharedSettings()

    @property
    def artifacts(self) -> str:
        return self.shared.artifacts


S = TypeVar("S", bound=RoomSettings)


def read_settings(kind: type[S]) -> S:
    """Read the environment. An unknown or invalid variable of this room stops the start with a sentence."""
    prefix = str(kind.model_config["env_prefix"])
    known = {f"{prefix}{name}".upper() for name in kind.model_fields if name != "shared"} | SHARED
    unknown = sorted(name for name in os.environ if name.startswith(prefix) and name not in known)
    if unknown:
        raise SettingsWrong(f"Unknown setting {', '.join(unknown)}; there are {', '.join(sorted(known))}.")
    try:
        return kind(shared=SharedSettings())  # type: ignore[call-arg]
    except ValidationError as problem:
        error = problem.errors()[0]
        name = f"{prefix}{'_'.join(map(str, error['loc']))}".upper()
        raise SettingsWrong(f"Setting {name}: {error['msg']}.") from None


def is_loopback(address: str) -> bool:
    """Whether host:port is reachable from this machine only."""
    host = address.rpartition(":")[0].strip("[]")
    return host in ("localhost", "::1") or host.startswith("127.") or address.startswith("unix:")


def read_tls(shared: SharedSettings) -> MutualTls | None:
    """The certificates that are configured; None where none is. What is wrong with them stops the start."""
    try:
        return mutual_tls(shared.tls_cert_file, shared.tls_key_file, shared.tls_ca_file, shared.tls_name)
    except RequestWrong as problem:
        raise SettingsWrong(str(problem)) from None


def require_credentials(listen: str, token: str | None, tls: MutualTls | None) -> None:
    """Return where nobody but whom we know can call; else SettingsWrong says what is missing."""
    if token is None and tls is None and not is_loopback(listen):
        raise SettingsWrong(
            f"{listen} is not loopback: set GYMWRIGHT_TOKEN_FILE to a file that holds a shared token,"
            f" or {CERT}, {KEY} and {CA} for mutual TLS."
        )


def read_token(path: Path | None) -> str | None:
    """The token in the file, or None where no file is configured."""
    if path is None:
        return None
    try:
        token = path.read_text().strip()
    except OSError as problem:
        raise SettingsWrong(f"The token file {path} can't be read: {problem.strerror}.") from None
    if len(token) < 16:
        raise SettingsWrong(f"The token in {path} is too short; use at least 16 characters.")
    return token
