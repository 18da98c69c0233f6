"""The verdict on a run: the same rows for any number of processes, and the gain abroad in front."""

import pytest

from training.evaluation.verdict import verdict


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
