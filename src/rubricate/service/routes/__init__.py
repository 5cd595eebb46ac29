"""The addresses of the service, one file per group."""
