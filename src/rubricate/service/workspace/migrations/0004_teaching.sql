-- How much the label of a document would teach: the order of the queue `uncertain`.
ALTER TABLE decisions ADD COLUMN useful DOUBLE PRECISION;
UPDATE decisions SET useful = 1 - confidence;
CREATE INDEX decisions_by_use ON decisions (model, useful);
-- How often the process of a job was started.
ALTER TABLE jobs ADD COLUMN attempts {number} NOT NULL DEFAULT 0;
