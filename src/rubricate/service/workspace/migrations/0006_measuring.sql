-- The sample that measures a model: the stratum of a document, and its turn to be labelled.
ALTER TABLE decisions ADD COLUMN stratum {number};
ALTER TABLE decisions ADD COLUMN turn {number};
CREATE INDEX decisions_by_turn ON decisions (model, turn, stratum);
