"""Train the networks of the study, and write its table."""

from studies.tables import run_study
from studies.tricks_2008.study import repeat

if __name__ == "__main__":
    run_study("studies.tricks_2008", repeat)
