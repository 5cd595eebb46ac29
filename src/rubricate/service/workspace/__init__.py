"""The workspace: projects, documents, labels, models and their history in a database.

`tables` names the columns, `migrations/` creates them, `database` opens SQLite or PostgreSQL. What people decide is
kept as events that are only ever added; `labels` and `label_categories` are an index of the events that stand.
"""
