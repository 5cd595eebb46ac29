"""The shared form of rules: what learners print, people write, and one engine runs."""
