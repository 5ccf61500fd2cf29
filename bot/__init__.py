"""Footnote: answers a team's questions in Slack from what the team has already written."""
