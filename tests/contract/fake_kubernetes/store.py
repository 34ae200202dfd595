"""Objects with resource versions, and who watches them."""

from __future__ import annotations

import asyncio
import copy
import time
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field


class Conflict(Exception):
    """There is an object of this name."""


class Expired(Exception):
    """The version asked for has been forgotten."""


def matches(selector: str, labels: dict[str, str]) -> bool:
    """Equality and existence, joined by commas."""
    for term in filter(None, selector.split(",")):
        key, equals, value = term.partition("=")
        if key not in labels or (equals and labels[key] != value):
            return False
    return True


@dataclass
class Store:
    """Everything of one namespace, by kind ("jobs", "pods") and name."""

    objects: dict[tuple[str, str], dict] = field(default_factory=dict)
    version: int = 100
    oldest: int = 100
    events: list[tuple[int, str, str, dict]] = field(default_factory=list)  # version, kind, type, object
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    cuts: int = 0  # how often all watches were cut off

    async def create(self, kind: str, made: dict) -> dict:
        name = made["metadata"]["name"]
        if (kind, name) in self.objects:
            raise Conflict(f'{kind} "{name}" already exists')
        made = copy.deepcopy(made)
        made["metadata"] |= {
            "uid": str(uuid.uuid4()),
            "creationTimestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        }
        await self._note(kind, "ADDED", made)
        return made

    async def change(self, kind: str, name: str, status: dict) -> None:
        """Merge into the object's status; nothing where it is gone."""
        found = self.objects.get((kind, name))
        if found is not None:
            await self._note(kind, "MODIFIED", {**found, "status": {**found.get("status", {}), **status}})

    async def delete(self, kind: str, name: str) -> dict | None:
        found = self.objects.get((kind, name))
        if found is not None:
            await self._note(kind, "DELETED", found)
        return found

    def listed(self, kind: str, selector: str) -> list[dict]:
        return [
            one
            for (its_kind, _), one in self.objects.items()
            if its_kind == kind and matches(selector, one["metadata"].get("labels", {}))
        ]

    async def watch(self, kind: str, selector: str, after: int) -> AsyncIterator[tuple[str, dict]]:
        """Events after a version; Expired where that was forgotten; ends when all watches are cut."""
        cuts = self.cuts
        while True:
            if after < self.oldest:
                raise Expired
            for version, its_kind, event, one in list(self.events):
                if version > after:
                    after = version
                    if its_kind == kind and matches(selector, one["metadata"].get("labels", {})):
                        yield event, one
            async with self.changed:
                await self.changed.wait_for(lambda seen=after: self.version > seen or self.cuts > cuts)
            if self.cuts > cuts:
                return

    async def forget(self) -> None:
        """Compact: no watch can be taken up at any version known so far."""
        self.version += 1
        self.oldest = self.version
        self.events.clear()
        await self.cut()

    async def cut(self) -> None:
        """Every watch ends, as it does when the server restarts."""
        async with self.changed:
            self.cuts += 1
            self.changed.notify_all()

    async def _note(self, kind: str, event: str, one: dict) -> None:
        self.version += 1
        one = copy.deepcopy(one)
        one["metadata"]["resourceVersion"] = str(self.version)
        key = (kind, one["metadata"]["name"])
        if event == "DELETED":
            self.objects.pop(key, None)
        else:
            self.objects[key] = one
        self.events.append((self.version, kind, event, one))
        async with self.changed:
            self.changed.notify_all()
