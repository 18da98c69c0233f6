"""The tests of the project, and its study of reliability."""
