"""HTTP service: classify with models, judge predictions, and keep labels in a workspace.

`app` wires the parts; `routes/` has one file per group of addresses, each thin. `models/` answers documents in
batches, `uploads/` reads files of clients in processes that can be killed, `workspace/` keeps projects, documents and
labels in a database, `access/` decides who may do what, `page/` renders the pages. Needs the extra `serve`.
"""
