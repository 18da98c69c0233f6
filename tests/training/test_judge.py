"""The verdict on a run: the same rows for any number of processes, and the gain abroad in front."""

from dataclasses import fields

import pytest

from training.evaluation.verdict import Row, verdict
from training.evolution.run import EvolveResult


@pytest.mark.weekly
@pytest.mark.slow
def test_rows_do_not_depend_on_the_number_of_processes():
    def judged(workers):
        return verdict(
            "system:acol", "system:sayc", "system:sayc", 40, 3, ["system:doubler"], ["system:silent"], workers
        )

    rows = judged(1)
    assert rows == judged(2)
    assert [row.opponent for row in rows] == ["abroad", "", "system:doubler", "system:silent", "pass"]
    abroad, silent = rows[0], rows[3]
    assert abroad.mean_imps == pytest.approx(silent.mean_imps)
    assert any(row.mean_imps for row in rows if row.opponent)


def test_an_evolved_pair_brings_its_verdict_as_a_frame():
    pytest.importorskip("pandas")
    rows = [Row("gain", 0.3, 0.02, 20_000, "policy:humans"), Row("duplicate", 0.1, 0.02, 20_000)]
    result = EvolveResult(**{field.name: rows if field.name == "rows" else None for field in fields(EvolveResult)})
    assert result.to_dataframe()["mean_imps"].tolist() == [0.3, 0.1]
    assert list(result.to_dataframe()["opponent"]) == ["policy:humans", ""]
