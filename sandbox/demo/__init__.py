"""The main job, shown from nothing: a sandbox, the bot as it is served, and people who ask it."""
