-- History of the resource tables, and what certifies a scope.

ALTER TABLE tasks ADD COLUMN record_hash uuid;
ALTER TABLE pages ADD COLUMN record_hash uuid;
COMMENT ON COLUMN tasks.record_hash IS 'hash of the record with its lists as it was read, by which the next run knows that nothing changed; null: to be compared value by value';
COMMENT ON COLUMN pages.record_hash IS 'hash of the record with its lists as it was read, by which the next run knows that nothing changed; null: to be compared value by value';

ALTER TABLE run_scopes ADD COLUMN records_read bigint, ADD COLUMN content_hash text;
COMMENT ON COLUMN run_scopes.started_at IS 'when reading it began: its first request';
COMMENT ON COLUMN run_scopes.finished_at IS 'when reading it ended: its last answer';
COMMENT ON COLUMN run_scopes.records_read IS 'records that the service sent; null for runs before version 5';
COMMENT ON COLUMN run_scopes.content_hash IS 'sum, modulo 2^256, of the SHA-256 of each record as rows, in hexadecimal: the same records in any order give the same; null when nothing was read';

-- One table of versions and one function for each resource table, made from the table itself: what is written out would
-- have to be kept alike by hand, table by table. The schema's dump shows the result.
DO $$
DECLARE
  main text := current_schema();
  past text := current_schema() || '_history';
  name text;
  own text;
  keys text;
BEGIN
  EXECUTE format('CREATE SCHEMA IF NOT EXISTS %I', past);
  EXECUTE format('COMMENT ON SCHEMA %I IS %L', past, 'superseded and deleted versions of the rows of ' || main);
  FOREACH name IN ARRAY ARRAY['projects', 'project_labels', 'users', 'entries', 'tasks', 'task_labels', 'task_todos',
    'task_members', 'task_watchers', 'pages', 'page_watchers', 'posts', 'post_watchers', 'post_comments', 'files',
    'file_watchers', 'file_comments', 'comment_files', 'events', 'event_attendees', 'webhooks']
  LOOP
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO own FROM pg_attribute
      WHERE attrelid = format('%I.%I', main, name)::regclass AND attnum > 0 AND NOT attisdropped
        AND attname NOT IN ('deleted_at', 'record_hash');
    SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY k.place) INTO keys
      FROM pg_index i CROSS JOIN unnest(i.indkey::int[]) WITH ORDINALITY AS k (attnum, place)
      JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
      WHERE i.indrelid = format('%I.%I', main, name)::regclass AND i.indisprimary;

    EXECUTE format('CREATE TABLE %I.%I AS SELECT %s, deleted_at AS valid_to FROM %I.%I WHERE deleted_at IS NOT NULL', past, name, own, main, name);
    EXECUTE format('ALTER TABLE %I.%I ALTER COLUMN valid_to SET NOT NULL, ADD PRIMARY KEY (%s, valid_from)', past, name, keys);
    EXECUTE format('COMMENT ON TABLE %I.%I IS %L', past, name, 'Versions of ' || name || ' that were superseded or deleted');
    EXECUTE (
      SELECT string_agg(format('COMMENT ON COLUMN %I.%I.%I IS %L', past, name, attname, col_description(attrelid, attnum)), ';')
      FROM pg_attribute WHERE attrelid = format('%I.%I', main, name)::regclass AND attnum > 0 AND NOT attisdropped
        AND attname NOT IN ('deleted_at', 'record_hash')
    );
    EXECUTE format('COMMENT ON COLUMN %I.%I.valid_to IS %L', past, name,
      'start of the run that first saw it changed or gone; the version held until just before');

    -- Plain SQL and without settings of its own, so that a query around it is planned as if the text stood there.
    EXECUTE format(
      'CREATE FUNCTION %1$I.%2$I(moment timestamptz) RETURNS SETOF %1$I.%3$I LANGUAGE sql STABLE PARALLEL SAFE AS %5$L',
      main, name || '_as_of', name, past,
      format('SELECT %1$s, NULL::timestamptz%5$s FROM %2$I.%4$I WHERE valid_from <= moment AND deleted_at IS NULL'
        || ' UNION ALL SELECT %1$s, NULL::timestamptz%5$s FROM %3$I.%4$I WHERE valid_from <= moment AND moment < valid_to',
        own, main, past, name, CASE WHEN name IN ('tasks', 'pages') THEN ', NULL::uuid' ELSE '' END));
    EXECUTE format('COMMENT ON FUNCTION %I.%I(timestamptz) IS %L', main, name || '_as_of',
      'Rows of ' || name || ' as they stood at the end of the last run that began at or before that time');
  END LOOP;
END
$$;
