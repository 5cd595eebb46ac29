"""Who may do what: roles, tokens, accounts, sessions, rates."""
