-- When posts, files and lists were last read completely, so that a run may leave out those that were read recently.

ALTER TABLE known_posts ADD COLUMN read_at timestamptz;
COMMENT ON COLUMN known_posts.read_at IS 'start of the last run that read and stored the post with all its comments; null if the last reading failed, or there was none';

ALTER TABLE known_files ADD COLUMN read_at timestamptz;
COMMENT ON COLUMN known_files.read_at IS 'start of the last run that read and stored the file with all its comments; null if the last reading failed, or there was none';

CREATE TABLE list_readings (
  pid text COLLATE "C" NOT NULL,
  stream text NOT NULL,
  read_at timestamptz NOT NULL,
  PRIMARY KEY (pid, stream)
);
COMMENT ON TABLE list_readings IS 'When each list was last read completely';
COMMENT ON COLUMN list_readings.pid IS 'project id; '''' for what belongs to no project';
COMMENT ON COLUMN list_readings.stream IS 'projects, tasks, archived_tasks, pages, events or webhooks';
COMMENT ON COLUMN list_readings.read_at IS 'start of the last run that read and stored the complete list';

INSERT INTO list_readings (pid, stream, read_at)
SELECT s.pid, s.stream, max(r.started_at) FROM run_scopes s JOIN runs r ON r.run_id = s.run_id
WHERE s.status = 'complete' AND s.stream NOT IN ('posts', 'files') GROUP BY s.pid, s.stream;

ALTER TABLE run_scopes DROP CONSTRAINT run_scopes_status_check;
ALTER TABLE run_scopes ADD CONSTRAINT run_scopes_status_check
  CHECK (status IN ('complete', 'partial', 'drifted', 'refused', 'carried', 'skipped', 'failed'));
COMMENT ON COLUMN run_scopes.status IS 'complete, partial (items listed in unread_items were not read), drifted (records kept moving, or the list may be capped), refused (too many rows would have been marked deleted), carried (not read in this run by the refresh policy or the request budget: the last complete reading counts), skipped or failed; complete ones alone mark rows deleted';

ALTER TABLE run_scopes ADD COLUMN carried bigint NOT NULL DEFAULT 0, ADD COLUMN carried_since timestamptz;
COMMENT ON COLUMN run_scopes.carried IS 'posts or files that were not read in this run by the refresh policy or the request budget; 1 for a carried list';
COMMENT ON COLUMN run_scopes.carried_since IS 'time of the oldest of their last readings; null if none was carried';
