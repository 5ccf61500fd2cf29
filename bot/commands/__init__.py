"""What each command of `footnote` does; one module a command, imported when it is called."""
