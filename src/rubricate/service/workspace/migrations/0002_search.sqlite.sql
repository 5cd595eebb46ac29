CREATE VIRTUAL TABLE document_words USING fts5 (title, text, content = 'documents', content_rowid = 'id', columnsize = 0);
CREATE TRIGGER documents_are_searched AFTER INSERT ON documents BEGIN INSERT INTO document_words (rowid, title, text) VALUES (new.id, new.title, new.text); END;
