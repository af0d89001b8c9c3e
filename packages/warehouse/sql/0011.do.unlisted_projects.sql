-- Projects that left the list though they can still be read.

DO $$
DECLARE
  main text := current_schema();
  past text := current_schema() || '_history';
  place text;
  own text;
  typed text;
  rest text;
BEGIN
  FOREACH place IN ARRAY ARRAY[main, past] LOOP
    EXECUTE format('ALTER TABLE %I.projects ADD COLUMN unlisted_since timestamptz', place);
    EXECUTE format('COMMENT ON COLUMN %I.projects.unlisted_since IS %L', place,
      'start of the run that first found it missing from the list though it could be read; null while it is listed');
  END LOOP;

  -- as-of functions name our columns; one that views of others depend on keeps its type
  SELECT string_agg(quote_ident(h.attname), ', ' ORDER BY m.attnum),
      string_agg(format('%I %s', h.attname, format_type(h.atttypid, h.atttypmod)), ', ' ORDER BY m.attnum)
    INTO own, typed
    FROM pg_attribute h JOIN pg_attribute m ON m.attrelid = format('%I.projects', main)::regclass AND m.attname = h.attname
    WHERE h.attrelid = format('%I.projects', past)::regclass AND h.attnum > 0 AND NOT h.attisdropped
      AND m.attnum > 0 AND h.attname <> 'valid_to';
  BEGIN
    EXECUTE format('DROP FUNCTION %I.projects_as_of(timestamptz)', main);
    EXECUTE format(
      'CREATE FUNCTION %1$I.projects_as_of(moment timestamptz) RETURNS TABLE (%2$s, deleted_at timestamptz) LANGUAGE sql STABLE PARALLEL SAFE AS %3$L',
      main, typed,
      format('SELECT %1$s, NULL::timestamptz FROM %2$I.projects WHERE valid_from <= $1 AND deleted_at IS NULL'
        || ' UNION ALL SELECT %1$s, NULL::timestamptz FROM %3$I.projects WHERE valid_from <= $1 AND $1 < valid_to', own, main, past));
  EXCEPTION WHEN dependent_objects_still_exist THEN
    IF (SELECT prorettype = format('%I.projects', main)::regtype FROM pg_proc
        WHERE oid = format('%I.projects_as_of(timestamptz)', main)::regprocedure) THEN
      SELECT string_agg(CASE WHEN h.attname IS NULL OR m.attname = 'deleted_at'
            THEN 'NULL::' || format_type(m.atttypid, m.atttypmod) ELSE quote_ident(m.attname) END, ', ' ORDER BY m.attnum)
        INTO rest
        FROM pg_attribute m LEFT JOIN pg_attribute h
          ON h.attrelid = format('%I.projects', past)::regclass AND h.attname = m.attname AND h.attnum > 0 AND NOT h.attisdropped
        WHERE m.attrelid = format('%I.projects', main)::regclass AND m.attnum > 0 AND NOT m.attisdropped;
      EXECUTE format(
        'CREATE OR REPLACE FUNCTION %1$I.projects_as_of(moment timestamptz) RETURNS SETOF %1$I.projects LANGUAGE sql STABLE PARALLEL SAFE AS %2$L',
        main,
        format('SELECT %1$s FROM %2$I.projects WHERE valid_from <= $1 AND deleted_at IS NULL'
          || ' UNION ALL SELECT %1$s FROM %3$I.projects WHERE valid_from <= $1 AND $1 < valid_to', rest, main, past));
    END IF;
  END;
  EXECUTE format('COMMENT ON FUNCTION %I.projects_as_of(timestamptz) IS %L', main,
    'Rows of projects as they stood at the end of the last run that began at or before that time');
END
$$;
