"""A page made of escaped tags, and its one style sheet: no script, no font, no picture from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any


class Html(str):
    """Text that is markup already; any other text is escaped."""

    __slots__ = ()


def tag(name: str, /, *inside: Any, **attributes: Any) -> Html:
    """Return one element. Keys of *attributes*: `cls` is class, `_` stands for `-`; None and False are left out."""
    given = []
    for key, value in attributes.items():
        key = "class" if key == "cls" else key.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        given.append(f' {key}="{escape(_short(value), quote=True)}"')
    start = f"<{name}{''.join(given)}>"
    return Html(start if name in ("meta", "br", "hr") else f"{start}{join(inside)}</{name}>")


def join(parts: Iterable[Any]) -> Html:
    """Return *parts* one after another: markup as it stands, lists flat, everything else escaped."""
    out = []
    for part in parts:
        if isinstance(part, Html):
            out.append(str(part))
        elif isinstance(part, list | tuple):
            out.append(str(join(part)))
        elif part is not None:
            out.append(escape(_short(part), quote=False))
    return Html("".join(out))


def _short(value: Any) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def shown(value: Any) -> str:
    """Return a number as people read it: four significant digits, no more than it has; a dash for none."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}".replace(",", "\u202f") if abs(value) >= 10_000 else str(value)
    if isinstance(value, float):
        if value == int(value) and abs(value) < 10_000:
            return str(int(value))
        text = f"{value:.4g}"
        return text if "e" not in text or abs(value) < 1e-4 else f"{value:.0f}"
    return str(value)


def exact(value: Any) -> str:
    """Return a value with every digit it has, as the tables of the batch write it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def number(value: Any, **more: Any) -> Html:
    """Return a cell with a number; its exact value stands in `data-v` and in the hint."""
    return tag("td", shown(value), cls="n", data_v=exact(value), title=exact(value), **more)


def table(columns: Sequence[Any], rows: Iterable[Sequence[Any]], *, cls: str = "", caption: str = "") -> Html:
    """Return a table; a cell that is a `td` or `th` already stays as it is."""
    body, rows = [], list(rows)
    for row in rows:
        cells = [
            cell if isinstance(cell, Html) and cell[:3] in ("<td", "<th") else tag("td", cell) for cell in row
        ]
        body.append(tag("tr", cells))
    of_numbers = {
        at for row in rows for at, cell in enumerate(reversed(row)) if str(cell).startswith('<td class="n"')
    }
    right = [len(columns) - 1 - at in of_numbers for at in range(len(columns))]
    head = tag(
        "thead",
        tag(
            "tr",
            [
                tag("th", each, scope="col", cls="n" if n else None)
                for each, n in zip(columns, right, strict=True)
            ],
        ),
    )
    if not any(columns):
        head = Html("")
    whole = tag(
        "table", tag("caption", caption) if caption else None, head, tag("tbody", body), cls=cls or None
    )
    return tag("div", whole, cls="scroll")


def commands(*lines: str) -> Html:
    """Return lines to be typed."""
    return tag("pre", tag("code", "\n".join(lines)))


def page(title: str, *sections: Any) -> Html:
    """Return the whole document."""
    head = tag(
        "head", tag("meta", charset="utf-8"), tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title), tag("style", Html(STYLE)),
        # An empty icon of its own: else a browser would ask for one.
        Html('<link rel="icon" href="data:,">'),
    )  # fmt: skip
    return Html(
        "<!doctype html>\n" + tag("html", head, tag("body", tag("main", *sections)), lang="en") + "\n"
    )


STYLE = """
:root{--ink:#1f2328;--dim:#5a626b;--line:#ded9cd;--ground:#f6f3ec;--panel:#fff;--blue:#0072b2;--orange:#e69f00;--red:#b54700;
--green:#00785a;--pink:#a8487f;--sky:#56b4e9;--band:#eaf2f8;--card:#fdfcf9}
*{box-sizing:border-box}
html{color-scheme:light dark;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,"Segoe UI",Roboto,"Noto Sans","Noto Sans CJK SC",
"Noto Sans SC","PingFang SC","Microsoft YaHei",sans-serif}
main{max-width:1080px;margin:0 auto;padding:40px 28px 80px}
h1{font-size:2rem;line-height:1.2;margin:0 0 .2em;letter-spacing:-.01em}
h2{font-size:1.3rem;margin:0 0 .6em}
h3{font-size:1rem;margin:1.6em 0 .5em}
p{margin:.4em 0 .8em;max-width:72ch}
.zh,.dim{color:var(--dim)}
.lead{font-size:1.1rem}
section{background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:24px 26px;margin:22px 0}
header{margin:0 0 26px}
nav{font-size:.9rem;margin-top:14px;display:flex;flex-wrap:wrap}
nav a{color:var(--blue);text-decoration:none;margin-right:1.1em;white-space:nowrap}
nav a:hover,nav a:focus{text-decoration:underline}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:14px;margin:18px 0 0;padding:0}
.facts div{background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:12px 14px}
.facts b{display:block;font-size:1.35rem;line-height:1.25}
.facts span{color:var(--dim);font-size:.85rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--dim);padding:1em 0 .4em}
th,td{text-align:left;vertical-align:top;padding:6px 10px 6px 0;border-bottom:1px solid var(--line)}
thead th{color:var(--dim);font-weight:600;border-bottom:2px solid var(--line);white-space:nowrap}
tbody th{font-weight:600}
td.n,th.n{text-align:right;padding-right:16px;white-space:nowrap}
th.n{text-align:right}
tr.yes td,tr.yes th{background:var(--band)}
.small table{font-size:.8rem}
pre{background:#24292f;color:#f4f1ea;border-radius:8px;padding:14px 16px;overflow-x:auto;font-size:.85rem;line-height:1.5;
white-space:pre-wrap;overflow-wrap:anywhere}
code{font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace}
p code,td code,li code{background:var(--ground);border-radius:4px;padding:0 .3em;font-size:.88em;overflow-wrap:anywhere}
code.id{white-space:nowrap}
body{counter-reset:figure table}
figcaption.counted::before{counter-increment:figure;content:"Figure " counter(figure) ". ";font-weight:600}
caption::before{counter-increment:table;content:"Table " counter(table) ". ";font-weight:600}
figure{margin:18px 0;break-inside:avoid}
figcaption{color:var(--dim);font-size:.88rem;margin-top:4px;max-width:80ch}
svg{display:block;max-width:100%;height:auto;font-family:inherit}
svg text{fill:var(--ink);font-size:12px}
svg text.dim{fill:var(--dim)}
svg text.on{fill:#fff;font-weight:600}
svg text.over{fill:#1f2328}
.strip{display:grid;grid-template-columns:repeat(auto-fill,minmax(300px,1fr));gap:16px}
.strip figure{margin:0;border:1px solid var(--line);border-radius:8px;padding:8px 10px 10px;background:var(--card)}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(460px,1fr));gap:6px 26px}
details summary{cursor:pointer;color:var(--blue);margin:.6em 0}
.flag{display:inline-block;border:1px solid var(--red);color:var(--red);
border-radius:20px;padding:0 .7em;font-size:.82rem;margin-right:.4em}
.ok{border-color:var(--green);color:var(--green)}
footer{color:var(--dim);font-size:.85rem;margin-top:30px}
@media (max-width:560px){main{padding:24px 14px}section{padding:16px 14px}.plots{grid-template-columns:1fr}}
@media screen and (prefers-color-scheme:dark){
:root{--ink:#e7e4dc;--dim:#a3a9b0;--line:#3a3f45;--ground:#15181b;--panel:#1d2125;--blue:#6cb8ec;--orange:#f0b429;--red:#ff9d66;
--green:#45c9a3;--pink:#e78fc4;--sky:#56b4e9;--band:#24313b;--card:#191d20}
pre{background:#0e1012}
svg text.on{fill:#15181b}
svg [fill="#f4f1ea"]{fill:#23272c}svg [fill="#e3ded2"]{fill:#343a41}svg [fill="#e6f0f7"]{fill:#27414f}svg [fill="#8d8577"]{fill:#6f6a60}
svg [stroke="#ded9cd"],svg [stroke="#eee9dd"]{stroke:#3a3f45}svg [stroke="#b9b1a0"]{stroke:#59606a}svg [stroke="#5a626b"]{stroke:#a3a9b0}
svg [fill="#0072b2"]{fill:#58a6dd}svg [fill="#56b4e9"]{fill:#b5e0fb}svg [stroke="#0072b2"]{stroke:#6cb8ec}
svg [fill="#b54700"]{fill:#ff9d66}svg [stroke="#b54700"]{stroke:#ff9d66}
svg [fill="#00785a"]{fill:#45c9a3}svg [stroke="#00785a"]{stroke:#45c9a3}
svg [fill="#a8487f"]{fill:#e78fc4}svg [stroke="#a8487f"]{stroke:#e78fc4}
svg [fill="#6b7280"]{fill:#a3abb8}svg [stroke="#6b7280"]{stroke:#a3abb8}
svg [fill="#8a6100"]{fill:#d9ab42}svg [stroke="#8a6100"]{stroke:#d9ab42}
svg [fill="#fff"]{fill:#1d2125}
}
@media print{
@page{size:A4;margin:14mm}
html{color-scheme:light}
body{background:#fff;font-size:10.5pt}
main{max-width:none;padding:0}
section{border:0;border-top:1px solid var(--line);border-radius:0;padding:10px 0;margin:8px 0}
.facts{grid-template-columns:repeat(5,1fr);gap:8px}
.facts div{padding:6px 9px}
nav,.screen{display:none}
table{font-size:8.5pt}
.small table{font-size:7.5pt}
.small th,.small td{padding:1.5px 8px 1.5px 0}
.small thead th{white-space:normal;overflow-wrap:anywhere}
section>p,h3+p{break-after:avoid}
tr,figure,.facts{break-inside:avoid}
h2,h3{break-after:avoid}
pre{background:#fff;color:#000;border:1px solid var(--line)}
.scroll{overflow:visible}
.plots{grid-template-columns:1fr 1fr}
.strip{grid-template-columns:1fr 1fr}
details::details-content{content-visibility:visible;display:block;height:auto}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
}
"""
