-- A journal of schema version 1, as v1.db holds it. Made with: sqlite3 v1.db < v1.sql
PRAGMA journal_mode = WAL;
CREATE TABLE job (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  order_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  copy INTEGER NOT NULL,
  printer TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '',
  confirmation TEXT,
  attempt INTEGER NOT NULL DEFAULT 0,
  received_at REAL NOT NULL,
  expires_at REAL NOT NULL,
  finished_at REAL,
  reported_at REAL,
  bytes_total INTEGER NOT NULL DEFAULT 0,
  order_json BLOB NOT NULL DEFAULT x'',
  UNIQUE (order_id, kind, copy)
) STRICT;
CREATE TABLE event (
  job INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  at REAL NOT NULL,
  from_state TEXT,
  to_state TEXT NOT NULL,
  why TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (job, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
PRAGMA application_id = 0x70727464;PRAGMA user_version = 1;

INSERT INTO job (id, order_id, kind, copy, printer, state, reason, confirmation, attempt, received_at, expires_at,
  finished_at, reported_at, bytes_total, order_json) VALUES
  (1, '20261130-000187', 'receipt', 1, 'counter', 'printed', '', 'fence', 1, 1796030000.25, 1796037200, 1796030003.5,
   1796030003.75, 1834, CAST('{"id":"20261130-000187","currency":"CNY","note":"实收12.50元"}' AS BLOB)),
  (2, '20261130-000188', 'receipt', 1, 'counter', 'received', '', NULL, 0, 1796030010, 1796037210, NULL, NULL, 0, x''),
  (3, '20261130-000189', 'kitchen', 1, 'kitchen', 'sending', '', NULL, 2, 1796030020, 1796037220, NULL, NULL, 912,
   CAST('{"id":"20261130-000189","currency":"EUR"}' AS BLOB)),
  (5, '20261130-000187', 'receipt', 2, 'counter', 'unknown', 'link lost', NULL, 1, 1796030030, 1796037230, 1796030040,
   NULL, 1850, CAST('{"id":"20261130-000187","currency":"CNY","note":"实收12.50元"}' AS BLOB));
UPDATE sqlite_sequence SET seq = 7 WHERE name = 'job';
INSERT INTO event (job, seq, at, from_state, to_state, why) VALUES
  (1, 1, 1796030000.25, NULL, 'received', ''),
  (1, 2, 1796030001, 'received', 'fetched', ''),
  (5, 1, 1796030030, NULL, 'received', ''),
  (5, 2, 1796030040, 'sending', 'unknown', 'link lost');
INSERT INTO meta (name, value) VALUES ('cursor', 'c-189');
