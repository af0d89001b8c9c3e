-- Views for analysts; ANALYSIS.md says how to use them. All days are UTC days.
-- Those of the past (versions, completions, status, cycle times, activity) keep what was deleted since, so that a figure of
-- yesterday is the same tomorrow; those of the present (workload, overdue, calendar) show live rows only.

-- Versions: what holds now and, in the history schema, what was superseded or deleted. Made from the tables, as the
-- history is; its schema's name depends on this one's.
DO $$
DECLARE
  main text := current_schema();
  past text := current_schema() || '_history';
  name text;
  versions text;
  own text;
BEGIN
  FOREACH name IN ARRAY ARRAY['projects', 'tasks', 'pages', 'posts'] LOOP
    versions := left(name, -1) || '_versions';
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO own FROM pg_attribute
      WHERE attrelid = format('%I.%I', past, name)::regclass AND attnum > 0 AND NOT attisdropped AND attname <> 'valid_to';
    EXECUTE format('CREATE VIEW %1$I.%2$I AS SELECT %3$s, NULL::timestamptz AS valid_to FROM %1$I.%4$I WHERE deleted_at IS NULL'
      || ' UNION ALL SELECT %3$s, valid_to FROM %5$I.%4$I', main, versions, own, name, past);
    EXECUTE format('COMMENT ON VIEW %I.%I IS %L', main, versions,
      'Every version of ' || name || ': the one that holds now, and those that were superseded or deleted');
    EXECUTE (
      SELECT string_agg(format('COMMENT ON COLUMN %I.%I.%I IS %L', main, versions, attname, col_description(attrelid, attnum)), ';')
      FROM pg_attribute WHERE attrelid = format('%I.%I', past, name)::regclass AND attnum > 0 AND NOT attisdropped
        AND attname <> 'valid_to'
    );
    EXECUTE format('COMMENT ON COLUMN %I.%I.valid_to IS %L', main, versions,
      'start of the run that first saw it changed or gone; null while it holds');
  END LOOP;
END
$$;

CREATE VIEW project_first_seen AS
SELECT pid, min(valid_from) AS first_seen_at
FROM (SELECT pid, valid_from FROM project_versions UNION ALL SELECT pid, valid_from FROM task_versions) AS seen
GROUP BY pid;
COMMENT ON VIEW project_first_seen IS 'Since when a project is in the warehouse; deleted projects too';
COMMENT ON COLUMN project_first_seen.pid IS 'project id';
COMMENT ON COLUMN project_first_seen.first_seen_at IS 'start of the run that first saw it or one of its tasks';

-- Views over all tasks put rows together by grouping, not by joining: tables that were never analysed (those of the embedded
-- warehouse, and every one after its first snapshot) look nearly empty to the planner, which then joins row by row.

-- A completion is a stretch of versions that show the task completed: the versions that are not, counted up to each, number
-- the stretches. Versions of an archived task have no completion time, which another of the stretch may have.
CREATE VIEW task_completions AS
SELECT
  pid,
  tid,
  CASE
    WHEN sent_at IS NOT NULL THEN sent_at
    WHEN was_open OR created_at > first_seen_at THEN shown_at
  END AS completed_at,
  sent_at IS NOT NULL AS is_sent,
  shown_at
FROM (
  SELECT
    pid,
    tid,
    open_versions > 0 AS was_open,
    max(completed_at) FILTER (WHERE completed) AS sent_at,
    min(valid_from) FILTER (WHERE completed) AS shown_at,
    max(created_at) AS created_at,
    min(min(valid_from)) OVER (PARTITION BY pid) AS first_seen_at
  FROM (
    SELECT
      pid, tid, completed, completed_at, valid_from, created_at,
      count(*) FILTER (WHERE completed IS NOT TRUE) OVER (PARTITION BY pid, tid ORDER BY valid_from) AS open_versions
    FROM task_versions
  ) AS numbered
  GROUP BY pid, tid, open_versions
) AS stretch
WHERE shown_at IS NOT NULL;
COMMENT ON VIEW task_completions IS 'Each time a task was completed: a task that was reopened may have several; deleted tasks too';
COMMENT ON COLUMN task_completions.pid IS 'project id';
COMMENT ON COLUMN task_completions.tid IS 'task id';
COMMENT ON COLUMN task_completions.completed_at IS 'completion time as sent, the last one where it was sent several times; else start of the run that first saw it completed; null when neither is known: it was first seen completed, without a time, and is older than the first snapshot of the project''s tasks';
COMMENT ON COLUMN task_completions.is_sent IS 'whether completed_at is as sent (else it may be late by the time between two runs)';
COMMENT ON COLUMN task_completions.shown_at IS 'start of the run that first saw it completed';

-- Changes of the counts day by day, summed up over the days: the work grows with versions plus days, not with their product.
-- A version counts on the days at whose end it held, from the day of valid_from to the day before that of valid_to.
CREATE VIEW task_status_daily AS
SELECT
  pid,
  day,
  (sum(sum(open)) OVER so_far)::bigint AS open,
  (sum(sum(completed)) OVER so_far)::bigint AS completed,
  (sum(sum(archived)) OVER so_far)::bigint AS archived,
  (sum(sum(overdue)) OVER so_far)::bigint AS overdue,
  sum(created)::bigint AS created,
  sum(completed_that_day)::bigint AS completed_that_day
FROM (
  SELECT
    pid,
    generate_series(
      date_trunc('day', first_seen_at AT TIME ZONE 'UTC'),
      (SELECT max(started_at) AT TIME ZONE 'UTC' FROM runs WHERE status IN ('succeeded', 'partial')),
      interval '1 day'
    )::date AS day,
    true AS is_listed,
    0 AS open, 0 AS completed, 0 AS archived, 0 AS overdue, 0 AS created, 0 AS completed_that_day
  FROM project_first_seen
  UNION ALL
  SELECT pid, change.day, false, change.open, change.completed, change.archived, change.overdue, 0, 0
  FROM (
    SELECT
      pid, first_day, end_day,
      (NOT is_archived AND NOT is_completed)::integer AS open,
      (NOT is_archived AND is_completed)::integer AS completed,
      is_archived::integer AS archived,
      greatest(first_day, due_day) AS overdue_day,
      (NOT is_archived AND NOT is_completed AND due_day IS NOT NULL AND due_day < end_day)::integer AS overdue
    FROM (
      SELECT
        pid,
        (valid_from AT TIME ZONE 'UTC')::date AS first_day,
        coalesce((valid_to AT TIME ZONE 'UTC')::date, 'infinity') AS end_day,
        (due_at AT TIME ZONE 'UTC')::date AS due_day,
        archived IS TRUE AS is_archived,
        completed IS TRUE AS is_completed
      FROM task_versions
    ) AS version
    WHERE first_day < end_day
  ) AS version
  CROSS JOIN LATERAL (
    VALUES
      (first_day, version.open, version.completed, version.archived, 0),
      (end_day, -version.open, -version.completed, -version.archived, -version.overdue),
      (overdue_day, 0, 0, 0, version.overdue)
  ) AS change (day, open, completed, archived, overdue)
  UNION ALL
  SELECT pid, (created_at AT TIME ZONE 'UTC')::date, false, 0, 0, 0, 0, 1, 0 FROM tasks
  UNION ALL
  SELECT pid, (completed_at AT TIME ZONE 'UTC')::date, false, 0, 0, 0, 0, 0, 1 FROM task_completions
) AS change
GROUP BY pid, day
-- before the sums over the days: drops creations and completions from before the first day, and what comes after the last
HAVING bool_or(is_listed)
WINDOW so_far AS (PARTITION BY pid ORDER BY day);
COMMENT ON VIEW task_status_daily IS 'Tasks of each project at the end of each UTC day, from history: from the day the project was first seen to the day of the last finished run, without gaps. Every task that exists is open, completed or archived. Deleted ones count until the day before they were found gone';
COMMENT ON COLUMN task_status_daily.pid IS 'project id';
COMMENT ON COLUMN task_status_daily.day IS 'UTC day';
COMMENT ON COLUMN task_status_daily.open IS 'tasks neither completed nor archived at the end of the day';
COMMENT ON COLUMN task_status_daily.completed IS 'tasks completed and not archived at the end of the day';
COMMENT ON COLUMN task_status_daily.archived IS 'archived tasks at the end of the day, completed or not';
COMMENT ON COLUMN task_status_daily.overdue IS 'those of open whose due date is before the end of the day';
COMMENT ON COLUMN task_status_daily.created IS 'tasks whose creation time is on that day, those deleted since too';
COMMENT ON COLUMN task_status_daily.completed_that_day IS 'completions on that day, by task_completions.completed_at; a task that was reopened may count again on another day';

CREATE VIEW task_cycle_times AS
SELECT
  pid,
  tid,
  name,
  entry_id,
  entry_name,
  created_at,
  first_seen_at,
  completed_at,
  completed_at_is_sent,
  completed_at - created_at AS cycle_time,
  (extract(epoch FROM completed_at - created_at) / 3600)::double precision AS cycle_hours,
  reopened_count,
  deleted_at
FROM (
  SELECT
    pid,
    tid,
    max(name) AS name,
    max(entry_id) AS entry_id,
    max(created_at) AS created_at,
    min(first_seen_at) AS first_seen_at,
    CASE WHEN bool_or(is_completed) THEN max(completed_at) END AS completed_at,
    CASE WHEN bool_or(is_completed) AND max(completed_at) IS NOT NULL
      THEN (array_agg(is_sent ORDER BY shown_at DESC) FILTER (WHERE shown_at IS NOT NULL))[1]
    END AS completed_at_is_sent,
    (count(shown_at) - bool_or(is_completed)::integer)::integer AS reopened_count,
    max(deleted_at) AS deleted_at
  FROM (
    -- of each task: itself, its versions and its completions
    SELECT
      pid, tid, name, entry_id, created_at, completed IS TRUE AS is_completed, deleted_at,
      NULL::timestamptz AS first_seen_at, NULL::timestamptz AS completed_at, NULL::boolean AS is_sent, NULL::timestamptz AS shown_at
    FROM tasks
    UNION ALL
    SELECT pid, tid, NULL, NULL, NULL, NULL, NULL, valid_from, NULL, NULL, NULL FROM task_versions
    UNION ALL
    SELECT pid, tid, NULL, NULL, NULL, NULL, NULL, NULL, completed_at, is_sent, shown_at FROM task_completions
  ) AS known
  GROUP BY pid, tid
) AS task
LEFT JOIN (SELECT pid, entry_id, name AS entry_name FROM entries) AS entry USING (pid, entry_id);
COMMENT ON VIEW task_cycle_times IS 'How long each task took from creation to completion; open tasks and deleted ones too';
COMMENT ON COLUMN task_cycle_times.pid IS 'project id';
COMMENT ON COLUMN task_cycle_times.tid IS 'task id';
COMMENT ON COLUMN task_cycle_times.name IS 'task name';
COMMENT ON COLUMN task_cycle_times.entry_id IS 'task group id; null when in none';
COMMENT ON COLUMN task_cycle_times.entry_name IS 'task group name';
COMMENT ON COLUMN task_cycle_times.created_at IS 'creation time';
COMMENT ON COLUMN task_cycle_times.first_seen_at IS 'start of the run that first saw the task';
COMMENT ON COLUMN task_cycle_times.completed_at IS 'time of its last completion, as in task_completions; null while it is open, and when the time is not known';
COMMENT ON COLUMN task_cycle_times.completed_at_is_sent IS 'whether completed_at is as sent, not the start of the run that first saw it completed; null without completed_at';
COMMENT ON COLUMN task_cycle_times.cycle_time IS 'from created_at to completed_at';
COMMENT ON COLUMN task_cycle_times.cycle_hours IS 'the same in hours';
COMMENT ON COLUMN task_cycle_times.reopened_count IS 'how often a run saw it open again that had been completed; reopened and completed again between two runs does not show';
COMMENT ON COLUMN task_cycle_times.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE VIEW member_workload AS
SELECT
  workload.pid,
  project.name AS project_name,
  workload.uid,
  member.name AS user_name,
  workload.open,
  workload.overdue,
  workload.due_in_7_days,
  workload.completed_in_30_days
FROM (
  SELECT
    pid,
    uid,
    count(*) FILTER (WHERE is_open) AS open,
    count(*) FILTER (WHERE is_open AND due_at < now()) AS overdue,
    count(*) FILTER (WHERE is_open AND due_at >= now() AND due_at < now() + interval '168 hours') AS due_in_7_days,
    count(*) FILTER (WHERE is_newly_completed) AS completed_in_30_days
  FROM (
    SELECT
      pid,
      unnest(array_agg(uid) FILTER (WHERE uid IS NOT NULL)) AS uid,
      bool_or(is_open) AS is_open,
      max(due_at) AS due_at,
      bool_or(is_completed) AND max(completed_at) BETWEEN now() - interval '720 hours' AND now() AS is_newly_completed
    FROM (
      -- of each task: itself, its completions and its members
      SELECT
        pid, tid, completed IS NOT TRUE AND archived IS NOT TRUE AS is_open, completed IS TRUE AS is_completed, due_at,
        NULL::timestamptz AS completed_at, NULL AS uid
      FROM tasks WHERE deleted_at IS NULL
      UNION ALL
      SELECT pid, tid, NULL, NULL, NULL, completed_at, NULL FROM task_completions
      UNION ALL
      SELECT pid, tid, NULL, NULL, NULL, NULL, uid FROM task_members WHERE deleted_at IS NULL
    ) AS known
    GROUP BY pid, tid
  ) AS assigned
  WHERE is_open OR is_newly_completed
  GROUP BY pid, uid
) AS workload
LEFT JOIN projects AS project ON project.pid = workload.pid
LEFT JOIN users AS member ON member.uid = workload.uid;
COMMENT ON VIEW member_workload IS 'Tasks assigned to each user in each project, relative to now(): live tasks, as the last run saw them; a task with several members counts for each. Who has none that is open or newly completed is not listed';
COMMENT ON COLUMN member_workload.pid IS 'project id';
COMMENT ON COLUMN member_workload.project_name IS 'project name';
COMMENT ON COLUMN member_workload.uid IS 'user id';
COMMENT ON COLUMN member_workload.user_name IS 'user name';
COMMENT ON COLUMN member_workload.open IS 'tasks neither completed nor archived';
COMMENT ON COLUMN member_workload.overdue IS 'those of open whose due date has passed';
COMMENT ON COLUMN member_workload.due_in_7_days IS 'those of open that are due from now on within 7 days of 24 hours';
COMMENT ON COLUMN member_workload.completed_in_30_days IS 'completed tasks, archived ones too, whose last completion was within the last 30 days of 24 hours';

CREATE VIEW overdue_tasks AS
SELECT
  task.pid,
  project.name AS project_name,
  task.tid,
  task.name,
  task.entry_id,
  entry.name AS entry_name,
  task.due_at,
  (now() AT TIME ZONE 'UTC')::date - (task.due_at AT TIME ZONE 'UTC')::date AS days_overdue,
  ARRAY(
    SELECT coalesce(users.name, member.uid) FROM task_members AS member LEFT JOIN users ON users.uid = member.uid
    WHERE member.pid = task.pid AND member.tid = task.tid AND member.deleted_at IS NULL
    ORDER BY coalesce(users.name, member.uid) COLLATE "C", member.uid
  ) AS members
FROM tasks AS task
LEFT JOIN projects AS project ON project.pid = task.pid
LEFT JOIN entries AS entry ON entry.pid = task.pid AND entry.entry_id = task.entry_id
WHERE task.deleted_at IS NULL AND task.completed IS NOT TRUE AND task.archived IS NOT TRUE AND task.due_at < now();
COMMENT ON VIEW overdue_tasks IS 'Live tasks, neither completed nor archived, whose due date is before now()';
COMMENT ON COLUMN overdue_tasks.pid IS 'project id';
COMMENT ON COLUMN overdue_tasks.project_name IS 'project name';
COMMENT ON COLUMN overdue_tasks.tid IS 'task id';
COMMENT ON COLUMN overdue_tasks.name IS 'task name';
COMMENT ON COLUMN overdue_tasks.entry_id IS 'task group id; null when in none';
COMMENT ON COLUMN overdue_tasks.entry_name IS 'task group name';
COMMENT ON COLUMN overdue_tasks.due_at IS 'due date';
COMMENT ON COLUMN overdue_tasks.days_overdue IS 'UTC days from the due day to today: 0 when it was due earlier today, 1 when it was due yesterday';
COMMENT ON COLUMN overdue_tasks.members IS 'names of the users it is assigned to, in order; the id of one whose name is not known';

-- Updates come from versions too, as a record tells its last one only.
CREATE VIEW project_activity AS
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
WHERE happened_at IS NOT NULL
GROUP BY pid, (happened_at AT TIME ZONE 'UTC')::date;
COMMENT ON VIEW project_activity IS 'What happened in each project on each UTC day, by the records'' own times and also before the first run; days on which nothing did are not listed. Records deleted since count too';
COMMENT ON COLUMN project_activity.pid IS 'project id';
COMMENT ON COLUMN project_activity.day IS 'UTC day';
COMMENT ON COLUMN project_activity.tasks_created IS 'tasks created';
COMMENT ON COLUMN project_activity.tasks_completed IS 'completions, by task_completions.completed_at';
COMMENT ON COLUMN project_activity.comments IS 'comments written on posts and files (the service does not list those of tasks and events)';
COMMENT ON COLUMN project_activity.pages_created IS 'pages created';
COMMENT ON COLUMN project_activity.pages_updated IS 'pages updated after they were created, each once; of several updates between two runs the last is known';
COMMENT ON COLUMN project_activity.posts_created IS 'posts created, of those that are known';
COMMENT ON COLUMN project_activity.posts_updated IS 'posts updated after they were created, each once; of several updates between two runs the last is known';
COMMENT ON COLUMN project_activity.files IS 'files uploaded, of those that are known; folders do not count';
COMMENT ON COLUMN project_activity.events IS 'starts of events as the service lists them: a recurring event counts on those, not on each recurrence';

-- Each listed start is an occurrence, and recurs until the day, week, month or year of the event's next listed start: where
-- the service lists the recurrences itself, it is followed, and none comes twice. Numbers of recurrences that can touch the
-- range are computed, so that a daily event of long ago costs what the range costs. Without a search path of its own, so
-- that a query around it is planned as if the text stood there; hence the schema's name.
DO $$
BEGIN
  EXECUTE format($function$
CREATE FUNCTION %1$I.event_calendar(range_start timestamptz, range_end timestamptz)
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
      WHERE attendee.pid = event.pid AND attendee.event_id = event.event_id AND attendee.deleted_at IS NULL
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
COMMENT ON FUNCTION event_calendar(timestamptz, timestamptz) IS 'Occurrences of live events that touch the range, its end excluded, recurring ones expanded in UTC; both ends must be finite. One that begins before the range and lasts into it belongs to it. Recurrence on a day that a month or year does not have is left out there. Columns as in the view event_calendar';

CREATE VIEW event_calendar AS
SELECT pid, event_id, starts_at, ends_at, name, location, recurrence, listed_starts_at, attendees
FROM event_calendar(now() - interval '1 year', now() + interval '1 year');
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
