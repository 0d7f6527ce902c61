"""Where the scheduler keeps what it learned: plain snapshots (reference) and a signed ledger (ours)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]")


class PlainStore:
    """The reference's store: one plain JSON file per namespace, written in place."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, namespace: str) -> dict[str, Any] | None:
        """Return the snapshot of *namespace*; a file that cannot be read counts as none."""
        return self.load_file(self._name(namespace))

    def load_file(self, name: str) -> dict[str, Any] | None:
        """Return the snapshot in the file *name*."""
        try:
            found = json.loads((self.folder / name).read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def save(self, namespace: str, state: dict[str, Any]) -> None:
        """Write the snapshot of *namespace* in place."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / self._name(namespace)).write_text(json.dumps(state, ensure_ascii=False), "utf-8")

    def _name(self, namespace: str) -> str:
        return _UNSAFE.sub("_", namespace) + ".json"
