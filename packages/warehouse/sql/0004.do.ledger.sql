-- What is known of posts and files, and the ledger of runs.

CREATE TABLE known_posts (
  pid text COLLATE "C" NOT NULL,
  post_id text COLLATE "C" NOT NULL,
  source text NOT NULL,
  first_seen_at timestamptz NOT NULL,
  PRIMARY KEY (pid, post_id)
);
COMMENT ON TABLE known_posts IS 'Ids of posts that are known, to be read by every snapshot; the service does not list posts';
COMMENT ON COLUMN known_posts.pid IS 'project id';
COMMENT ON COLUMN known_posts.post_id IS 'post id';
COMMENT ON COLUMN known_posts.source IS 'where it was first found: flag, file, page, task, event, comment, post or folder';
COMMENT ON COLUMN known_posts.first_seen_at IS 'when it was first found';

CREATE TABLE known_files (
  pid text COLLATE "C" NOT NULL,
  fid text COLLATE "C" NOT NULL,
  source text NOT NULL,
  first_seen_at timestamptz NOT NULL,
  PRIMARY KEY (pid, fid)
);
COMMENT ON TABLE known_files IS 'Ids of files that are known, to be read by every snapshot; the service does not list files';
COMMENT ON COLUMN known_files.pid IS 'project id';
COMMENT ON COLUMN known_files.fid IS 'file id';
COMMENT ON COLUMN known_files.source IS 'where it was first found: flag, file, page, task, event, comment, post or folder';
COMMENT ON COLUMN known_files.first_seen_at IS 'when it was first found';

CREATE TABLE runs (
  run_id text COLLATE "C" NOT NULL,
  started_at timestamptz NOT NULL,
  finished_at timestamptz,
  status text NOT NULL CHECK (status IN ('running', 'succeeded', 'partial', 'failed', 'interrupted')),
  base_url text NOT NULL,
  tool_version text NOT NULL,
  requests bigint NOT NULL DEFAULT 0,
  retries bigint NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  error text,
  PRIMARY KEY (run_id)
);
COMMENT ON TABLE runs IS 'Runs of the snapshot';
COMMENT ON COLUMN runs.run_id IS 'run id; sorts by time';
COMMENT ON COLUMN runs.started_at IS 'when it began; everything it changed carries this time';
COMMENT ON COLUMN runs.finished_at IS 'when it ended; null while running, and when its process died';
COMMENT ON COLUMN runs.status IS 'running, succeeded, partial (some scopes are not complete), failed or interrupted';
COMMENT ON COLUMN runs.base_url IS 'address of the service';
COMMENT ON COLUMN runs.tool_version IS 'version of the tool';
COMMENT ON COLUMN runs.requests IS 'requests made, retries included';
COMMENT ON COLUMN runs.retries IS 'requests that were made again';
COMMENT ON COLUMN runs.bytes IS 'bytes of bodies received';
COMMENT ON COLUMN runs.error IS 'why it did not succeed';

CREATE TABLE run_scopes (
  run_id text COLLATE "C" NOT NULL,
  pid text COLLATE "C" NOT NULL,
  stream text NOT NULL,
  status text NOT NULL CHECK (status IN ('complete', 'drifted', 'refused', 'skipped', 'failed')),
  pages integer NOT NULL,
  requests bigint NOT NULL,
  bytes bigint NOT NULL,
  rows_read bigint NOT NULL,
  rows_inserted bigint NOT NULL,
  rows_updated bigint NOT NULL,
  rows_deleted bigint NOT NULL,
  started_at timestamptz NOT NULL,
  finished_at timestamptz NOT NULL,
  error_code text,
  error text,
  PRIMARY KEY (run_id, pid, stream)
);
COMMENT ON TABLE run_scopes IS 'What each run read: one stream of one project a row';
COMMENT ON COLUMN run_scopes.run_id IS 'run id';
COMMENT ON COLUMN run_scopes.pid IS 'project id; '''' for what belongs to no project (the project list, personal webhooks)';
COMMENT ON COLUMN run_scopes.stream IS 'projects, tasks, archived_tasks, pages, posts, events, files or webhooks';
COMMENT ON COLUMN run_scopes.status IS 'complete, drifted (records kept moving), refused (too many rows would have been marked deleted), skipped or failed; complete ones alone mark rows deleted';
COMMENT ON COLUMN run_scopes.pages IS 'pages or windows read';
COMMENT ON COLUMN run_scopes.requests IS 'requests made, retries included';
COMMENT ON COLUMN run_scopes.bytes IS 'bytes of bodies received';
COMMENT ON COLUMN run_scopes.rows_read IS 'rows that its records became, over all tables but users';
COMMENT ON COLUMN run_scopes.rows_inserted IS 'rows that were new';
COMMENT ON COLUMN run_scopes.rows_updated IS 'rows that had changed or came back';
COMMENT ON COLUMN run_scopes.rows_deleted IS 'rows marked deleted';
COMMENT ON COLUMN run_scopes.started_at IS 'when reading it began';
COMMENT ON COLUMN run_scopes.finished_at IS 'when reading it ended';
COMMENT ON COLUMN run_scopes.error_code IS 'error code of the service, or a word in capitals; null when complete';
COMMENT ON COLUMN run_scopes.error IS 'why it is not complete';

CREATE TABLE losses (
  run_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  pid text COLLATE "C",
  stream text NOT NULL,
  record_key text NOT NULL,
  field text NOT NULL,
  kind text NOT NULL,
  original text,
  PRIMARY KEY (run_id, seq)
);
COMMENT ON TABLE losses IS 'Values that could not be taken exactly as they were sent';
COMMENT ON COLUMN losses.run_id IS 'run id';
COMMENT ON COLUMN losses.seq IS 'number within the run';
COMMENT ON COLUMN losses.pid IS 'project id; null for what belongs to no project';
COMMENT ON COLUMN losses.stream IS 'stream that was read';
COMMENT ON COLUMN losses.record_key IS 'key of the record; parts are joined by a space';
COMMENT ON COLUMN losses.field IS 'path inside the record; empty for the record itself';
COMMENT ON COLUMN losses.kind IS 'coerced (read as the type it should have had), missing (null, or an empty list), unreadable (null), unkeyed (left out), duplicate (one is kept), misplaced (kept in the project it was read from), invalid_utf8, nul_character or lone_surrogate (replaced by U+FFFD), invalid_timestamp or out_of_range (null)';
COMMENT ON COLUMN losses.original IS 'what was sent, as JSON text; null where nothing was';

COMMENT ON TABLE schema_version IS 'Migrations of this schema that were applied';
COMMENT ON COLUMN schema_version.version IS 'number of the migration; the highest one is the version of the schema';
COMMENT ON COLUMN schema_version.name IS 'name of the migration';
COMMENT ON COLUMN schema_version.md5 IS 'checksum of its file';
COMMENT ON COLUMN schema_version.run_at IS 'when it was applied';
