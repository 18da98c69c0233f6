"""Curves for TensorBoard."""

from __future__ import annotations

import pytest

from training.runtime import curves


@pytest.fixture(params=["torch", "tensorboardX"])
def writer(request, monkeypatch):
    """Either package alone."""
    pytest.importorskip("tensorboard" if request.param == "torch" else "tensorboardX")
    found = curves.find_spec
    absent = "tensorboardX" if request.param == "torch" else "tensorboard"
    monkeypatch.setattr(curves, "find_spec", lambda name: None if name == absent else found(name))


def test_every_figure_of_a_row_becomes_a_point(writer, tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    assert curves.can_write()
    run = curves.Curves(tmp_path, "evolve", "generation")
    for generation, mean in ((1, 0.25), (2, 0.5)):
        run.write({"generation": generation, "mean_imps": mean, "kept": ["a", "b"], "pass": {"mean_imps": -1.0}})
    run.close()
    read = EventAccumulator(str(tmp_path / curves.FOLDER))
    read.Reload()
    assert set(read.Tags()["scalars"]) == {"evolve/mean_imps", "evolve/kept", "imps/pass"}
    assert [(point.step, point.value) for point in read.Scalars("evolve/mean_imps")] == [(1, 0.25), (2, 0.5)]
    assert [point.value for point in read.Scalars("evolve/kept")] == [2, 2]


def test_without_a_writer_nothing_is_written(monkeypatch, tmp_path):
    monkeypatch.setattr(curves, "find_spec", lambda name: None)
    run = curves.Curves(tmp_path, "evolve", "generation")
    run.write({"generation": 1, "mean_imps": 0.25})
    run.close()
    assert not curves.can_write()
    assert not list(tmp_path.iterdir())
