-- A workspace of migration 4 with one document, as sqlite3 dumps it.
CREATE TABLE accounts (
    name TEXT PRIMARY KEY,
    role TEXT NOT NULL CHECK (role IN ('read', 'label', 'admin')),
    password TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL
);
CREATE TABLE annotators (
    project INTEGER NOT NULL REFERENCES projects (id),
    name TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (project, name)
);
CREATE TABLE audit (
    id INTEGER PRIMARY KEY,
    created DOUBLE PRECISION NOT NULL,
    who TEXT NOT NULL,
    client TEXT NOT NULL,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    status INTEGER NOT NULL
);
CREATE TABLE categories (
    project INTEGER NOT NULL REFERENCES projects (id),
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (project, name)
);
CREATE TABLE decisions (
    model INTEGER NOT NULL REFERENCES models (id),
    document INTEGER NOT NULL REFERENCES documents (id),
    labels TEXT NOT NULL,
    confidence DOUBLE PRECISION,
    suspect DOUBLE PRECISION, useful DOUBLE PRECISION,
    PRIMARY KEY (model, document)
);
CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES projects (id),
    name TEXT NOT NULL,
    title TEXT,
    text TEXT NOT NULL,
    place INTEGER NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    UNIQUE (project, name)
);
INSERT INTO "documents" VALUES(1,1,'d',NULL,'harvest of wheat',1,0.0);
CREATE TABLE edges (
    project INTEGER NOT NULL REFERENCES projects (id),
    parent TEXT NOT NULL,
    child TEXT NOT NULL,
    PRIMARY KEY (project, parent, child)
);
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    project INTEGER REFERENCES projects (id),
    kind TEXT NOT NULL,
    document INTEGER REFERENCES documents (id),
    annotator TEXT NOT NULL,
    data TEXT NOT NULL,
    undoes INTEGER REFERENCES events (id),
    created DOUBLE PRECISION NOT NULL,
    UNIQUE (undoes)
);
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES projects (id),
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    done INTEGER NOT NULL,
    total INTEGER NOT NULL,
    message TEXT NOT NULL,
    data TEXT NOT NULL,
    cancel INTEGER NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    heartbeat DOUBLE PRECISION NOT NULL,
    ended DOUBLE PRECISION
, attempts INTEGER NOT NULL DEFAULT 0);
CREATE TABLE label_categories (
    project INTEGER NOT NULL REFERENCES projects (id),
    category TEXT NOT NULL,
    document INTEGER NOT NULL REFERENCES documents (id),
    annotator TEXT NOT NULL,
    PRIMARY KEY (project, category, document, annotator)
);
CREATE TABLE labels (
    project INTEGER NOT NULL REFERENCES projects (id),
    document INTEGER NOT NULL REFERENCES documents (id),
    annotator TEXT NOT NULL,
    event INTEGER NOT NULL REFERENCES events (id),
    labels TEXT NOT NULL,
    PRIMARY KEY (document, annotator)
);
CREATE TABLE leases (
    document INTEGER PRIMARY KEY REFERENCES documents (id),
    annotator TEXT NOT NULL,
    until DOUBLE PRECISION NOT NULL
);
CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied DOUBLE PRECISION NOT NULL);
INSERT INTO "migrations" VALUES(1,'workspace',1.79503285833959555627e+09);
INSERT INTO "migrations" VALUES(2,'search',1.79503285835653543468e+09);
INSERT INTO "migrations" VALUES(3,'access',1.79503285835688114165e+09);
INSERT INTO "migrations" VALUES(4,'teaching',1.7950328583574817181e+09);
CREATE TABLE models (
    id INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES projects (id),
    number INTEGER NOT NULL,
    file TEXT NOT NULL,
    summary TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    UNIQUE (project, number)
);
CREATE TABLE models_in_use (
    project INTEGER PRIMARY KEY REFERENCES projects (id),
    model INTEGER NOT NULL REFERENCES models (id)
);
CREATE TABLE projects (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('single', 'multi')),
    created DOUBLE PRECISION NOT NULL
);
INSERT INTO "projects" VALUES(1,'p','multi',0.0);
CREATE TABLE sessions (
    digest TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (name),
    csrf TEXT NOT NULL,
    expires DOUBLE PRECISION NOT NULL
);
CREATE TABLE tokens (
    digest TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (name),
    created DOUBLE PRECISION NOT NULL
);
CREATE INDEX documents_in_order ON documents (project, id);
CREATE INDEX documents_shuffled ON documents (project, place);
CREATE INDEX events_of_project ON events (project, id);
CREATE INDEX events_of_document ON events (document, annotator, id);
CREATE INDEX labels_of_project ON labels (project, event);
CREATE INDEX label_categories_of_document ON label_categories (document, annotator);
CREATE INDEX decisions_by_confidence ON decisions (model, confidence);
CREATE INDEX decisions_by_suspect ON decisions (model, suspect);
CREATE INDEX jobs_of_project ON jobs (project, id);
CREATE INDEX decisions_by_use ON decisions (model, useful);
CREATE VIRTUAL TABLE document_words USING fts5 (title, text, content = 'documents', content_rowid = 'id', columnsize = 0);
CREATE TRIGGER documents_are_searched AFTER INSERT ON documents BEGIN INSERT INTO document_words (rowid, title, text) VALUES (new.id, new.title, new.text); END;
