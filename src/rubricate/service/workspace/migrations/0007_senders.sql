-- Who sent an event, besides the annotator it is about; not known for events of earlier versions.
ALTER TABLE events ADD COLUMN sender TEXT;
-- The account that a line of the audit log is about: the name that was tried, or the account that was changed.
ALTER TABLE audit ADD COLUMN about TEXT NOT NULL DEFAULT '';
CREATE INDEX audit_of_clients ON audit (who, client);
-- One active job of a kind for each project; of several the newest goes on.
UPDATE jobs SET state = 'failed', message = 'a newer job took its place' WHERE state IN ('waiting', 'running')
    AND id NOT IN (SELECT max(id) FROM jobs WHERE state IN ('waiting', 'running') GROUP BY project, kind);
CREATE UNIQUE INDEX jobs_active ON jobs (project, kind) WHERE state IN ('waiting', 'running');
