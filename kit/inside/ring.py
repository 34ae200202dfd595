"""What survives a flood of output: its head and its true tail, and how much is missing between."""

from __future__ import annotations


class Ring:
    """Keeps the first and the last half of `size` bytes; never holds more than twice that."""

    def __init__(self, size: int) -> None:
        self._head_size = size - size // 2
        self._tail_size = size // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def feed(self, data: bytes) -> None:
        """Take in what was written."""
        room = self._head_size - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        if len(self._tail) > 2 * self._tail_size + 65536:
            self._trim()

    def kept(self) -> tuple[bytes, int]:
        """Head and tail together, and how many bytes are missing between them."""
        self._trim()
        return bytes(self._head + self._tail), self._dropped

    def _trim(self) -> None:
        surplus = len(self._tail) - self._tail_size
        if surplus > 0:
            del self._tail[:surplus]
            self._dropped += surplus
