-- A journal of schema version 3, as v3.db holds it. Made with: sqlite3 v3.db < v3.sql
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
PRAGMA application_id = 0x70727464;
PRAGMA user_version = 1;
CREATE TABLE document (
  job INTEGER PRIMARY KEY REFERENCES job (id) ON DELETE CASCADE,
  order_json BLOB NOT NULL
) STRICT;
INSERT INTO document (job, order_json) SELECT id, order_json FROM job WHERE length(order_json) > 0;
ALTER TABLE job DROP COLUMN order_json;
ALTER TABLE job ADD COLUMN originals INTEGER NOT NULL DEFAULT 1;
ALTER TABLE job ADD COLUMN bytes_accepted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN ms_received REAL;
ALTER TABLE job ADD COLUMN ms_fetched REAL;
ALTER TABLE job ADD COLUMN ms_connected REAL;
ALTER TABLE job ADD COLUMN ms_first_byte REAL;
ALTER TABLE job ADD COLUMN ms_fence REAL;
ALTER TABLE job ADD COLUMN ms_reported REAL;
ALTER TABLE job ADD COLUMN ms_completed REAL;
ALTER TABLE event ADD COLUMN boot_at REAL;
CREATE TABLE delivery (id TEXT PRIMARY KEY, at REAL NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX job_unfinished ON job (id)
  WHERE state IN ('received', 'fetched', 'rendered', 'intent', 'sending');
CREATE INDEX job_unreported ON job (id) WHERE reported_at IS NULL AND finished_at IS NOT NULL;
CREATE INDEX job_finished ON job (finished_at) WHERE finished_at IS NOT NULL;
CREATE TABLE announcement (
  payment TEXT PRIMARY KEY,
  at REAL NOT NULL,
  word TEXT NOT NULL DEFAULT '',
  reason TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
ALTER TABLE job ADD COLUMN report_refused_at REAL;
PRAGMA user_version = 3;

INSERT INTO job (id, order_id, kind, copy, printer, state, reason, confirmation, attempt, received_at, expires_at,
  finished_at, reported_at, bytes_total, originals, bytes_accepted, ms_received, ms_fetched, ms_connected, ms_first_byte,
  ms_fence, ms_reported) VALUES
  (1, '20261130-000187', 'receipt', 1, 'counter', 'printed', '', 'fence', 1, 1796030000.25, 1796037200, 1796030003.5,
   1796030003.75, 1834, 2, 1834, 0.4, 1.9, 2.1, 2.5, 812.5, 840),
  (2, '20261130-000188', 'receipt', 1, 'counter', 'rejected', 'items[3].amount: expected a decimal string', NULL, 0,
   1796030010, 1796037210, 1796030011, 1796030012, 0, 1, 0, 0.3, 2, NULL, NULL, NULL, 30),
  (3, '20261130-000189', 'kitchen', 1, 'kitchen', 'intent', '', NULL, 1, 1796030020, 1796037220, NULL, NULL, 912, 1, 0,
   0.5, 3, 4, NULL, NULL, NULL),
  (5, '20261130-000187', 'receipt', 2, 'counter', 'unknown', 'link lost', NULL, 1, 1796030030, 1796037230, 1796030040,
   NULL, 1850, 1, 1024, 0.6, 1, 2, 3, NULL, NULL);
UPDATE sqlite_sequence SET seq = 7 WHERE name = 'job';
INSERT INTO document (job, order_json) VALUES
  (1, CAST('{"id":"20261130-000187","currency":"CNY","note":"实收12.50元"}' AS BLOB)),
  (5, CAST('{"id":"20261130-000187","currency":"CNY","note":"实收12.50元"}' AS BLOB));
INSERT INTO event (job, seq, at, from_state, to_state, why, boot_at) VALUES
  (1, 1, 1796030000.25, NULL, 'received', '', 812.25),
  (5, 1, 1796030030, NULL, 'received', '', 842),
  (5, 2, 1796030040, 'intent', 'unknown', 'link lost', 852);
INSERT INTO delivery (id, at) VALUES ('msg_1', 1796030000.25), ('msg_2', 1796030010);
INSERT INTO meta (name, value) VALUES ('cursor', 'c-189');
INSERT INTO announcement (payment, at, word, reason) VALUES
  ('order:20261130-000187', 1796030000.25, 'failed', 'no clip'),
  ('refund:20261130-000187:50000', 1796030050, 'played', ''),
  ('refund:20261130-000188:', 1796030060, 'played', ''),
  ('delivery:msg_3', 1796030070, 'muted', '');
