"""Finds passages; knows nothing of Slack's API, of people or of language models."""
