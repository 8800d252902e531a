-- What libraries have gained since their first version. Each statement may be run again.

-- What the preference agent has made of the user's messages; the current one stands among the preferences.
CREATE TABLE IF NOT EXISTS preference_summaries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  summary TEXT NOT NULL,
  fold TEXT NOT NULL UNIQUE,
  last_message_id INTEGER NOT NULL,
  created_at TEXT NOT NULL
);

-- What ingestion has made of a paper; `origin` says whether the model's answer could be used.
CREATE TABLE IF NOT EXISTS summaries (
  paper_id TEXT PRIMARY KEY REFERENCES papers (id) ON DELETE CASCADE,
  summary TEXT NOT NULL CHECK (summary <> ''),
  key_findings TEXT NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('model', 'fallback')),
  created_at TEXT NOT NULL
);

-- Vectors that an embedding model was asked for, by what it was and what it read.
CREATE TABLE IF NOT EXISTS embeddings (
  model TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  vector TEXT NOT NULL,
  PRIMARY KEY (model, sha256)
);
