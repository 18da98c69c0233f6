"""What calls show by a system: exact hand classes, shown ranges, and what a pass denies."""
