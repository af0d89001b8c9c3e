-- Scopes of which some items could not be read, and these items.

ALTER TABLE run_scopes DROP CONSTRAINT run_scopes_status_check;
ALTER TABLE run_scopes ADD CONSTRAINT run_scopes_status_check
  CHECK (status IN ('complete', 'partial', 'drifted', 'refused', 'skipped', 'failed'));
COMMENT ON COLUMN run_scopes.status IS 'complete, partial (some items could not be read, see unread_items; the others are stored), drifted (records kept moving), refused (too many rows would have been marked deleted), skipped or failed; complete ones alone mark rows deleted';

CREATE TABLE unread_items (
  run_id text COLLATE "C" NOT NULL,
  pid text COLLATE "C" NOT NULL,
  stream text NOT NULL,
  item_id text COLLATE "C" NOT NULL,
  source text NOT NULL,
  error_code text NOT NULL,
  error text NOT NULL,
  first_failed_at timestamptz NOT NULL,
  PRIMARY KEY (run_id, pid, stream, item_id)
);
COMMENT ON TABLE unread_items IS 'Items of a scope that a run could not read while it stored the others; rows stored before are kept';
COMMENT ON COLUMN unread_items.run_id IS 'run id';
COMMENT ON COLUMN unread_items.pid IS 'project id; '''' for what belongs to no project';
COMMENT ON COLUMN unread_items.stream IS 'stream that was read';
COMMENT ON COLUMN unread_items.item_id IS 'post or file id; followed by /comments if the item was read but its comments were not';
COMMENT ON COLUMN unread_items.source IS 'where the id comes from: flag, file, page, task, event, comment, post, folder, known (an earlier run) or stored';
COMMENT ON COLUMN unread_items.error_code IS 'error code of the service, or a word in capitals';
COMMENT ON COLUMN unread_items.error IS 'why it could not be read';
COMMENT ON COLUMN unread_items.first_failed_at IS 'start of the first of the consecutive runs that could not read it';

ALTER TABLE known_posts ADD COLUMN unread boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN known_posts.missed IS 'consecutive requests that were answered with not found or, if only texts name it, that failed; 0 if it was read last or never requested';
COMMENT ON COLUMN known_posts.unread IS 'whether the last request failed without showing whether it exists';

ALTER TABLE known_files ADD COLUMN unread boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN known_files.missed IS 'consecutive requests that were answered with not found or, if only texts name it, that failed; 0 if it was read last or never requested';
COMMENT ON COLUMN known_files.unread IS 'whether the last request failed without showing whether it exists';
