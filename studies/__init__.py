"""Published studies, done again: ``python -m studies.tricks_2008``, ``cases_2008``, ``maps_2007``."""
