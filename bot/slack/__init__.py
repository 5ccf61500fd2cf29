"""The edge: everything that knows Slack's API."""
