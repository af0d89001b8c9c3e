-- Fields that one list has and another does not keep their last known values. Copies of tables have the comments of the main table: three
-- comments had been changed there alone.
COMMENT ON COLUMN tasks.position IS 'position; null when the task is in the archived list alone, where it has none';
COMMENT ON COLUMN tasks.completed_at IS 'completion time; the archived list does not have it: an archived task keeps the last known one while it is completed; null when there is none, or none was ever read';
COMMENT ON COLUMN projects.unlisted_since IS 'start of the run that first found it missing from the list though it could be read; null while it is listed; what the list alone shows (is_starred to permission) stays as it was last listed';
DO $$
DECLARE
  main text := current_schema();
  past text := current_schema() || '_history';
  stale record;
BEGIN
  FOR stale IN
    SELECT copy.oid::regclass AS relation, c.attname, col_description(t.oid, m.attnum) AS comment
    FROM pg_class t JOIN pg_attribute m ON m.attrelid = t.oid AND m.attnum > 0
    JOIN pg_class copy ON copy.oid IN (to_regclass(format('%I.%I', past, t.relname)), to_regclass(format('%I.%I', main, 'live_' || t.relname)),
      to_regclass(format('%I.%I', main, left(t.relname, -1) || '_versions')))
    JOIN pg_attribute c ON c.attrelid = copy.oid AND c.attname = m.attname
    WHERE t.oid IN ('projects'::regclass, 'entries'::regclass, 'tasks'::regclass)
      AND col_description(c.attrelid, c.attnum) IS DISTINCT FROM col_description(t.oid, m.attnum)
  LOOP
    EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', stale.relation, stale.attname, stale.comment);
  END LOOP;
END
$$;
