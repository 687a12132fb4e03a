-- The tables of the embedded store. Times are in UTC, cut to microseconds.

-- What the store is and what it holds.
CREATE TABLE store_info (
  key VARCHAR PRIMARY KEY,
  value VARCHAR NOT NULL
);
INSERT INTO store_info VALUES ('store_id', uuid()::VARCHAR);

-- The open load: how many rows each table had before it. Empty while no load is open.
CREATE TABLE load_journal (
  table_name VARCHAR NOT NULL,
  row_count BIGINT NOT NULL
);

-- The nine sources (D22, D23). Metadata is JSON text in the warehouse's storage shape (D14). Texts
-- of events are always compressed with FSST: before DuckDB chooses a dictionary it keeps a copy of
-- all texts of a row group (docs/adr/038).
CREATE TABLE edge_logs (id VARCHAR NOT NULL USING COMPRESSION fsst, timestamp TIMESTAMP NOT NULL, event_message VARCHAR USING COMPRESSION fsst, project VARCHAR, metadata VARCHAR USING COMPRESSION fsst);
CREATE TABLE postgres_logs (id VARCHAR NOT NULL USING COMPRESSION fsst, timestamp TIMESTAMP NOT NULL, event_message VARCHAR USING COMPRESSION fsst, project VARCHAR, metadata VARCHAR USING COMPRESSION fsst);
CREATE TABLE function_edge_logs (id VARCHAR NOT NULL USING COMPRESSION fsst, timestamp TIMESTAMP NOT NULL, event_message VARCHAR USING COMPRESSION fsst, project VARCHAR, metadata VARCHAR USING COMPRESSION fsst);
CREATE TABLE function_logs (id VARCHAR NOT NULL USING COMPRESSION fsst, timestamp TIMESTAMP NOT NULL, event_message VARCHAR USING COMPRESSION fsst, project VARCHAR, metadata VARCHAR USING COMPRESSION fsst);
CREATE TABLE auth_logs (id VARCHAR NOT NULL USING COMPRESSION fsst, timestamp TIMESTAMP NOT NULL, event_message VARCHAR USING COMPRESSION fsst, project VARCHAR, metadata VARCHAR USING COMPRESSION fsst);
CREATE TABLE realtime_logs (id VARCHAR NOT NULL USING COMPRESSION fsst, timestamp TIMESTAMP NOT NULL, event_message VARCHAR USING COMPRESSION fsst, project VARCHAR, metadata VARCHAR USING COMPRESSION fsst);
CREATE TABLE storage_logs (id VARCHAR NOT NULL USING COMPRESSION fsst, timestamp TIMESTAMP NOT NULL, event_message VARCHAR USING COMPRESSION fsst, project VARCHAR, metadata VARCHAR USING COMPRESSION fsst);
CREATE TABLE postgrest_logs (id VARCHAR NOT NULL USING COMPRESSION fsst, timestamp TIMESTAMP NOT NULL, event_message VARCHAR USING COMPRESSION fsst, project VARCHAR, metadata VARCHAR USING COMPRESSION fsst);
CREATE TABLE pgbouncer_logs (id VARCHAR NOT NULL USING COMPRESSION fsst, timestamp TIMESTAMP NOT NULL, event_message VARCHAR USING COMPRESSION fsst, project VARCHAR, metadata VARCHAR USING COMPRESSION fsst);

-- One row per (metadata, response) pair of function_edge_logs (D4): the fields
-- that statistics read, so that they read nothing else. A row that is clustered has
-- md5_number_lower(project_ref) as its project_key, and others have 0.
CREATE TABLE function_invocations (
  timestamp TIMESTAMP NOT NULL,
  project_ref VARCHAR,
  function_id VARCHAR,
  execution_time_ms DOUBLE,
  status_code BIGINT,
  project_key UBIGINT DEFAULT 0
);

-- One row per (metadata, request) pair of edge_logs (D4).
CREATE TABLE edge_requests (
  timestamp TIMESTAMP NOT NULL,
  url VARCHAR,
  path VARCHAR
);

-- Ids that ingest accepted recently, by a fingerprint of source and id (D30). Rows are
-- appended in the order of their time.
CREATE TABLE recent_ids (
  accepted TIMESTAMP NOT NULL,
  high UBIGINT NOT NULL,
  low UBIGINT NOT NULL
);

-- Events that were sent and could not be stored as events, with the reason.
CREATE TABLE rejected_events (
  received TIMESTAMP NOT NULL,
  request_id VARCHAR NOT NULL,
  source VARCHAR NOT NULL,
  position BIGINT NOT NULL,
  reason VARCHAR NOT NULL,
  event VARCHAR NOT NULL
);

-- Closed days whose rows are sorted by project and time, or in part: the finished ones of some
-- slices, and in the next slice all earlier projects, and the project until a time.
CREATE TABLE clustered_days (
  table_name VARCHAR NOT NULL,
  day TIMESTAMP NOT NULL,
  slices BIGINT NOT NULL,
  slice BIGINT NOT NULL,
  project VARCHAR,
  until TIMESTAMP,
  row_count BIGINT NOT NULL
);

-- The files beside the store that have the ids of a source, and the number of its first rows
-- whose ids they have.
CREATE TABLE id_indexes (
  table_name VARCHAR NOT NULL,
  row_count BIGINT NOT NULL,
  files VARCHAR NOT NULL
);

-- The log sources of authors, as they were last declared.
CREATE TABLE own_tables (
  name VARCHAR PRIMARY KEY,
  definition VARCHAR NOT NULL
);

-- Fields that were declared when their table had events. The events before a time have their values.
CREATE TABLE unfilled_fields (
  table_name VARCHAR NOT NULL,
  field VARCHAR NOT NULL,
  until TIMESTAMP
);
