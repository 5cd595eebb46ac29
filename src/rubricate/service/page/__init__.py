"""The pages: HTML made on the server, with small scripts of our own that call the same addresses as any program."""
