"""HTTP service: classify with models, judge predictions, and keep labels in a workspace.

`app` wires the parts; `routes/` has one module per group of addresses, each thin. `models` and `batching` answer
documents in batches, `upload_process` and `upload_worker` read files of clients in processes that can be killed,
`workspace/` keeps projects, documents and labels in a database, `accounts`, `roles` and `guard` decide who may do what,
`pages`, `project_pages` and `model_page` render the pages. Needs the extra `serve`.
"""
