"""The parts of the synthetic corpus `newswire`: word lists as text files, and what turns them into tables."""
