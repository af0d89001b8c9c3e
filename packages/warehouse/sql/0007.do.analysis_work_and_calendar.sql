-- Views for analysts, continued.

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
