"""Mutual TLS: who calls and who serves each show a certificate that the other's authority signed."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import grpc

from gymwright.errors import RequestWrong

CERT: Final = "GYMWRIGHT_TLS_CERT_FILE"
KEY: Final = "GYMWRIGHT_TLS_KEY_FILE"
CA: Final = "GYMWRIGHT_TLS_CA_FILE"
NAME: Final = "GYMWRIGHT_TLS_NAME"

# What gRPC says of a connection that did not come about, and what to do.
REFUSALS: Final = {
    "CERTIFICATE_VERIFY_FAILED": f"shows a certificate that {CA} did not sign",
    "Hostname Verification Check failed": f"shows a certificate for another name; {NAME} says which one to expect",
    "WRONG_VERSION_NUMBER": f"does not speak TLS; unset {CERT}, {KEY} and {CA} to call it without",
}


@dataclass(frozen=True)
class MutualTls:
    """Three files in PEM, read once. name: in the certificate of whom we call, where it is not the address's host."""

    cert: Path
    key: Path
    ca: Path
    name: str = ""

    def calling(self) -> grpc.ChannelCredentials:
        """What a client shows, and whom it believes."""
        return grpc.ssl_channel_credentials(self.ca.read_bytes(), self.key.read_bytes(), self.cert.read_bytes())

    def serving(self) -> grpc.ServerCredentials:
        """What a server shows, and whom it lets in: nobody without a certificate."""
        pair = (self.key.read_bytes(), self.cert.read_bytes())
        return grpc.ssl_server_credentials([pair], self.ca.read_bytes(), require_client_auth=True)

    def options(self) -> list[tuple[str, str]]:
        """Further options of a channel."""
        return [("grpc.ssl_target_name_override", self.name)] if self.name else []


def mutual_tls(cert: Path | None, key: Path | None, ca: Path | None, name: str = "") -> MutualTls | None:
    """None where no file is named. RequestWrong where one is missing, can't be read, or does not fit the others."""
    if cert is None and key is None and ca is None:
        return None
    if cert is None or key is None or ca is None:
        missing = [named for named, file in ((CERT, cert), (KEY, key), (CA, ca)) if file is None]
        raise RequestWrong(f"Mutual TLS needs three files; {' and '.join(missing)} name none.")
    try:
        ssl.create_default_context(cafile=ca)
    except (OSError, ssl.SSLError) as problem:
        raise RequestWrong(f"{CA}: {ca} holds no certificate that can be read ({problem.strerror}).") from None
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key)
    except (OSError, ssl.SSLError) as problem:
        raise RequestWrong(
            f"{CERT} and {KEY}: {cert} and {key} are no certificate and its key ({problem.strerror})."
        ) from None
    return MutualTls(cert, key, ca, name)


def tls_from(environment: Mapping[str, str]) -> MutualTls | None:
    """As mutual_tls, from GYMWRIGHT_TLS_CERT_FILE, _KEY_FILE, _CA_FILE and GYMWRIGHT_TLS_NAME."""
    cert, key, ca = (Path(environment[name]) if environment.get(name) else None for name in (CERT, KEY, CA))
    return mutual_tls(cert, key, ca, environment.get(NAME, ""))


def refusal(details: str) -> str:
    """What a failed handshake was about, to stand after who was called; empty where it was none."""
    return next((meaning for sign, meaning in REFUSALS.items() if sign in details), "")
