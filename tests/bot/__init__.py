"""The rooms of `bot`, one test module for each of its jobs."""
