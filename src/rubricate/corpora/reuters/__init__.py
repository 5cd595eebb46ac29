"""Reuters-21578: its SGML and its splits."""
