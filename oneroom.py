"""The face of the house: the names for `import oneroom`, and the command `oneroom`.

Nothing heavy is imported before it is used: a public name is looked up when it is first asked for, and a
command imports its own needs when it runs, so that `oneroom --help` is instant.

The packages stand flat beside this file (`agent`, `world`, ...). Their names are common words, so the face
checks that those are its own siblings and says so when some other folder hides them.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import typer

__version__ = "0.1.0"

HOUSE = ("agent", "world", "interventions", "protocols", "sim", "trials", "logs")

# Public name -> the file that defines it and its name there.
NAMES: dict[str, tuple[str, str]] = {
    "declare": ("sim.declare", "declare"),
    "run_trial": ("sim.session", "run_trial"),
    "run_trials": ("trials.supervisor_batch", "run_trials"),
    "resume": ("sim.session", "resume"),
    "verify": ("sim.replay", "verify"),
    "why": ("sim.why", "why"),
    "diff": ("sim.diff", "diff"),
    "open_log": ("logs.reader", "open_log"),
    "replay": ("sim.playback", "replay"),
    "fork": ("sim.fork", "fork"),
    "Simulation": ("sim.simulation", "Simulation"),
}

__all__ = [*NAMES, "__version__", "main"]


def __getattr__(name: str) -> Any:
    """Return the public *name*, importing the file that defines it."""
    if name not in NAMES:
        raise AttributeError(f"oneroom has no public name {name!r}; it has {', '.join(NAMES)}")
    module, attribute = NAMES[name]
    return getattr(importlib.import_module(module), attribute)


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)


def hidden_by(name: str) -> str | None:
    """Return the place that hides our package *name*, or None if ours is the one that would be imported."""
    ours = Path(__file__).resolve().parent / name
    loaded = sys.modules.get(name)
    spec = loaded.__spec__ if loaded is not None else importlib.util.find_spec(name)
    if spec is None:
        return "nothing (the package is missing)"
    # A plain folder without __init__.py has no origin, only the places it was found in.
    found = (
        str(Path(spec.origin).parent) if spec.origin else next(iter(spec.submodule_search_locations or ["?"]))
    )
    return None if Path(found).resolve() == ours else found


def assert_own_siblings() -> None:
    """Raise ImportError, with the mend in its text, if another folder hides one of our packages."""
    for name in HOUSE:
        hider = hidden_by(name)
        if hider is not None:
            raise ImportError(
                f"oneroom needs its own package {name!r} beside {Path(__file__).resolve()}, but Python finds {hider}. "
                "A folder or file of the same name hides it: rename that one, or start from another folder."
            )


def command_line() -> typer.Typer:
    """Return the whole command line, assembled from the floors that own the commands."""
    from sim.commands import add_commands as add_sim_commands
    from sim.terminal import make_app
    from trials.commands import add_commands as add_trials_commands

    app = make_app(__version__)
    add_trials_commands(app)
    add_sim_commands(app)
    return app


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code.

    0 done, 1 a check failed, 2 wrong use or bad input, 3 ended early.
    """
    from sim.terminal import enter

    enter(command_line(), sys.argv[1:] if arguments is None else arguments)


assert_own_siblings()

if __name__ == "__main__":
    main()
