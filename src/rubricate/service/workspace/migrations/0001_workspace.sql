-- {key} is a number that the database counts up; {number} a whole number of 64 bits.
CREATE TABLE projects (
    id {key},
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('single', 'multi')),
    created DOUBLE PRECISION NOT NULL
);
CREATE TABLE categories (
    project {number} NOT NULL REFERENCES projects (id),
    position {number} NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (project, name)
);
CREATE TABLE edges (
    project {number} NOT NULL REFERENCES projects (id),
    parent TEXT NOT NULL,
    child TEXT NOT NULL,
    PRIMARY KEY (project, parent, child)
);
CREATE TABLE documents (
    id {key},
    project {number} NOT NULL REFERENCES projects (id),
    name TEXT NOT NULL,
    title TEXT,
    text TEXT NOT NULL,
    place {number} NOT NULL, -- a random number: documents ordered by it are in random order
    created DOUBLE PRECISION NOT NULL,
    UNIQUE (project, name)
);
CREATE INDEX documents_in_order ON documents (project, id);
CREATE INDEX documents_shuffled ON documents (project, place);
CREATE TABLE annotators (
    project {number} NOT NULL REFERENCES projects (id),
    name TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (project, name)
);
CREATE TABLE events (
    id {key},
    project {number} REFERENCES projects (id),
    kind TEXT NOT NULL,
    document {number} REFERENCES documents (id),
    annotator TEXT NOT NULL,
    data TEXT NOT NULL,
    undoes {number} REFERENCES events (id),
    created DOUBLE PRECISION NOT NULL,
    UNIQUE (undoes)
);
CREATE INDEX events_of_project ON events (project, id);
CREATE INDEX events_of_document ON events (document, annotator, id);
-- An index of the label events that stand: the last of each annotator for a document that was not undone.
CREATE TABLE labels (
    project {number} NOT NULL REFERENCES projects (id),
    document {number} NOT NULL REFERENCES documents (id),
    annotator TEXT NOT NULL,
    event {number} NOT NULL REFERENCES events (id),
    labels TEXT NOT NULL,
    PRIMARY KEY (document, annotator)
);
CREATE INDEX labels_of_project ON labels (project, event);
CREATE TABLE label_categories (
    project {number} NOT NULL REFERENCES projects (id),
    category TEXT NOT NULL,
    document {number} NOT NULL REFERENCES documents (id),
    annotator TEXT NOT NULL,
    PRIMARY KEY (project, category, document, annotator)
);
CREATE INDEX label_categories_of_document ON label_categories (document, annotator);
CREATE TABLE models (
    id {key},
    project {number} NOT NULL REFERENCES projects (id),
    number {number} NOT NULL,
    file TEXT NOT NULL,
    summary TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    UNIQUE (project, number)
);
CREATE TABLE models_in_use (
    project {number} PRIMARY KEY REFERENCES projects (id),
    model {number} NOT NULL REFERENCES models (id)
);
CREATE TABLE decisions (
    model {number} NOT NULL REFERENCES models (id),
    document {number} NOT NULL REFERENCES documents (id),
    labels TEXT NOT NULL,
    confidence DOUBLE PRECISION,
    suspect DOUBLE PRECISION, -- how sure the model is, out of fold, that the labels given are wrong
    PRIMARY KEY (model, document)
);
CREATE INDEX decisions_by_confidence ON decisions (model, confidence);
CREATE INDEX decisions_by_suspect ON decisions (model, suspect);
CREATE TABLE leases (
    document {number} PRIMARY KEY REFERENCES documents (id),
    annotator TEXT NOT NULL,
    until DOUBLE PRECISION NOT NULL
);
CREATE TABLE jobs (
    id {key},
    project {number} NOT NULL REFERENCES projects (id),
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    done {number} NOT NULL,
    total {number} NOT NULL,
    message TEXT NOT NULL,
    data TEXT NOT NULL,
    cancel {number} NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    heartbeat DOUBLE PRECISION NOT NULL,
    ended DOUBLE PRECISION
);
CREATE INDEX jobs_of_project ON jobs (project, id);
