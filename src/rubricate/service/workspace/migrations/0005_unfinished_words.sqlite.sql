-- Beginnings of words up to six characters are indexed as words are: else each is looked up by walking through every
-- word that begins so, and half a million documents with one such word took 17 seconds.
DROP TRIGGER documents_are_searched;
DROP TABLE document_words;
CREATE VIRTUAL TABLE document_words USING fts5 (title, text, content = 'documents', content_rowid = 'id', columnsize = 0, prefix = '1 2 3 4 5 6');
INSERT INTO document_words (document_words) VALUES ('rebuild');
CREATE TRIGGER documents_are_searched AFTER INSERT ON documents BEGIN INSERT INTO document_words (rowid, title, text) VALUES (new.id, new.title, new.text); END;
