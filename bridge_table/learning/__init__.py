"""A person's finished boards and mistakes in a file, drills of them, and drills of topics."""
