-- Attendees belong to one occurrence of an event.

-- The rows so far hold the attendees of all occurrences of an event together. Each occurrence gets all of them, for the time in
-- which it was stored. Which of them belonged to which occurrence is not known; the next complete reading corrects the live
-- rows, and the history keeps the pooled attendees. The column is added, so that views, grants and columns of others remain.
DO $$
DECLARE
  main text := current_schema();
  past text := current_schema() || '_history';
  place text;
  key_name text;
BEGIN
  FOREACH place IN ARRAY ARRAY[main, past] LOOP
    SELECT conname INTO key_name FROM pg_constraint
      WHERE conrelid = format('%I.event_attendees', place)::regclass AND contype = 'p';
    EXECUTE format('ALTER TABLE %I.event_attendees DROP CONSTRAINT %I, ADD COLUMN starts_at timestamptz', place, key_name);
    EXECUTE format('COMMENT ON COLUMN %I.event_attendees.starts_at IS %L', place, 'start time of the occurrence');
  END LOOP;
END
$$;

-- Joins by equality must not be loops: tables may have no statistics.
SET LOCAL enable_nestloop = off;

DO $$
DECLARE
  main text := current_schema();
  past text := current_schema() || '_history';
BEGIN
  EXECUTE format($sql$
    CREATE TABLE occurrence_attendees AS
    WITH version AS (
      SELECT pid, event_id, uid, extra, valid_from, coalesce(deleted_at, 'infinity') AS valid_to FROM %1$I.event_attendees
      UNION SELECT pid, event_id, uid, extra, valid_from, valid_to FROM %2$I.event_attendees
    ),
    stored AS (
      SELECT pid, event_id, starts_at, valid_from, coalesce(deleted_at, 'infinity') AS valid_to FROM %1$I.events
      UNION SELECT pid, event_id, starts_at, valid_from, valid_to FROM %2$I.events
    ),
    -- versions of an occurrence that follow each other without a gap are one presence
    marked AS (
      SELECT *, valid_from > max(valid_to) OVER (
        PARTITION BY pid, event_id, starts_at ORDER BY valid_from, valid_to ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS begins FROM stored
    ),
    numbered AS (
      SELECT *, count(*) FILTER (WHERE begins) OVER (PARTITION BY pid, event_id, starts_at ORDER BY valid_from, valid_to) AS presence
      FROM marked
    ),
    present AS (
      SELECT pid, event_id, starts_at, min(valid_from) AS since, max(valid_to) AS until
      FROM numbered GROUP BY pid, event_id, starts_at, presence
    ),
    matched AS (
      SELECT v.*, p.starts_at, greatest(v.valid_from, p.since) AS since, least(v.valid_to, p.until) AS until,
        greatest(v.valid_from, p.since) < least(v.valid_to, p.until) AS is_in_time,
        bool_or(greatest(v.valid_from, p.since) < least(v.valid_to, p.until))
          OVER (PARTITION BY v.pid, v.event_id, v.uid, v.valid_from, v.valid_to) AS any_is_in_time
      FROM version v LEFT JOIN present p ON p.pid = v.pid AND p.event_id = v.event_id
    ),
    -- a version that no occurrence was stored beside goes to all occurrences of that id, or to the epoch where none ever was
    placed AS (
      SELECT pid, event_id, coalesce(starts_at, 'epoch') AS starts_at, uid, extra,
        CASE WHEN is_in_time THEN since ELSE valid_from END AS valid_from,
        CASE WHEN is_in_time THEN until ELSE valid_to END AS valid_to
      FROM matched WHERE is_in_time OR NOT any_is_in_time
    )
    SELECT DISTINCT ON (pid, event_id, starts_at, uid, valid_from) * FROM placed
    ORDER BY pid, event_id, starts_at, uid, valid_from, valid_to DESC;

    CREATE TABLE last_occurrence_attendees AS
    SELECT *, row_number() OVER (PARTITION BY pid, event_id, uid ORDER BY valid_to DESC, starts_at) AS n
    FROM (
      SELECT DISTINCT ON (pid, event_id, starts_at, uid) * FROM occurrence_attendees
      ORDER BY pid, event_id, starts_at, uid, valid_to DESC
    ) AS l;

    UPDATE %1$I.event_attendees a
    SET starts_at = l.starts_at, extra = l.extra, valid_from = l.valid_from, deleted_at = nullif(l.valid_to, 'infinity')
    FROM last_occurrence_attendees l WHERE l.pid = a.pid AND l.event_id = a.event_id AND l.uid = a.uid AND l.n = 1;
    INSERT INTO %1$I.event_attendees (pid, event_id, starts_at, uid, extra, valid_from, deleted_at)
    SELECT pid, event_id, starts_at, uid, extra, valid_from, nullif(valid_to, 'infinity') FROM last_occurrence_attendees WHERE n > 1;
    DELETE FROM %2$I.event_attendees;
    INSERT INTO %2$I.event_attendees (pid, event_id, starts_at, uid, extra, valid_from, valid_to)
    SELECT pid, event_id, starts_at, uid, extra, valid_from, valid_to FROM occurrence_attendees WHERE valid_to < 'infinity';

    ALTER TABLE %1$I.event_attendees ALTER COLUMN starts_at SET NOT NULL, ADD PRIMARY KEY (pid, event_id, starts_at, uid);
    ALTER TABLE %2$I.event_attendees
      ALTER COLUMN starts_at SET NOT NULL, ADD PRIMARY KEY (pid, event_id, starts_at, uid, valid_from)
  $sql$, main, past);
END
$$;
DROP TABLE occurrence_attendees, last_occurrence_attendees;

SET LOCAL enable_nestloop = on;

COMMENT ON TABLE event_attendees IS 'Participants of each occurrence of an event';

-- The hashes of scopes were made of rows without the start: no reading gives the same again.
UPDATE run_scopes SET content_hash = NULL WHERE stream = 'events';

-- A function that views of others depend on keeps its columns; it returns a row for each occurrence then. One that returns the
-- row type of the table, as those of the first versions did, needs the new column in its body.
DO $$
DECLARE
  main text := current_schema();
  past text := current_schema() || '_history';
  owned regclass := format('%I.event_attendees', main)::regclass;
  own text;
  body text := format('SELECT pid, event_id, starts_at, uid, extra, valid_from, NULL::timestamptz FROM %1$I.event_attendees'
    || ' WHERE valid_from <= $1 AND deleted_at IS NULL'
    || ' UNION ALL SELECT pid, event_id, starts_at, uid, extra, valid_from, NULL::timestamptz FROM %2$I.event_attendees'
    || ' WHERE valid_from <= $1 AND $1 < valid_to', main, past);
BEGIN
  EXECUTE format('DROP FUNCTION %I.event_attendees_as_of(timestamptz)', main);
  EXECUTE format('CREATE FUNCTION %I.event_attendees_as_of(moment timestamptz)'
    || ' RETURNS TABLE (pid text, event_id text, starts_at timestamptz, uid text, extra jsonb, valid_from timestamptz, deleted_at timestamptz)'
    || ' LANGUAGE sql STABLE PARALLEL SAFE AS %L', main, body);
  EXECUTE format('COMMENT ON FUNCTION %I.event_attendees_as_of(timestamptz) IS %L', main,
    'Rows of event_attendees as they stood at the end of the last run that began at or before that time');
EXCEPTION WHEN dependent_objects_still_exist THEN
  IF (SELECT prorettype FROM pg_proc WHERE oid = format('%I.event_attendees_as_of(timestamptz)', main)::regprocedure)
    = (SELECT reltype FROM pg_class WHERE oid = owned)
  THEN
    SELECT string_agg(CASE WHEN attname IN ('pid', 'event_id', 'starts_at', 'uid', 'extra', 'valid_from')
        THEN quote_ident(attname) ELSE 'NULL::' || format_type(atttypid, atttypmod) END, ', ' ORDER BY attnum)
      INTO own FROM pg_attribute WHERE attrelid = owned AND attnum > 0 AND NOT attisdropped;
    EXECUTE format('CREATE OR REPLACE FUNCTION %1$I.event_attendees_as_of(moment timestamptz) RETURNS SETOF %1$I.event_attendees'
      || ' LANGUAGE sql STABLE PARALLEL SAFE AS %2$L', main,
      format('SELECT %1$s FROM %2$I.event_attendees WHERE valid_from <= $1 AND deleted_at IS NULL'
        || ' UNION ALL SELECT %1$s FROM %3$I.event_attendees WHERE valid_from <= $1 AND $1 < valid_to', own, main, past));
  END IF;
END
$$;

-- Each occurrence has its own attendees.
DO $$
BEGIN
  EXECUTE format($function$
CREATE OR REPLACE FUNCTION %1$I.event_calendar(range_start timestamptz, range_end timestamptz)
RETURNS TABLE (
  pid text, event_id text, starts_at timestamptz, ends_at timestamptz, name text, location text,
  recurrence smallint, listed_starts_at timestamptz, attendees text[]
)
LANGUAGE sql STABLE PARALLEL SAFE AS $body$
  SELECT
    event.pid,
    event.event_id,
    occurrence.starts AT TIME ZONE 'UTC',
    (occurrence.starts + (event.ends - event.starts)) AT TIME ZONE 'UTC',
    event.name,
    event.location,
    event.recurrence,
    event.starts AT TIME ZONE 'UTC',
    ARRAY(
      SELECT coalesce(person.name, attendee.uid)
      FROM %1$I.event_attendees AS attendee LEFT JOIN %1$I.users AS person ON person.uid = attendee.uid
      WHERE attendee.pid = event.pid AND attendee.event_id = event.event_id
        AND attendee.starts_at = event.starts AT TIME ZONE 'UTC' AND attendee.deleted_at IS NULL
      ORDER BY coalesce(person.name, attendee.uid) COLLATE "C", attendee.uid
    )
  FROM (
    SELECT
      listed.pid, listed.event_id, listed.name, listed.location, listed.recurrence,
      listed.starts_at AT TIME ZONE 'UTC' AS starts,
      listed.ends_at AT TIME ZONE 'UTC' AS ends,
      lead(listed.starts_at AT TIME ZONE 'UTC') OVER (PARTITION BY listed.pid, listed.event_id ORDER BY listed.starts_at)
        AS next_starts
    FROM %1$I.events AS listed
    WHERE listed.deleted_at IS NULL
  ) AS event
  CROSS JOIN LATERAL (
    SELECT
      coalesce(greatest(event.ends - event.starts, interval '0'), interval '0') AS lasts,
      range_start AT TIME ZONE 'UTC' AS range_from,
      range_end AT TIME ZONE 'UTC' AS range_to
  ) AS given
  CROSS JOIN LATERAL (
    SELECT given.range_from - given.lasts AS earliest, least(given.range_to, event.next_starts) AS latest
  ) AS bounds
  CROSS JOIN LATERAL generate_series(
    CASE event.recurrence
      WHEN 1 THEN greatest(0, floor(extract(epoch FROM bounds.earliest - event.starts) / 86400))::integer
      WHEN 2 THEN greatest(0, floor(extract(epoch FROM bounds.earliest - event.starts) / 604800))::integer
      WHEN 3 THEN greatest(0, (date_part('year', bounds.earliest) - date_part('year', event.starts)) * 12
        + date_part('month', bounds.earliest) - date_part('month', event.starts))::integer
      WHEN 4 THEN greatest(0, date_part('year', bounds.earliest) - date_part('year', event.starts))::integer
      ELSE 0
    END,
    CASE event.recurrence
      WHEN 1 THEN floor(extract(epoch FROM bounds.latest - event.starts) / 86400)::integer
      WHEN 2 THEN floor(extract(epoch FROM bounds.latest - event.starts) / 604800)::integer
      WHEN 3 THEN ((date_part('year', bounds.latest) - date_part('year', event.starts)) * 12
        + date_part('month', bounds.latest) - date_part('month', event.starts))::integer
      WHEN 4 THEN (date_part('year', bounds.latest) - date_part('year', event.starts))::integer
      ELSE 0
    END
  ) AS number
  CROSS JOIN LATERAL (
    SELECT event.starts + number * CASE event.recurrence
      WHEN 1 THEN interval '1 day' WHEN 2 THEN interval '7 days'
      WHEN 3 THEN interval '1 month' WHEN 4 THEN interval '1 year'
      ELSE interval '0'
    END AS starts
  ) AS occurrence
  WHERE event.starts < given.range_to
    AND occurrence.starts < given.range_to
    AND (occurrence.starts >= given.range_from OR occurrence.starts + given.lasts > given.range_from)
    -- adding months takes the 31st to the last day of a shorter month: there is none in that month
    AND (event.recurrence IN (1, 2) OR date_part('day', occurrence.starts) = date_part('day', event.starts))
    AND (number = 0 OR event.next_starts IS NULL
      OR date_trunc(CASE event.recurrence WHEN 1 THEN 'day' WHEN 2 THEN 'week' WHEN 3 THEN 'month' ELSE 'year' END, occurrence.starts)
        < date_trunc(CASE event.recurrence WHEN 1 THEN 'day' WHEN 2 THEN 'week' WHEN 3 THEN 'month' ELSE 'year' END, event.next_starts))
$body$
  $function$, current_schema());
END
$$;
