-- Which place showed the stored version of each user: only there a value that is missing now was emptied.
CREATE TABLE user_places (
  uid text COLLATE "C" PRIMARY KEY,
  pid text COLLATE "C" NOT NULL,
  place text NOT NULL
);
COMMENT ON TABLE user_places IS 'A place that showed the stored version of each user when it was last read; without a row, none is known';
COMMENT ON COLUMN user_places.uid IS 'user id';
COMMENT ON COLUMN user_places.pid IS 'project id';
COMMENT ON COLUMN user_places.place IS 'table whose records showed the user: projects, tasks, pages, posts, files or events';

-- Attachments of tasks name files too.
COMMENT ON COLUMN known_files.source IS 'where it was first found: in a text of a page, task, event or post, or of a comment (comment_text), or in a field of a comment (comment), of a task (attachment) or of another file (folder)';

-- A field that one object has twice is a conversion issue.
COMMENT ON COLUMN losses.kind IS 'coerced (read as the type it should have had; a time in another form), rounded (a number with more digits than the column holds), left_out (not in the record: the stored value is kept, else null or an empty list), missing (sent as null: null, or an empty list), null_list (null in place of a list of records or comments: an empty list that deletes nothing), unreadable (null), unkeyed (an element without a readable key: not stored), duplicate (one is kept), repeated_field (a field that one object has twice: the last value is kept), misplaced (kept in the project it was read from), invalid_utf8, nul_character or lone_surrogate (replaced by U+FFFD), too_long (an id of more than 512 bytes: its beginning and a hash are kept), unaskable (an id that no request can name: what it names is not read), cut (a list with fewer elements than the record states: stored ones are kept), unlisted (a page whose parent is not in the list of pages), invalid_timestamp or out_of_range (null)';

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
