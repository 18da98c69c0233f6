"""What a person bid and played, kept in a file, and drills of it and of the topics of a system."""
