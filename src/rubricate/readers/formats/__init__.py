"""One file per format of documents; each exports a `Reader`."""
