"""Options that several commands share, and what is read because of them."""
