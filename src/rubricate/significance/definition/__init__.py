"""What a significance test is, how one is found by name, and how its outcome is stated."""
