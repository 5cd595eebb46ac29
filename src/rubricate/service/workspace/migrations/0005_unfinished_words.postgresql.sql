-- Beginnings of words are found by the index of 0002; new documents are put into it at once, so that no search has to
-- walk through those that wait.
ALTER INDEX documents_searched SET (fastupdate = off);
