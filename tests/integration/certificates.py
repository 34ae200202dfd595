"""Real certificates, made for one test: two authorities, and who holds what of which."""

from __future__ import annotations

from pathlib import Path

import trustme

from gymwright.tls import MutualTls


class Authority:
    """An authority of certificates; files are written into its folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self._ca = trustme.CA()
        self.file = folder / "ca.pem"
        self._ca.cert_pem.write_to_path(self.file)

    def holder(self, *names: str, name: str = "", trusting: Authority | None = None) -> MutualTls:
        """Who holds a certificate of this authority for these names, and believes `trusting`, or this one."""
        leaf = self._ca.issue_cert(*names)
        cert, key = self._folder / f"{names[0]}.pem", self._folder / f"{names[0]}.key"
        leaf.cert_chain_pems[0].write_to_path(cert)
        leaf.private_key_pem.write_to_path(key)
        return MutualTls(cert, key, (trusting or self).file, name)


def environment(tls: MutualTls) -> dict[str, str]:
    """The same as settings."""
    return {
        "GYMWRIGHT_TLS_CERT_FILE": str(tls.cert), "GYMWRIGHT_TLS_KEY_FILE": str(tls.key),
        "GYMWRIGHT_TLS_CA_FILE": str(tls.ca), "GYMWRIGHT_TLS_NAME": tls.name,
    }  # fmt: skip
