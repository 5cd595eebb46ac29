"""The addresses of the service, one module per group."""
