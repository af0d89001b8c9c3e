-- Events have a hash, as tasks and pages have, so that unchanged ones are neither parsed nor staged.

ALTER TABLE events ADD COLUMN record_hash uuid;
COMMENT ON COLUMN events.record_hash IS 'hash of the record with its lists as it was read, by which the next run knows that nothing changed; null: to be compared value by value';

-- A function that returns the row type of the table, because views of others depend on it, needs the new column in its body.
DO $$
DECLARE
  main text := current_schema();
  past text := current_schema() || '_history';
  owned regclass := format('%I.events', main)::regclass;
  own text;
BEGIN
  IF (SELECT prorettype FROM pg_proc WHERE oid = format('%I.events_as_of(timestamptz)', main)::regprocedure)
    <> (SELECT reltype FROM pg_class WHERE oid = owned)
  THEN
    RETURN;
  END IF;
  SELECT string_agg(CASE WHEN h.attname IS NULL OR m.attname = 'deleted_at'
      THEN 'NULL::' || format_type(m.atttypid, m.atttypmod) ELSE quote_ident(m.attname) END, ', ' ORDER BY m.attnum)
    INTO own
    FROM pg_attribute m LEFT JOIN pg_attribute h
      ON h.attrelid = format('%I.events', past)::regclass AND h.attname = m.attname AND h.attnum > 0 AND NOT h.attisdropped
    WHERE m.attrelid = owned AND m.attnum > 0 AND NOT m.attisdropped;
  EXECUTE format('CREATE OR REPLACE FUNCTION %1$I.events_as_of(moment timestamptz) RETURNS SETOF %1$I.events'
    || ' LANGUAGE sql STABLE PARALLEL SAFE AS %2$L', main,
    format('SELECT %1$s FROM %2$I.events WHERE valid_from <= $1 AND deleted_at IS NULL'
      || ' UNION ALL SELECT %1$s FROM %3$I.events WHERE valid_from <= $1 AND $1 < valid_to', own, main, past));
END
$$;
