-- A text search vector holds at most 1 MB: the first 100,000 characters are searched.
ALTER TABLE documents ADD COLUMN words tsvector GENERATED ALWAYS AS (to_tsvector('simple', left(coalesce(title, '') || ' ' || text, 100000))) STORED;
CREATE INDEX documents_searched ON documents USING gin (words);
