"""The table in the browser: a server on this machine, and the page that it shows."""
