"""The page of a report: markup, sections, templates, and the page as one text."""
