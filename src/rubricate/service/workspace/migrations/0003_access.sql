CREATE TABLE accounts (
    name TEXT PRIMARY KEY,
    role TEXT NOT NULL CHECK (role IN ('read', 'label', 'admin')),
    password TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL
);
CREATE TABLE tokens (
    digest TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (name),
    created DOUBLE PRECISION NOT NULL
);
CREATE TABLE sessions (
    digest TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (name),
    csrf TEXT NOT NULL,
    expires DOUBLE PRECISION NOT NULL
);
CREATE TABLE audit (
    id {key},
    created DOUBLE PRECISION NOT NULL,
    who TEXT NOT NULL,
    client TEXT NOT NULL,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    status {number} NOT NULL
);
