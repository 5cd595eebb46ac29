"""Tables and claims of Yang 1999, one file each."""
