"""The rooms of `retrieval`, one test module for each of its modules."""
