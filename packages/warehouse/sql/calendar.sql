-- Each listed start is an occurrence, and recurs until the day, week, month or year of the event's next listed start: where
-- the service lists the recurrences itself, it is followed, and none comes twice. Numbers of recurrences that can touch the
-- range are computed, so that a daily event of long ago costs what the range costs. Without a search path of its own, so
-- that a query around it is planned as if the text stood there; hence the schema's name.
CREATE OR REPLACE FUNCTION event_calendar(range_start timestamptz, range_end timestamptz)
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
      FROM collab.event_attendees AS attendee LEFT JOIN collab.users AS person ON person.uid = attendee.uid
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
    FROM collab.events AS listed
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
$body$;
COMMENT ON FUNCTION event_calendar(timestamptz, timestamptz) IS 'Occurrences of live events that touch the range, its end excluded, recurring ones expanded in UTC; both ends must be finite. One that begins before the range and lasts into it belongs to it. Recurrence on a day that a month or year does not have is left out there. Columns as in the view event_calendar';

CREATE OR REPLACE VIEW event_calendar AS
SELECT
  event.pid, event.event_id, event.starts_at, event.ends_at, event.name, event.location, event.recurrence, event.listed_starts_at, event.attendees,
  project.name AS project_name
FROM event_calendar(now() - interval '1 year', now() + interval '1 year') AS event
LEFT JOIN projects AS project ON project.pid = event.pid;
COMMENT ON VIEW event_calendar IS 'Occurrences of live events from a year ago to a year ahead, recurring ones expanded in UTC; the function of the same name takes another range';
COMMENT ON COLUMN event_calendar.pid IS 'project id';
COMMENT ON COLUMN event_calendar.event_id IS 'event id';
COMMENT ON COLUMN event_calendar.starts_at IS 'start of this occurrence';
COMMENT ON COLUMN event_calendar.ends_at IS 'end of this occurrence; null when the event has none';
COMMENT ON COLUMN event_calendar.name IS 'event content';
COMMENT ON COLUMN event_calendar.location IS 'place; null when the service leaves it out';
COMMENT ON COLUMN event_calendar.recurrence IS 'how it recurs: 0 = not, 1 = daily, 2 = weekly, 3 = monthly, 4 = yearly; no end of a recurrence is known';
COMMENT ON COLUMN event_calendar.listed_starts_at IS 'start of the row of events that this occurrence comes from; equal to starts_at when the service listed it';
COMMENT ON COLUMN event_calendar.attendees IS 'names of the participants, in order; the id of one whose name is not known';
COMMENT ON COLUMN event_calendar.project_name IS 'project name';
