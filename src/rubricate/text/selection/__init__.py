"""Selection criteria, one per file: score each term; higher is better. `rubricate.text.Select` applies one."""
