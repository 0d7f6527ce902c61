"""The results of a batch as tables: one tidy row per trial and metric, one wide row per trial; CSV, Parquet, JSON.

Tables are made from the sealed logs in the order of trial ids, and hold nothing of when, where or in how many pieces
a batch was run: two batches of the same trials give the same bytes. Every export counts its rows against the logs.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from logs.faults import LogDamaged
from logs.reader import open_log
from sim.taint import debugged
from trials.metrics import registry
from trials.store_batch import BatchError, Folder, Plan, debug_fault, write_over
from trials.store_rows import FACTS, read_row

TIDY = (*FACTS, "metric", "unit", "value")
FORMATS = ("csv", "parquet", "json")
ORACLE_UNIT = "share"


def rows_of(folder: Folder, trials: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of the sealed trials among *trials*, in the order of their ids."""
    for trial in sorted(trials):
        sealed = folder.sealed(trial)
        if sealed.exists():
            yield read_row(folder.row(trial), sealed)


def results_of(folder: Folder, trials: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield what `rows_of` yields. Raises BatchError for a debug log: what was dragged about can't be a result."""
    for row in rows_of(folder, trials):
        if row["facts"]["tainted"]:
            raise debug_fault(row["facts"]["trial"], folder.root)
        yield row


def sealed_ids(folder: Folder) -> list[str]:
    """Return the ids of every sealed trial in the folder."""
    logs = folder.root / "logs"
    return (
        sorted(path.name.removesuffix(".jsonl.zst") for path in logs.glob("*/*.jsonl.zst"))
        if logs.is_dir()
        else []
    )


def results(folder: Folder, plan: Plan | None = None) -> dict[str, Any]:
    """Write results.csv and trials.csv (with pyarrow results.parquet and trials.parquet too); return what was written.

    With a *plan* its trials only, else all that are sealed in the folder. Raises BatchError if a table and the logs
    disagree, or if a debug log is among them: what was dragged about can't be a result.
    """
    ids = sealed_ids(folder) if plan is None else [trial.id for trial in plan.trials]
    rows = list(results_of(folder, ids))
    present = sum(folder.sealed(trial).exists() for trial in ids)
    if len(rows) != present:
        raise BatchError(
            f"{present} logs are sealed, the table has {len(rows)}",
            where=folder.root,
            mend="remove DIR/rows and repeat",
        )
    names = {"results": (TIDY, list(tidy(rows))), "trials": (wide_columns(rows), [wide(row) for row in rows])}
    written = {}
    for name, (columns, table) in names.items():
        write_over(folder.root / f"{name}.csv", to_csv(columns, table))
        written[f"{name}.csv"] = len(table)
        packed = to_parquet(columns, table)
        if packed is not None:
            write_over(folder.root / f"{name}.parquet", packed)
            written[f"{name}.parquet"] = len(table)
    return {"trials": len(rows), "files": written}


def tidy(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[Any, ...]]:
    """Yield one row per trial and metric."""
    known = registry().metrics
    for row in rows:
        facts = tuple(row["facts"][name] for name in FACTS)
        for name, value in row["metrics"].items():
            unit = known[name].unit if name in known else ORACLE_UNIT
            yield (*facts, name, unit, value)


def wide_columns(rows: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """Return the columns of the wide table."""
    return (*FACTS, *(rows[0]["metrics"] if rows else ()))


def wide(row: dict[str, Any]) -> tuple[Any, ...]:
    """Return one wide row."""
    return (*(row["facts"][name] for name in FACTS), *row["metrics"].values())


def to_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """Return a CSV table: UTF-8, LF, empty for None, true and false in lower case."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(value) for value in row])
    return text.getvalue().encode()


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return (
        json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        if isinstance(value, dict | list)
        else value
    )


def to_parquet(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> bytes | None:
    """Return a Parquet table, None where pyarrow is not installed. A column of numbers is of one kind throughout."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        return None
    arrays = []
    for at in range(len(columns)):
        values = [row[at] for row in rows]
        values = [json.dumps(v, ensure_ascii=False) if isinstance(v, dict | list) else v for v in values]
        if any(isinstance(value, float) for value in values):
            values = [None if value is None else float(value) for value in values]
        kinds = {type(value) for value in values if value is not None}
        if len(kinds) > 1 or any(
            isinstance(v, int) and not isinstance(v, bool) and abs(v) >> 63 for v in values
        ):
            values = [None if value is None else str(value) for value in values]
        arrays.append(pyarrow.array(values))
    sink = io.BytesIO()
    pyarrow.parquet.write_table(
        pyarrow.Table.from_arrays(arrays, names=list(columns)), sink, compression="zstd"
    )
    return sink.getvalue()


EVENTS = ("seq", "tick", "ms", "kind", "id", "causes", "data")


def export_log(log: Path, out: Path, form: str) -> tuple[int, LogDamaged | None]:
    """Write the records of one log as a table of events; return their number, and where a damaged log broke off.

    CSV and JSON stream, Parquet goes by parts; JSON is one record a line. Of a damaged log the sound part is written.
    Raises BatchError for an unknown form, a missing package, or a debug log.
    """
    if form not in FORMATS:
        raise BatchError(f"{form!r} is no form of export", mend=f"one of {', '.join(FORMATS)}")
    with open_log(log, to_break=True) as reader:
        if debugged(reader):
            raise BatchError("made in debug mode: it can't be a result", where=log, mend="look at it with oneroom replay LOG")
        tick_ms = int(reader.header["tick_ms"])
        rows = (
            (
                row["seq"],
                row["tick"],
                row["tick"] * tick_ms,
                row["kind"],
                row["id"],
                list(row["causes"]),
                row["data"],
            )
            for row in reader.records()
        )
        writer = {"csv": _stream_csv, "json": _stream_json, "parquet": _stream_parquet}[form]
        temporary = out.with_name(f".{out.name}.tmp")
        out.parent.mkdir(parents=True, exist_ok=True)
        count = writer(rows, temporary)
        broken = reader.broken
        last = reader.tail(1) if broken is None else []
    if last and last[0]["seq"] != count and not reader.header.get("parent"):
        temporary.unlink()
        raise BatchError(
            f"the log has {last[0]['seq']} records, {count} were exported",
            where=log,
            mend="oneroom log check LOG",
        )
    temporary.replace(out)
    return count, broken


def _stream_csv(rows: Iterator[tuple[Any, ...]], path: Path) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(EVENTS)
        for row in rows:
            writer.writerow([_cell(value) for value in row])
            count += 1
    return count


def _stream_json(rows: Iterator[tuple[Any, ...]], path: Path) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            file.write(
                json.dumps(dict(zip(EVENTS, row, strict=True)), ensure_ascii=False, separators=(",", ":"))
                + "\n"
            )
            count += 1
    return count


PART_ROWS = 20_000


def _stream_parquet(rows: Iterator[tuple[Any, ...]], path: Path) -> int:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise BatchError(
            "Parquet needs the package pyarrow", mend="pip install 'oneroom[export]', or --format csv"
        ) from None
    whole, text = pyarrow.int64(), pyarrow.string()
    schema = pyarrow.schema(list(zip(EVENTS, (whole, whole, whole, text, text, text, text), strict=True)))
    count, part = 0, []
    with pyarrow.parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for row in rows:
            part.append((*row[:5], _cell(row[5]), _cell(row[6])))
            count += 1
            if len(part) >= PART_ROWS:
                writer.write_table(pyarrow.table(list(map(list, zip(*part, strict=True))), schema=schema))
                part = []
        if part:
            writer.write_table(pyarrow.table(list(map(list, zip(*part, strict=True))), schema=schema))
    return count
