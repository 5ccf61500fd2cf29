"""Chat models over HTTP: OpenAI-compatible servers and Anthropic's API, behind one protocol."""
