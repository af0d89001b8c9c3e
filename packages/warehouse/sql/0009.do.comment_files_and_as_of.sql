-- Attached files belong to one comment of one post or file; functions and views that other columns do not break.

-- Ids of comments are unique within one post or file. Two comments that shared an id shared their rows here: each gets
-- its own. Columns are added, so that views, grants and columns of others stay.
DO $$
DECLARE
  main text := current_schema();
  past text := current_schema() || '_history';
  place text;
  key_name text;
BEGIN
  FOREACH place IN ARRAY ARRAY[main, past] LOOP
    SELECT conname INTO key_name FROM pg_constraint
      WHERE conrelid = format('%I.comment_files', place)::regclass AND contype = 'p';
    EXECUTE format('ALTER TABLE %I.comment_files DROP CONSTRAINT %I, ADD COLUMN parent_kind text COLLATE "C", ADD COLUMN parent_id text COLLATE "C"',
      place, key_name);
  END LOOP;
END
$$;

-- Joins by equality must not be loops: tables may have no statistics.
SET LOCAL enable_nestloop = off;

-- A live row belongs to comments that live, if there are any.
CREATE TABLE comment_file_parents AS
SELECT pid, cid, fid, kind, id, row_number() OVER (PARTITION BY pid, cid, fid ORDER BY kind DESC, id) AS n
FROM (
  SELECT f.pid, f.cid, f.fid, f.deleted_at, c.kind, c.id, c.deleted_at AS parent_deleted_at,
    bool_or(c.deleted_at IS NULL) OVER (PARTITION BY f.pid, f.cid, f.fid) AS has_living
  FROM comment_files f
  JOIN (
    SELECT pid, cid, 'post' AS kind, post_id AS id, deleted_at FROM post_comments
    UNION ALL SELECT pid, cid, 'file', fid, deleted_at FROM file_comments
  ) c ON c.pid = f.pid AND c.cid = f.cid
) AS candidate
WHERE deleted_at IS NOT NULL OR NOT has_living OR parent_deleted_at IS NULL;

UPDATE comment_files f SET parent_kind = p.kind, parent_id = p.id
FROM comment_file_parents p WHERE p.pid = f.pid AND p.cid = f.cid AND p.fid = f.fid AND p.n = 1;
INSERT INTO comment_files
  (pid, parent_kind, parent_id, cid, fid, name, description, size_bytes, path, folder_id, extra, valid_from, deleted_at)
SELECT
  f.pid, p.kind, p.id, f.cid, f.fid, f.name, f.description, f.size_bytes, f.path, f.folder_id, f.extra, f.valid_from,
  f.deleted_at
FROM comment_files f JOIN comment_file_parents p ON p.pid = f.pid AND p.cid = f.cid AND p.fid = f.fid AND p.n > 1;
-- of comments that are not stored at all
UPDATE comment_files SET parent_kind = 'post', parent_id = '' WHERE parent_kind IS NULL;
ALTER TABLE comment_files
  ALTER COLUMN parent_kind SET NOT NULL, ALTER COLUMN parent_id SET NOT NULL,
  ADD PRIMARY KEY (pid, parent_kind, parent_id, cid, fid);

-- A version belongs to comments that had a version in its time; where there are none, to any of that id.
DO $$
DECLARE
  main text := current_schema();
  past text := current_schema() || '_history';
BEGIN
  EXECUTE format($sql$
    CREATE TABLE comment_file_version_parents AS
    SELECT pid, cid, fid, valid_from, kind, id,
      row_number() OVER (PARTITION BY pid, cid, fid, valid_from ORDER BY kind DESC, id) AS n
    FROM (
      SELECT f.pid, f.cid, f.fid, f.valid_from, c.kind, c.id, bool_or(c.since < f.valid_to AND c.until > f.valid_from) AS is_in_time,
        bool_or(bool_or(c.since < f.valid_to AND c.until > f.valid_from)) OVER (PARTITION BY f.pid, f.cid, f.fid, f.valid_from)
          AS any_is_in_time
      FROM %2$I.comment_files f
      JOIN (
        SELECT pid, cid, 'post' AS kind, post_id AS id, valid_from AS since, coalesce(deleted_at, 'infinity') AS until
          FROM %1$I.post_comments
        UNION ALL SELECT pid, cid, 'file', fid, valid_from, coalesce(deleted_at, 'infinity') FROM %1$I.file_comments
        UNION ALL SELECT pid, cid, 'post', post_id, valid_from, valid_to FROM %2$I.post_comments
        UNION ALL SELECT pid, cid, 'file', fid, valid_from, valid_to FROM %2$I.file_comments
      ) c ON c.pid = f.pid AND c.cid = f.cid
      GROUP BY f.pid, f.cid, f.fid, f.valid_from, c.kind, c.id
    ) AS candidate
    WHERE is_in_time OR NOT any_is_in_time;

    UPDATE %2$I.comment_files f SET parent_kind = p.kind, parent_id = p.id FROM comment_file_version_parents p
    WHERE p.pid = f.pid AND p.cid = f.cid AND p.fid = f.fid AND p.valid_from = f.valid_from AND p.n = 1;
    INSERT INTO %2$I.comment_files
      (pid, parent_kind, parent_id, cid, fid, name, description, size_bytes, path, folder_id, extra, valid_from, valid_to)
    SELECT
      f.pid, p.kind, p.id, f.cid, f.fid, f.name, f.description, f.size_bytes, f.path, f.folder_id, f.extra, f.valid_from,
      f.valid_to
    FROM %2$I.comment_files f JOIN comment_file_version_parents p
      ON p.pid = f.pid AND p.cid = f.cid AND p.fid = f.fid AND p.valid_from = f.valid_from AND p.n > 1;
    UPDATE %2$I.comment_files SET parent_kind = 'post', parent_id = '' WHERE parent_kind IS NULL;
    ALTER TABLE %2$I.comment_files
      ALTER COLUMN parent_kind SET NOT NULL, ALTER COLUMN parent_id SET NOT NULL,
      ADD PRIMARY KEY (pid, parent_kind, parent_id, cid, fid, valid_from);
    COMMENT ON COLUMN %1$I.comment_files.parent_kind IS 'what was commented on: post or file';
    COMMENT ON COLUMN %1$I.comment_files.parent_id IS 'post or file id, by parent_kind';
    COMMENT ON COLUMN %2$I.comment_files.parent_kind IS 'what was commented on: post or file';
    COMMENT ON COLUMN %2$I.comment_files.parent_id IS 'post or file id, by parent_kind'
  $sql$, main, past);
END
$$;
DROP TABLE comment_file_parents, comment_file_version_parents;

-- A version that was superseded while its row stayed as it was (another session had changed the row meanwhile) stood in the
-- way of the next one: both began at the same time. What is stored now began when the superseded version ended.
-- Then the functions: they name their columns, so that a column that somebody adds to a table does not break them, and
-- leave out the hash of a record, which is not kept of versions. One that views of others depend on keeps its type.
DO $$
DECLARE
  main text := current_schema();
  past text := current_schema() || '_history';
  name text;
  own text;
  keys text;
  typed text;
  rest text;
  body text;
BEGIN
  FOREACH name IN ARRAY ARRAY['projects', 'project_labels', 'users', 'entries', 'tasks', 'task_labels', 'task_todos',
    'task_members', 'task_watchers', 'pages', 'page_watchers', 'posts', 'post_watchers', 'post_comments', 'files',
    'file_watchers', 'file_comments', 'comment_files', 'events', 'event_attendees', 'webhooks']
  LOOP
    SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY k.place) INTO keys
      FROM pg_index i CROSS JOIN unnest(i.indkey::int[]) WITH ORDINALITY AS k (attnum, place)
      JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
      WHERE i.indrelid = format('%I.%I', main, name)::regclass AND i.indisprimary;
    EXECUTE format('UPDATE %1$I.%2$I t SET valid_from = h.until'
      || ' FROM (SELECT %4$s, max(valid_to) AS until FROM %3$I.%2$I GROUP BY %4$s) AS h'
      || ' WHERE (%5$s) = (%6$s) AND t.deleted_at IS NULL AND t.valid_from < h.until',
      main, name, past, keys,
      't.' || replace(keys, ', ', ', t.'), 'h.' || replace(keys, ', ', ', h.'));

    -- the columns of versions are those that are ours
    SELECT string_agg(quote_ident(h.attname), ', ' ORDER BY m.attnum),
        string_agg(format('%I %s', h.attname, format_type(h.atttypid, h.atttypmod)), ', ' ORDER BY m.attnum)
      INTO own, typed
      FROM pg_attribute h JOIN pg_attribute m ON m.attrelid = format('%I.%I', main, name)::regclass AND m.attname = h.attname
      WHERE h.attrelid = format('%I.%I', past, name)::regclass AND h.attnum > 0 AND NOT h.attisdropped
        AND m.attnum > 0 AND h.attname <> 'valid_to';
    body := format('SELECT %1$s, NULL::timestamptz FROM %2$I.%4$I WHERE valid_from <= $1 AND deleted_at IS NULL'
        || ' UNION ALL SELECT %1$s, NULL::timestamptz FROM %3$I.%4$I WHERE valid_from <= $1 AND $1 < valid_to',
        own, main, past, name);
    BEGIN
      EXECUTE format('DROP FUNCTION %I.%I(timestamptz)', main, name || '_as_of');
      EXECUTE format(
        'CREATE FUNCTION %1$I.%2$I(moment timestamptz) RETURNS TABLE (%3$s, deleted_at timestamptz) LANGUAGE sql STABLE PARALLEL SAFE AS %4$L',
        main, name || '_as_of', typed, body);
    EXCEPTION WHEN dependent_objects_still_exist THEN
      SELECT string_agg(CASE WHEN h.attname IS NULL OR m.attname = 'deleted_at'
            THEN 'NULL::' || format_type(m.atttypid, m.atttypmod) ELSE quote_ident(m.attname) END, ', ' ORDER BY m.attnum)
        INTO rest
        FROM pg_attribute m LEFT JOIN pg_attribute h
          ON h.attrelid = format('%I.%I', past, name)::regclass AND h.attname = m.attname AND h.attnum > 0 AND NOT h.attisdropped
        WHERE m.attrelid = format('%I.%I', main, name)::regclass AND m.attnum > 0 AND NOT m.attisdropped;
      EXECUTE format(
        'CREATE OR REPLACE FUNCTION %1$I.%2$I(moment timestamptz) RETURNS SETOF %1$I.%3$I LANGUAGE sql STABLE PARALLEL SAFE AS %4$L',
        main, name || '_as_of', name,
        format('SELECT %1$s FROM %2$I.%4$I WHERE valid_from <= $1 AND deleted_at IS NULL'
          || ' UNION ALL SELECT %1$s FROM %3$I.%4$I WHERE valid_from <= $1 AND $1 < valid_to', rest, main, past, name));
    END;
    EXECUTE format('COMMENT ON FUNCTION %I.%I(timestamptz) IS %L', main, name || '_as_of',
      'Rows of ' || name || ' as they stood at the end of the last run that began at or before that time');
  END LOOP;
END
$$;

SET LOCAL enable_nestloop = on;

-- What is yet to happen is no activity: events that begin later.
CREATE OR REPLACE VIEW project_activity AS
SELECT
  pid,
  (happened_at AT TIME ZONE 'UTC')::date AS day,
  count(*) FILTER (WHERE kind = 'task created') AS tasks_created,
  count(*) FILTER (WHERE kind = 'task completed') AS tasks_completed,
  count(*) FILTER (WHERE kind = 'comment') AS comments,
  count(*) FILTER (WHERE kind = 'page created') AS pages_created,
  count(DISTINCT id) FILTER (WHERE kind = 'page updated') AS pages_updated,
  count(*) FILTER (WHERE kind = 'post created') AS posts_created,
  count(DISTINCT id) FILTER (WHERE kind = 'post updated') AS posts_updated,
  count(*) FILTER (WHERE kind = 'file') AS files,
  count(*) FILTER (WHERE kind = 'event') AS events
FROM (
  SELECT 'task created' AS kind, pid, tid AS id, created_at AS happened_at FROM tasks
  UNION ALL SELECT 'task completed', pid, tid, completed_at FROM task_completions
  UNION ALL SELECT 'comment', pid, cid, created_at FROM post_comments
  UNION ALL SELECT 'comment', pid, cid, created_at FROM file_comments
  UNION ALL SELECT 'page created', pid, page_id, created_at FROM pages
  UNION ALL SELECT 'page updated', pid, page_id, updated_at FROM page_versions WHERE updated_at > created_at
  UNION ALL SELECT 'post created', pid, post_id, created_at FROM posts
  UNION ALL SELECT 'post updated', pid, post_id, updated_at FROM post_versions WHERE updated_at > created_at
  UNION ALL SELECT 'file', pid, fid, created_at FROM files WHERE type IS DISTINCT FROM 1
  UNION ALL SELECT 'event', pid, event_id, starts_at FROM events
) AS activity
WHERE happened_at <= now()
GROUP BY pid, (happened_at AT TIME ZONE 'UTC')::date;
COMMENT ON VIEW project_activity IS 'What happened in each project on each UTC day until now(), by the records'' own times and also before the first run; days without any are not listed. Records deleted since count too';
