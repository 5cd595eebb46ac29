"""The sections of the report, one file each; see `rubricate.reports.page.section`."""
