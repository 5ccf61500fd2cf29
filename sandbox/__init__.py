"""Slack on loopback, for the demo and the tests; never in the image."""
