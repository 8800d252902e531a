CREATE TABLE papers (
  id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  authors TEXT NOT NULL,
  year INTEGER NOT NULL,
  topic TEXT NOT NULL,
  body TEXT NOT NULL,
  source_path TEXT NOT NULL DEFAULT ''
);

-- What search sees: the body here is without private notes, so that no snippet can show one.
CREATE VIRTUAL TABLE papers_fts USING fts5(id UNINDEXED, title, topic, body, tokenize = 'porter unicode61');

CREATE TABLE preferences (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  created_at TEXT NOT NULL
);

CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL REFERENCES sessions (id),
  role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
  content TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'complete' CHECK (status IN ('complete', 'failed')),
  created_at TEXT NOT NULL
);

CREATE INDEX messages_by_session ON messages (session_id, id);
