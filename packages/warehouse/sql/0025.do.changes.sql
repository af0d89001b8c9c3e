-- What each run added, changed and deleted, and the difference of two times.

-- Beginnings and ends of versions are put together by grouping: both are found by time, and no table is read as a whole.
-- A time is bounded from both sides by the run's start, as for an equality the planner would count on as many rows as an average
-- run writes, the first one among them, and read whole tables.
DO $$
DECLARE
  main text := current_schema();
  past text := current_schema() || '_history';
  name text;
  keys text;
  key_object text;
  values_object text;
  pid_of text;
  of_key text;
  in_run text := '';
  outside text := '';
  between_times text := '';
  compared text;
  shown text;
  number integer := 0;
BEGIN
  FOREACH name IN ARRAY ARRAY['projects', 'project_labels', 'users', 'entries', 'tasks', 'task_labels', 'task_todos',
    'task_members', 'task_watchers', 'pages', 'page_watchers', 'posts', 'post_watchers', 'post_comments', 'files',
    'file_watchers', 'file_comments', 'comment_files', 'events', 'event_attendees', 'webhooks']
  LOOP
    number := number + 1;
    SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY k.place),
        string_agg(format('%L, %I', a.attname, a.attname), ', ' ORDER BY k.place)
      INTO keys, key_object
      FROM pg_index i CROSS JOIN unnest(i.indkey::int[]) WITH ORDINALITY AS k (attnum, place)
      JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
      WHERE i.indrelid = format('%I.%I', main, name)::regclass AND i.indisprimary;
    SELECT string_agg(format('%L, %I', h.attname, h.attname), ', ' ORDER BY m.attnum) INTO values_object
      FROM pg_attribute h JOIN pg_attribute m ON m.attrelid = format('%I.%I', main, name)::regclass AND m.attname = h.attname
      WHERE h.attrelid = format('%I.%I', past, name)::regclass AND h.attnum > 0 AND NOT h.attisdropped AND m.attnum > 0
        AND h.attname NOT IN ('valid_from', 'valid_to') AND NOT quote_ident(h.attname) = ANY (string_to_array(keys, ', '));
    -- users have no project, and webhooks may move to another
    pid_of := CASE name WHEN 'users' THEN 'NULL' WHEN 'webhooks' THEN $sql$coalesce(new_values, old_values) ->> 'pid'$sql$ ELSE 'pid' END;

    -- %1$s: the condition on the time, with its column as TIME
    of_key := format($sql$
      SELECT %1$s AS table_number, %2$L AS table_name, %3$s AS pid, jsonb_build_object(%4$s) AS key, changed_at, old_values, new_values
      FROM (
        SELECT %5$s, changed_at, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values,
          (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
        FROM (
          SELECT %5$s, valid_from AS changed_at, true AS is_new, jsonb_build_object(%6$s) AS row_values
            FROM %7$I.%2$I WHERE deleted_at IS NULL AND BEGINS
          UNION ALL SELECT %5$s, valid_from, true, jsonb_build_object(%6$s) FROM %8$I.%2$I WHERE valid_from < valid_to AND BEGINS
          UNION ALL SELECT %5$s, valid_to, false, jsonb_build_object(%6$s) FROM %8$I.%2$I WHERE valid_from < valid_to AND ENDS
        ) AS version
        GROUP BY %5$s, changed_at
      ) AS record$sql$, number, name, pid_of, key_object, keys, values_object, main, past);
    in_run := in_run || CASE number WHEN 1 THEN '' ELSE ' UNION ALL ' END
      || replace(replace(of_key, 'BEGINS', 'valid_from >= run.started_at AND valid_from <= run.started_at'),
        'ENDS', 'valid_to >= run.started_at AND valid_to <= run.started_at');
    outside := outside || CASE number WHEN 1 THEN '' ELSE ' UNION ALL ' END
      || replace(replace(of_key, 'BEGINS', format('valid_from NOT IN (SELECT started_at FROM %I.runs)', main)),
        'ENDS', format('valid_to NOT IN (SELECT started_at FROM %I.runs)', main));

    -- the versions of both times, of those records that have a version that began or ended between them
    between_times := between_times || CASE number WHEN 1 THEN '' ELSE ' UNION ALL ' END || format($sql$
      SELECT %1$s AS table_number, %2$L AS table_name, %3$s AS pid, jsonb_build_object(%4$s) AS key, old_values, new_values
      FROM (
        SELECT %5$s, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values,
          (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
        FROM (
          SELECT %5$s, true AS is_new, jsonb_build_object(%6$s) AS row_values
            FROM %7$I.%2$I WHERE deleted_at IS NULL AND valid_from > $1 AND valid_from <= $2
          UNION ALL SELECT %5$s, true, jsonb_build_object(%6$s) FROM %8$I.%2$I
            WHERE valid_from > $1 AND valid_from <= $2 AND valid_to > $2
          UNION ALL SELECT %5$s, false, jsonb_build_object(%6$s) FROM %8$I.%2$I
            WHERE valid_to > $1 AND valid_to <= $2 AND valid_from <= $1
        ) AS version
        GROUP BY %5$s
      ) AS record$sql$, number, name, pid_of, key_object, keys, values_object, main, past);
  END LOOP;

  -- of a record that has both versions, the columns that differ; jsonb_each(null) has no row
  compared := $sql$
    CROSS JOIN LATERAL (
      SELECT array_agg(n.key) AS columns, jsonb_object_agg(n.key, v.old_values -> n.key) AS old_values, jsonb_object_agg(n.key, n.value) AS new_values
      FROM jsonb_each(CASE WHEN v.old_values IS NOT NULL THEN v.new_values END) AS n
      WHERE n.value IS DISTINCT FROM v.old_values -> n.key
    ) AS d
    WHERE v.old_values IS NULL OR v.new_values IS NULL OR d.columns IS NOT NULL$sql$;
  shown := $sql$
      v.table_name,
      v.pid,
      v.key,
      CASE WHEN v.old_values IS NULL THEN 'added' WHEN v.new_values IS NULL THEN 'deleted' ELSE 'changed' END AS change,
      d.columns,
      coalesce(d.old_values, v.old_values) AS old_values,
      coalesce(d.new_values, v.new_values) AS new_values,
      v.table_number$sql$;

  EXECUTE format($view$
    CREATE VIEW %1$I.changes AS
    SELECT v.changed_at, v.run_id, %4$s
    FROM (
      SELECT run.started_at AS changed_at, run.run_id, table_number, table_name, pid, key, old_values, new_values
        FROM %1$I.runs AS run CROSS JOIN LATERAL (%2$s) AS written
      UNION ALL
      SELECT changed_at, NULL, table_number, table_name, pid, key, old_values, new_values FROM (%3$s) AS written
    ) AS v %5$s
  $view$, main, in_run, outside, shown, compared);

  EXECUTE format($function$
    CREATE FUNCTION %1$I.changes_between(since timestamptz, until timestamptz)
    RETURNS TABLE (table_name text, pid text, key jsonb, change text, columns text[], old_values jsonb, new_values jsonb, table_number integer)
    LANGUAGE sql STABLE PARALLEL SAFE AS $body$ SELECT %3$s FROM (%2$s) AS v %4$s $body$
  $function$, main, between_times, shown, compared);
END
$$;
COMMENT ON VIEW changes IS 'What each run added, changed and deleted: one row per record and run. Records of lists (labels, members, checklist items) are rows of their own tables. A record that is restored after its deletion is added again. Filter by run_id or changed_at: only the rows of those runs are read';
COMMENT ON COLUMN changes.changed_at IS 'start of the run that wrote the change';
COMMENT ON COLUMN changes.run_id IS 'run that wrote the change; null if no run began at changed_at, because another program wrote it';
COMMENT ON COLUMN changes.table_name IS 'table of the record';
COMMENT ON COLUMN changes.pid IS 'project id; null for users and personal webhooks';
COMMENT ON COLUMN changes.key IS 'primary key of the record, by column';
COMMENT ON COLUMN changes.change IS 'added, changed or deleted';
COMMENT ON COLUMN changes.columns IS 'columns whose values differ; null if added or deleted';
COMMENT ON COLUMN changes.old_values IS 'values before, by column: of a changed record those that differ, of a deleted one all but its key; null if added';
COMMENT ON COLUMN changes.new_values IS 'values after, by column: of a changed record those that differ, of an added one all but its key; null if deleted';
COMMENT ON COLUMN changes.table_number IS 'number of the table in the order of the documentation, to sort by';
COMMENT ON FUNCTION changes_between(timestamptz, timestamptz) IS 'Difference between the states at two times, as <table>_as_of returns them: one row per record that was added, changed or deleted, without the values in between. Columns as in the view changes';
