"""From a question to an answer, a clarification or a refusal."""
