"""The seeds a protocol declares, listed, split into training and test, or drawn from a master seed."""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any


def seed_list(form: Mapping[str, Any]) -> tuple[list[int], list[int]]:
    """Return (training seeds, test seeds) as declared; a plain list is all training."""
    seeds = form["seeds"]
    if isinstance(seeds, list):
        return seeds, []
    if "master" in seeds:
        return master_seeds(seeds["master"], seeds["n"]), []
    return seeds["training"], seeds["test"]


def master_seeds(master: int, count: int) -> list[int]:
    """Return *count* seeds drawn from a master seed; the first ones do not change when more are wanted."""
    keys = (f"oneroom/seed/{master}/{at}".encode() for at in range(count))
    return [int.from_bytes(blake2b(key, digest_size=8).digest(), "big") >> 1 for key in keys]
