"""What goes wrong: damaged files, misuse, kills, full disks and odd requests, tried in bulk and counted."""
