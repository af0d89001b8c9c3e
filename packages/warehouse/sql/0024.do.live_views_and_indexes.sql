-- Views of what exists, and indexes for what people and tools ask most.

-- The schema may belong to another role, and may have a comment of its own.
DO $$
BEGIN
  IF (SELECT pg_has_role(nspowner, 'USAGE') AND obj_description(oid, 'pg_namespace') IS NULL
      FROM pg_namespace WHERE nspname = current_schema())
  THEN
    EXECUTE format('COMMENT ON SCHEMA %I IS %L', current_schema(),
      'Warehouse of collab-etl: tables as the last run left them, with deleted rows; views live_… of existing rows only; view changes; models for analysts (fct_…, dim_…); the run log');
  END IF;
END
$$;

-- live_<table>: our columns, as those of history are, so that columns of others stay out.
DO $$
DECLARE
  main text := current_schema();
  past text := current_schema() || '_history';
  name text;
  own text;
BEGIN
  FOREACH name IN ARRAY ARRAY['projects', 'project_labels', 'users', 'entries', 'tasks', 'task_labels', 'task_todos',
    'task_members', 'task_watchers', 'pages', 'page_watchers', 'posts', 'post_watchers', 'post_comments', 'files',
    'file_watchers', 'file_comments', 'comment_files', 'events', 'event_attendees', 'webhooks']
  LOOP
    SELECT string_agg(quote_ident(h.attname), ', ' ORDER BY m.attnum) INTO own
      FROM pg_attribute h JOIN pg_attribute m ON m.attrelid = format('%I.%I', main, name)::regclass AND m.attname = h.attname
      WHERE h.attrelid = format('%I.%I', past, name)::regclass AND h.attnum > 0 AND NOT h.attisdropped
        AND m.attnum > 0 AND h.attname <> 'valid_to';
    EXECUTE format('CREATE VIEW %1$I.%2$I AS SELECT %3$s FROM %1$I.%4$I WHERE deleted_at IS NULL', main, 'live_' || name, own, name);
    EXECUTE format('COMMENT ON VIEW %I.%I IS %L', main, 'live_' || name, format('Rows of %s that exist: deleted_at is null', name));
    EXECUTE (
      SELECT string_agg(format('COMMENT ON COLUMN %I.%I.%I IS %L', main, 'live_' || name, v.attname,
          col_description(m.attrelid, m.attnum)), ';')
      FROM pg_attribute v JOIN pg_attribute m ON m.attrelid = format('%I.%I', main, name)::regclass AND m.attname = v.attname
      WHERE v.attrelid = format('%I.%I', main, 'live_' || name)::regclass AND v.attnum > 0
    );

    -- For changes: what a run wrote, and what it replaced. A version that begins as another ends is found by either.
    EXECUTE format('CREATE INDEX %I ON %I.%I (valid_from) WHERE deleted_at IS NULL', name || '_valid_from', main, name);
    EXECUTE format('CREATE INDEX %I ON %I.%I (valid_from)', name || '_valid_from', past, name);
    EXECUTE format('CREATE INDEX %I ON %I.%I (valid_to)', name || '_valid_to', past, name);
  END LOOP;
END
$$;

-- Existing rows only: the models read those, and rows marked deleted cost no space here.
CREATE INDEX tasks_entry_id ON tasks (pid, entry_id) WHERE deleted_at IS NULL AND archived IS NOT TRUE;
CREATE INDEX tasks_due_at ON tasks (due_at) WHERE deleted_at IS NULL AND completed IS NOT TRUE AND archived IS NOT TRUE;
CREATE INDEX tasks_updated_at ON tasks (updated_at) WHERE deleted_at IS NULL;
CREATE INDEX task_members_uid ON task_members (uid) WHERE deleted_at IS NULL;
CREATE INDEX pages_updated_at ON pages (updated_at) WHERE deleted_at IS NULL;
