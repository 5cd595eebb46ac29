"""One file a section of the report; see `rubricate.reports.page.section`."""
