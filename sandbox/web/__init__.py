"""The workspace in a browser, as one chosen person sees it."""
