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

-- Each figure of the models has one definition: creations (task_creations), completions (task_completions), counts by day (the function
-- fct_task_daily, of which task_counts, task_status_daily and the view are parts). Views are replaced, so that those of users that depend on
-- them stay. Here too, rows are put together by grouping: see 0006. A task that was moved to another project has the id and the time of
-- creation that it had, and is one task.
CREATE OR REPLACE VIEW project_first_seen AS
SELECT known.pid, known.first_seen_at, project.name AS project_name, known.tasks_first_read_at, known.archived_first_read_at
FROM (
  SELECT pid, min(seen_at) AS first_seen_at, min(tasks_at) AS tasks_first_read_at, min(archived_at) AS archived_first_read_at
  FROM (
    SELECT pid, valid_from AS seen_at, NULL::timestamptz AS tasks_at, NULL::timestamptz AS archived_at FROM project_versions
    UNION ALL
    SELECT pid, valid_from, CASE WHEN archived IS NOT TRUE THEN valid_from END, CASE WHEN archived THEN valid_from END FROM task_versions
    UNION ALL
    SELECT scope.pid, NULL, CASE scope.stream WHEN 'tasks' THEN run.started_at END, CASE scope.stream WHEN 'archived_tasks' THEN run.started_at END
    FROM run_scopes AS scope JOIN runs AS run ON run.run_id = scope.run_id
    WHERE scope.stream IN ('tasks', 'archived_tasks') AND scope.status NOT IN ('failed', 'skipped', 'carried')
  ) AS seen
  GROUP BY pid
  HAVING min(seen_at) IS NOT NULL
) AS known
LEFT JOIN projects AS project ON project.pid = known.pid;
COMMENT ON COLUMN project_first_seen.tasks_first_read_at IS 'start of the run that first read its tasks; null if none did: what it had before is not known';
COMMENT ON COLUMN project_first_seen.archived_first_read_at IS 'start of the run that first read its archived tasks; null if none did';

CREATE OR REPLACE VIEW dim_project AS
SELECT
  project.pid, project.name, project.description, project.archived IS TRUE AS is_archived, project.visibility, project.member_count,
  project.created_by_uid, creator.name AS created_by_name, seen.first_seen_at, project.unlisted_since, project.deleted_at,
  project.permission, seen.tasks_first_read_at, reading.read_at AS tasks_read_at
FROM projects AS project
LEFT JOIN project_first_seen AS seen ON seen.pid = project.pid
LEFT JOIN users AS creator ON creator.uid = project.created_by_uid
LEFT JOIN list_readings AS reading ON reading.pid = project.pid AND reading.stream = 'tasks';
COMMENT ON COLUMN dim_project.permission IS 'permission of the token''s user: 0 = cannot read it any more, 5 = guest, 7 = visitor, 15 = member, 31 = administrator';
COMMENT ON COLUMN dim_project.tasks_first_read_at IS 'start of the run that first read its tasks; null if none did';
COMMENT ON COLUMN dim_project.tasks_read_at IS 'start of the last run that read its tasks completely: they are shown as of then; null if none did, or the project is deleted';

DO $$
BEGIN
  EXECUTE format($view$
CREATE VIEW task_creations AS
SELECT known.pid, known.tid, known.created_at, project.name AS project_name
FROM (
  SELECT
    pid, tid, created_at,
    row_number() OVER (PARTITION BY tid, created_at ORDER BY valid_from, pid) AS number,
    bool_or(is_present) OVER (PARTITION BY tid, created_at) AS is_present
  FROM (
    SELECT pid, tid, created_at, valid_from, true AS is_present FROM tasks WHERE created_at IS NOT NULL
    UNION ALL SELECT pid, tid, created_at, valid_from, false FROM %1$I.tasks WHERE created_at IS NOT NULL
  ) AS version
) AS known
LEFT JOIN projects AS project ON project.pid = known.pid
WHERE known.number = 1 AND known.is_present
  $view$, current_schema() || '_history');
END
$$;
COMMENT ON VIEW task_creations IS 'Each task once, with its creation: in the project in which a run first saw it, wherever it was moved since; deleted tasks too';
COMMENT ON COLUMN task_creations.pid IS 'project id';
COMMENT ON COLUMN task_creations.tid IS 'task id';
COMMENT ON COLUMN task_creations.created_at IS 'creation time';
COMMENT ON COLUMN task_creations.project_name IS 'project name';

-- A completion is a stretch of versions that show the task completed, in whatever project: the versions that are not, counted up to each,
-- number the stretches. Versions of an archived task may have no completion time, which another of the stretch may have.
CREATE OR REPLACE VIEW task_completions AS
SELECT
  known.pid, known.tid, known.completed_at, known.is_sent, known.shown_at, project.name AS project_name,
  coalesce(known.completed_at, CASE WHEN known.updated_at < known.shown_at THEN known.updated_at END) AS counted_at, known.created_at
FROM (
  SELECT
    stretch.pid, stretch.tid, stretch.created_at, stretch.shown_at, stretch.updated_at, stretch.sent_at IS NOT NULL AS is_sent,
    CASE
      WHEN stretch.sent_at IS NOT NULL THEN stretch.sent_at
      WHEN stretch.was_open OR stretch.created_at > seen.tasks_first_read_at THEN stretch.shown_at
    END AS completed_at
  FROM (
    SELECT
      tid, created_at, open_versions > 0 AS was_open,
      min(pid) FILTER (WHERE is_first) AS pid,
      min(valid_from) FILTER (WHERE is_first) AS shown_at,
      min(updated_at) FILTER (WHERE is_first) AS updated_at,
      max(completed_at) FILTER (WHERE completed) AS sent_at
    FROM (
      SELECT
        *, completed AND lag(completed) OVER w IS NOT TRUE AS is_first,
        count(*) FILTER (WHERE completed IS NOT TRUE) OVER w AS open_versions
      FROM (
        SELECT pid, tid, created_at, completed, completed_at, updated_at, valid_from, CASE WHEN created_at IS NULL THEN pid END AS only_pid
        FROM task_versions
      ) AS version
      WINDOW w AS (PARTITION BY tid, created_at, only_pid ORDER BY valid_from, pid ROWS UNBOUNDED PRECEDING)
    ) AS numbered
    GROUP BY tid, created_at, only_pid, open_versions
    HAVING bool_or(is_first)
  ) AS stretch
  LEFT JOIN project_first_seen AS seen ON seen.pid = stretch.pid
) AS known
LEFT JOIN projects AS project ON project.pid = known.pid;
COMMENT ON VIEW task_completions IS 'Each time a task was completed: a task that was reopened may have several; deleted tasks too. One that was moved to another project counts in the project in which it was first seen completed';
COMMENT ON COLUMN task_completions.counted_at IS 'time by which the models count it: completed_at; if that is null, the last update of the task before it was first seen, by which it was completed; null if that is not known either';
COMMENT ON COLUMN task_completions.created_at IS 'creation time of the task';

DO $$
BEGIN
  EXECUTE format($function$
CREATE FUNCTION %1$I.fct_task_daily(first_day date, last_day date, all_columns boolean DEFAULT true)
RETURNS TABLE (
  pid text, day date, open bigint, completed bigint, archived bigint, overdue bigint, created bigint, completed_that_day bigint,
  is_backfilled boolean, is_carried boolean, project_is_archived boolean
)
LANGUAGE sql STABLE PARALLEL SAFE AS $body$
  WITH bounds AS (
    SELECT
      known.pid, min(known.first_seen_at) AS first_seen_at, min(known.seen_day) AS seen_day, min(known.archived_day) AS archived_day,
      least(min(known.seen_day), min(known.archived_day),
        -- greatest() passes over NULL: a project without a time of creation would begin in 2001
        CASE WHEN min(known.created_day) IS NOT NULL THEN greatest(min(known.created_day), date '2001-01-01') END) AS start_day
    FROM (
      SELECT
        p.pid, least(p.tasks_first_read_at, p.archived_first_read_at) AS first_seen_at,
        (p.tasks_first_read_at AT TIME ZONE 'UTC')::date AS seen_day, (p.archived_first_read_at AT TIME ZONE 'UTC')::date AS archived_day,
        NULL::date AS created_day
      FROM %1$I.project_first_seen AS p
      UNION ALL
      SELECT t.pid, NULL, NULL, NULL, (min(t.created_at) AT TIME ZONE 'UTC')::date FROM %1$I.tasks AS t GROUP BY t.pid
    ) AS known
    GROUP BY known.pid
    HAVING min(known.seen_day) IS NOT NULL
  ),
  -- a condition of the query on pid stays outside: its estimate would have each version compared with each project
  change AS MATERIALIZED (
    SELECT
      bounds.pid,
      generate_series(
        greatest($1, bounds.start_day),
        (SELECT CASE WHEN $2 < max(runs.started_at AT TIME ZONE 'UTC')::date THEN $2 ELSE max(runs.started_at AT TIME ZONE 'UTC')::date END
         FROM %1$I.runs WHERE runs.status IN ('succeeded', 'partial')),
        interval '1 day'
      )::date AS day,
      bounds.seen_day, bounds.archived_day,
      0 AS open, 0 AS completed, 0 AS archived, 0 AS overdue, 0 AS created, 0 AS completed_that_day, 0 AS read, 0 AS exists, 0 AS closed
    FROM bounds
    WHERE $1 <= $2 -- no days without both
    UNION ALL
    SELECT
      held.pid, edge.day, NULL, NULL, edge.step * (held.state = 0)::integer, edge.step * (held.state = 1)::integer,
      edge.step * (held.state = 2)::integer, edge.overdue, 0, 0, 0, 0, 0
    FROM (
      -- few groups: what began before the first day or ended after the last one is alike
      SELECT
        span.pid, span.state, greatest(span.from_day, $1) AS from_day, least(span.to_day, $2 + 1) AS to_day,
        CASE WHEN span.state = 0 AND span.due_day < span.to_day THEN greatest(span.from_day, span.due_day, $1) END AS overdue_day,
        count(*)::integer AS tasks
      FROM (
        SELECT
          version.pid, CASE WHEN version.archived THEN 2 WHEN version.completed THEN 1 ELSE 0 END AS state,
          (version.valid_from AT TIME ZONE 'UTC')::date AS from_day, coalesce((version.valid_to AT TIME ZONE 'UTC')::date, 'infinity') AS to_day,
          (version.due_at AT TIME ZONE 'UTC')::date AS due_day
        FROM %1$I.task_versions AS version
        WHERE $3 OR version.completed IS NOT TRUE AND version.archived IS NOT TRUE
        UNION ALL
        -- before the project's tasks were first read: the first version, open from its creation until it was closed
        SELECT
          first.pid, part.state, greatest(part.from_day, first.created_day, date '2001-01-01'),
          least(greatest(part.to_day, first.created_day, date '2001-01-01'), first.seen_day), first.due_day
        FROM (
          SELECT
            version.pid, least((version.valid_from AT TIME ZONE 'UTC')::date, bounds.seen_day) AS seen_day,
            (version.created_at AT TIME ZONE 'UTC')::date AS created_day, (version.due_at AT TIME ZONE 'UTC')::date AS due_day,
            CASE WHEN version.completed IS TRUE OR version.archived IS TRUE
              THEN (coalesce(CASE WHEN version.completed THEN version.completed_at END, least(version.updated_at, version.valid_from)) AT TIME ZONE 'UTC')::date
              ELSE 'infinity' END AS closed_day
          FROM %1$I.task_versions AS version JOIN bounds ON bounds.pid = version.pid
          WHERE bounds.seen_day > $1 AND version.created_at IS NOT NULL
            AND (version.valid_from = bounds.first_seen_at
              OR (version.valid_from AT TIME ZONE 'UTC')::date = CASE WHEN version.archived THEN bounds.archived_day ELSE bounds.seen_day END
                AND NOT EXISTS (
                  SELECT FROM %2$I.tasks AS earlier
                  WHERE earlier.pid = version.pid AND earlier.tid = version.tid AND earlier.valid_from < version.valid_from))
        ) AS first
        CROSS JOIN LATERAL (VALUES (0, first.created_day, first.closed_day), (1, first.closed_day, 'infinity')) AS part (state, from_day, to_day)
        WHERE $3 OR part.state = 0
      ) AS span
      WHERE span.from_day < span.to_day AND span.from_day <= $2 AND span.to_day > $1
      GROUP BY 1, 2, 3, 4, 5
    ) AS held
    CROSS JOIN LATERAL (
      VALUES
        (held.from_day, held.tasks, 0),
        (held.to_day, -held.tasks, CASE WHEN held.overdue_day IS NULL THEN 0 ELSE -held.tasks END),
        (held.overdue_day, 0, held.tasks)
    ) AS edge (day, step, overdue)
    WHERE edge.day <= $2
    UNION ALL
    SELECT c.pid, greatest((c.created_at AT TIME ZONE 'UTC')::date, date '2001-01-01'), NULL, NULL, 0, 0, 0, 0, 1, 0, 0, 0, 0
    FROM %1$I.task_creations AS c WHERE $3
    UNION ALL
    SELECT c.pid, greatest((c.counted_at AT TIME ZONE 'UTC')::date, date '2001-01-01'), NULL, NULL, 0, 0, 0, 0, 0, 1, 0, 0, 0
    FROM %1$I.task_completions AS c WHERE $3
    UNION ALL
    SELECT scope.pid, (run.started_at AT TIME ZONE 'UTC')::date, NULL, NULL, 0, 0, 0, 0, 0, 0, 1, 0, 0
    FROM %1$I.run_scopes AS scope JOIN %1$I.runs AS run ON run.run_id = scope.run_id
    WHERE scope.stream = 'tasks' AND scope.status NOT IN ('failed', 'skipped', 'carried')
    UNION ALL
    -- versions of the project itself; the first one holds before it was seen, too
    SELECT state.pid, edge.day, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, edge.step, edge.step * state.archived
    FROM (
      SELECT
        p.pid, (p.archived IS TRUE)::integer AS archived, p.valid_from = min(p.valid_from) OVER (PARTITION BY p.pid) AS is_first,
        (p.valid_from AT TIME ZONE 'UTC')::date AS from_day, coalesce((p.valid_to AT TIME ZONE 'UTC')::date, 'infinity') AS to_day
      FROM %1$I.project_versions AS p
    ) AS state
    JOIN bounds ON bounds.pid = state.pid
    CROSS JOIN LATERAL (
      VALUES
        (greatest(CASE WHEN NOT state.is_first THEN state.from_day END, bounds.start_day, $1), 1),
        (greatest(state.to_day, bounds.start_day, $1), -1)
    ) AS edge (day, step)
    WHERE edge.day <= $2
  )
  SELECT
    total.pid, total.day, total.open,
    CASE WHEN $3 THEN total.completed + CASE WHEN total.day < total.seen_day THEN total.archived ELSE 0 END END,
    CASE WHEN $3 AND total.day >= total.seen_day AND total.day >= total.archived_day THEN total.archived END,
    total.overdue, CASE WHEN $3 THEN total.created END, CASE WHEN $3 THEN total.completed_that_day END,
    total.day < total.seen_day, total.day >= total.seen_day AND total.exists > 0 AND total.read = 0, total.closed > 0
  FROM (
    SELECT
      change.pid, change.day, max(change.seen_day) AS seen_day, max(change.archived_day) AS archived_day,
      (sum(sum(change.open)) OVER so_far)::bigint AS open, (sum(sum(change.completed)) OVER so_far)::bigint AS completed,
      (sum(sum(change.archived)) OVER so_far)::bigint AS archived, (sum(sum(change.overdue)) OVER so_far)::bigint AS overdue,
      sum(change.created)::bigint AS created, sum(change.completed_that_day)::bigint AS completed_that_day,
      sum(change.read) AS read, sum(sum(change.exists)) OVER so_far AS exists, sum(sum(change.closed)) OVER so_far AS closed
    FROM change
    GROUP BY change.pid, change.day
    -- before the sums over the days: drops what is before the first day or after the last one
    HAVING max(change.seen_day) IS NOT NULL
    WINDOW so_far AS (PARTITION BY change.pid ORDER BY change.day)
  ) AS total
$body$
  $function$, current_schema(), current_schema() || '_history');

  EXECUTE format($function$
CREATE OR REPLACE FUNCTION %1$I.task_counts(first_day date, last_day date)
RETURNS TABLE (pid text, day date, open bigint, overdue bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $body$
  SELECT daily.pid, daily.day, daily.open, daily.overdue FROM %1$I.fct_task_daily($1, $2, false) AS daily
$body$
  $function$, current_schema());
END
$$;
COMMENT ON FUNCTION fct_task_daily(date, date, boolean) IS 'Rows of the view fct_task_daily, without project_name, for the days from the first to the last one, both included. With false as third argument completed, archived, created and completed_that_day are null, and it takes a fraction of the time';
COMMENT ON FUNCTION task_counts(date, date) IS 'Open and overdue tasks of each project at the end of each UTC day from the first to the last one given, both included: columns open and overdue of fct_task_daily, in a fraction of its time';

CREATE OR REPLACE VIEW fct_task_daily AS
SELECT
  daily.pid COLLATE "C" AS pid, project.name AS project_name, daily.day, daily.open, daily.completed, daily.archived, daily.overdue, daily.created,
  daily.completed_that_day, daily.is_backfilled, daily.is_carried, daily.project_is_archived
FROM fct_task_daily(date '2001-01-01', date 'infinity') AS daily
LEFT JOIN projects AS project ON project.pid = daily.pid;
COMMENT ON VIEW fct_task_daily IS 'Tasks of each project at the end of each UTC day, from history, from the day its tasks were first read to that of the last finished run, without gaps. Before it (back-filled): calculated from the dates of the tasks that were there when they were first read. A project whose tasks were never read has no rows. The function of the same name takes a range of days';
COMMENT ON COLUMN fct_task_daily.open IS 'tasks neither completed nor archived at the end of the day, deleted ones until the day before they were found gone; back-filled: from creation until completion, or until the last update if the completion time is unknown';
COMMENT ON COLUMN fct_task_daily.archived IS 'archived tasks at the end of the day; null while the archived tasks were not read, and back-filled: the service does not send the time of archiving';
COMMENT ON COLUMN fct_task_daily.overdue IS 'open tasks whose due date is before the end of the day; back-filled: by the due date that was first read';
COMMENT ON COLUMN fct_task_daily.created IS 'tasks whose creation time is on that day, each in the project in which it was first seen';
COMMENT ON COLUMN fct_task_daily.completed_that_day IS 'completions on that day, by task_completions.counted_at: of tasks that were already archived when they were first seen, the last update counts';
COMMENT ON COLUMN fct_task_daily.is_backfilled IS 'whether the day is before the project''s tasks were first read: tasks deleted earlier are missing, and a task that was reopened counts as open until its last completion';
COMMENT ON COLUMN fct_task_daily.is_carried IS 'whether no run read the project''s tasks on that day, though the project exists: the figures are those of the day before; without access, for good';
COMMENT ON COLUMN fct_task_daily.project_is_archived IS 'whether the project was archived at the end of the day; before it was first seen: as it was then';

CREATE OR REPLACE VIEW task_status_daily AS
SELECT pid, day, open, completed, archived, overdue, created, completed_that_day, project_name FROM fct_task_daily WHERE NOT is_backfilled;
COMMENT ON VIEW task_status_daily IS 'Tasks of each project at the end of each UTC day, from history: rows of fct_task_daily that are not back-filled. Every task that exists is open, completed or archived. Deleted ones count until the day before they were found gone';
COMMENT ON COLUMN task_status_daily.archived IS 'archived tasks at the end of the day, completed or not; null while the archived tasks were not read';
COMMENT ON COLUMN task_status_daily.created IS 'tasks whose creation time is on that day, those deleted since too, each in the project in which it was first seen';
COMMENT ON COLUMN task_status_daily.completed_that_day IS 'completions on that day, by task_completions.counted_at; a task that was reopened may count again on another day';

CREATE OR REPLACE VIEW project_activity AS
SELECT activity.*, project.name AS project_name
FROM (
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
    SELECT 'task created' AS kind, pid, tid AS id, created_at AS happened_at FROM task_creations
    UNION ALL SELECT 'task completed', pid, tid, counted_at FROM task_completions
    UNION ALL SELECT 'comment', pid, cid, created_at FROM post_comments
    UNION ALL SELECT 'comment', pid, cid, created_at FROM file_comments
    UNION ALL SELECT 'page created', pid, page_id, created_at FROM pages
    UNION ALL SELECT 'page updated', pid, page_id, updated_at FROM page_versions WHERE updated_at > created_at
    UNION ALL SELECT 'post created', pid, post_id, created_at FROM posts
    UNION ALL SELECT 'post updated', pid, post_id, updated_at FROM post_versions WHERE updated_at > created_at
    UNION ALL SELECT 'file', pid, fid, created_at FROM files WHERE type IS DISTINCT FROM 1
    UNION ALL SELECT 'event', pid, event_id, starts_at FROM events
  ) AS activity
  WHERE happened_at <= now()
  GROUP BY pid, (happened_at AT TIME ZONE 'UTC')::date
) AS activity
LEFT JOIN projects AS project ON project.pid = activity.pid;
COMMENT ON COLUMN project_activity.tasks_created IS 'tasks created, each in the project in which it was first seen';
COMMENT ON COLUMN project_activity.tasks_completed IS 'completions, by task_completions.counted_at';

-- Members that come or go with their task, as it is first seen, deleted or restored, are neither assigned nor unassigned. The times of a task's
-- versions are few: they are compared with those of its members.
DO $$
BEGIN
  EXECUTE format($view$
CREATE OR REPLACE VIEW fct_task_transition AS
SELECT
  moved.pid, project.name AS project_name, moved.tid, task.name AS task_name, moved.kind, moved.seen_at, moved.sent_at,
  moved.from_value, moved.to_value,
  CASE moved.kind WHEN 'group' THEN from_entry.name WHEN 'unassigned' THEN from_user.name ELSE moved.from_value END AS from_name,
  CASE moved.kind WHEN 'group' THEN to_entry.name WHEN 'assigned' THEN to_user.name ELSE moved.to_value END AS to_name,
  moved.hours_before
FROM (
  SELECT
    version.pid, version.tid, change.kind, change.seen_at, change.sent_at, change.from_value, change.to_value,
    (extract(epoch FROM change.seen_at - change.held_since) / 3600)::double precision AS hours_before
  FROM (
    SELECT
      *,
      min(valid_from) OVER t AS first_seen_at,
      array_agg(valid_from) FILTER (WHERE uid IS NULL) OVER t AS task_from,
      array_agg(valid_to) FILTER (WHERE uid IS NULL) OVER t AS task_to,
      lag(valid_from) OVER w AS before_from,
      lag(valid_to) OVER w AS before_to,
      lag(entry_id) OVER w AS before_entry_id,
      lag(completed) OVER w AS before_completed,
      lag(archived) OVER w AS before_archived,
      lag(due_at) OVER w AS before_due_at,
      lead(valid_from) OVER w AS next_from,
      max(entry_since) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS group_since
    FROM (
      SELECT
        *,
        CASE WHEN uid IS NULL AND (lag(valid_from) OVER w IS NULL OR entry_id IS DISTINCT FROM lag(entry_id) OVER w)
          THEN valid_from END AS entry_since
      FROM (
        SELECT pid, tid, NULL AS uid, valid_from, valid_to, entry_id, completed IS TRUE AS completed, archived IS TRUE AS archived,
          due_at, completed_at
        FROM task_versions
        UNION ALL
        SELECT pid, tid, uid, valid_from, NULL::timestamptz, NULL, NULL, NULL, NULL, NULL FROM task_members WHERE deleted_at IS NULL
        UNION ALL
        SELECT pid, tid, uid, valid_from, valid_to, NULL, NULL, NULL, NULL, NULL FROM %1$I.task_members
      ) AS known
      WINDOW w AS (PARTITION BY pid, tid, uid ORDER BY valid_from)
    ) AS since
    WINDOW t AS (PARTITION BY pid, tid), w AS (PARTITION BY pid, tid, uid ORDER BY valid_from)
  ) AS version
  CROSS JOIN LATERAL (
    VALUES
      ('added', uid IS NULL AND before_from IS NULL, valid_from, NULL::timestamptz, NULL, NULL, NULL::timestamptz),
      ('restored', uid IS NULL AND before_to < valid_from, valid_from, NULL, NULL, NULL, before_to),
      ('group', uid IS NULL AND before_from IS NOT NULL AND entry_id IS DISTINCT FROM before_entry_id,
        valid_from, NULL, before_entry_id, entry_id, group_since),
      ('completed', uid IS NULL AND before_from IS NOT NULL AND completed AND NOT before_completed, valid_from, completed_at, NULL, NULL, NULL),
      ('reopened', uid IS NULL AND before_completed AND NOT completed, valid_from, NULL, NULL, NULL, NULL),
      ('archived', uid IS NULL AND before_from IS NOT NULL AND archived AND NOT before_archived, valid_from, NULL, NULL, NULL, NULL),
      ('unarchived', uid IS NULL AND before_archived AND NOT archived, valid_from, NULL, NULL, NULL, NULL),
      ('due', uid IS NULL AND before_from IS NOT NULL AND due_at IS DISTINCT FROM before_due_at, valid_from, NULL,
        to_char(before_due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), to_char(due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), NULL),
      ('assigned', uid IS NOT NULL AND valid_from > first_seen_at AND before_to IS DISTINCT FROM valid_from
        AND (valid_from = ANY (task_from) AND (valid_from = ANY (task_to)) IS NOT TRUE) IS NOT TRUE, valid_from, NULL, NULL, uid, NULL),
      ('unassigned', uid IS NOT NULL AND valid_to IS NOT NULL AND next_from IS DISTINCT FROM valid_to
        AND (valid_to = ANY (task_to) AND (valid_to = ANY (task_from)) IS NOT TRUE) IS NOT TRUE, valid_to, NULL, uid, NULL, NULL),
      ('deleted', uid IS NULL AND valid_to IS NOT NULL AND next_from IS DISTINCT FROM valid_to, valid_to, NULL, NULL, NULL, NULL)
  ) AS change (kind, happened, seen_at, sent_at, from_value, to_value, held_since)
  WHERE change.happened
) AS moved
LEFT JOIN projects AS project ON project.pid = moved.pid
LEFT JOIN tasks AS task ON task.pid = moved.pid AND task.tid = moved.tid
LEFT JOIN entries AS from_entry ON from_entry.pid = moved.pid AND moved.kind = 'group' AND from_entry.entry_id = moved.from_value
LEFT JOIN entries AS to_entry ON to_entry.pid = moved.pid AND moved.kind = 'group' AND to_entry.entry_id = moved.to_value
LEFT JOIN users AS from_user ON moved.kind = 'unassigned' AND from_user.uid = moved.from_value
LEFT JOIN users AS to_user ON moved.kind = 'assigned' AND to_user.uid = moved.to_value
  $view$, current_schema() || '_history');
END
$$;

CREATE OR REPLACE VIEW task_cycle_times AS
SELECT
  task.pid, task.tid, task.name, task.entry_id, entry.name AS entry_name, task.created_at, task.first_seen_at, task.completed_at,
  task.completed_at_is_sent, task.completed_at - task.created_at AS cycle_time,
  (extract(epoch FROM task.completed_at - task.created_at) / 3600)::double precision AS cycle_hours,
  task.reopened_count, task.deleted_at, project.name AS project_name
FROM (
  SELECT
    pid, tid, max(name) AS name, max(entry_id) AS entry_id, max(created_at) AS created_at, min(first_seen_at) AS first_seen_at,
    CASE WHEN bool_or(is_completed) THEN max(completed_at) END AS completed_at,
    CASE WHEN bool_or(is_completed) AND max(completed_at) IS NOT NULL
      THEN max(completed_at) FILTER (WHERE is_sent) IS NOT DISTINCT FROM max(completed_at) END AS completed_at_is_sent,
    (count(*) FILTER (WHERE is_reopening))::integer AS reopened_count, max(deleted_at) AS deleted_at
  FROM (
    -- of each task: itself, its versions and its completions; one that was completed in another project has the time that was sent
    SELECT
      pid, tid, name, entry_id, created_at, completed IS TRUE AS is_completed, deleted_at,
      NULL::timestamptz AS first_seen_at, completed_at, completed_at IS NOT NULL AS is_sent, false AS is_reopening
    FROM tasks
    UNION ALL
    SELECT
      pid, tid, NULL, NULL, NULL, NULL, NULL, valid_from, NULL, NULL,
      completed IS NOT TRUE AND lag(completed) OVER (PARTITION BY pid, tid ORDER BY valid_from)
    FROM task_versions
    UNION ALL
    SELECT pid, tid, NULL, NULL, NULL, NULL, NULL, NULL, completed_at, is_sent, false FROM task_completions
  ) AS known
  GROUP BY pid, tid
) AS task
LEFT JOIN projects AS project ON project.pid = task.pid
LEFT JOIN entries AS entry ON entry.pid = task.pid AND entry.entry_id = task.entry_id;
COMMENT ON COLUMN task_cycle_times.completed_at IS 'time of its last completion; null while it is open, and when the time is not known';

CREATE OR REPLACE VIEW fct_task AS
SELECT
  task.pid, project.name AS project_name, task.tid, task.name, task.entry_id, entry.name AS entry_name,
  CASE WHEN task.deleted_at IS NOT NULL THEN 'deleted' WHEN is_archived THEN 'archived' WHEN is_completed THEN 'completed' ELSE 'open' END AS status,
  task.deleted_at IS NULL AND NOT is_archived AND NOT is_completed AND coalesce(due_at < now(), false) AS is_overdue,
  created_at, first_seen_at, started_at, due_at, completed_at,
  (extract(epoch FROM completed_at - created_at) / 3600)::double precision AS lead_hours,
  CASE WHEN completed_at > started_at THEN (extract(epoch FROM completed_at - started_at) / 3600)::double precision END AS cycle_hours,
  reopened_count, group_changes, due_changes, updated_at, members, labels,
  comment_count, todo_count, todo_checked_count, file_count, task.deleted_at,
  completed_at_is_sent, moved_to_pid, coalesce(project.archived, false) AS project_is_archived
FROM (
  SELECT
    pid, tid,
    max(name) AS name, max(entry_id) AS entry_id, bool_or(is_archived) AS is_archived, bool_or(is_completed) AS is_completed,
    max(created_at) AS created_at, max(due_at) AS due_at, max(updated_at) AS updated_at, max(task_deleted_at) AS deleted_at,
    min(first_seen_at) AS first_seen_at,
    min(seen_at) FILTER (WHERE kind = 'group') AS started_at,
    max(completed_at) AS completed_at, bool_or(completed_at_is_sent) AS completed_at_is_sent, max(reopened_count) AS reopened_count,
    (count(*) FILTER (WHERE kind = 'group'))::integer AS group_changes,
    (count(*) FILTER (WHERE kind = 'due'))::integer AS due_changes,
    coalesce(array_agg(member ORDER BY member) FILTER (WHERE member IS NOT NULL), '{}') AS members,
    coalesce(array_agg(label ORDER BY label) FILTER (WHERE label IS NOT NULL), '{}') AS labels,
    max(comment_count) AS comment_count, max(todo_count) AS todo_count, max(todo_checked_count) AS todo_checked_count,
    max(file_count) AS file_count, max(moved_to_pid) AS moved_to_pid
  FROM (
    SELECT
      pid, tid, name, entry_id, archived IS TRUE AS is_archived, completed IS TRUE AS is_completed, created_at, due_at, updated_at,
      deleted_at AS task_deleted_at, comment_count, todo_count, todo_checked_count, file_count,
      NULL AS kind, NULL::timestamptz AS seen_at,
      NULL::timestamptz AS first_seen_at, NULL::timestamptz AS completed_at, NULL::boolean AS completed_at_is_sent, NULL::integer AS reopened_count,
      NULL COLLATE "C" AS member, NULL COLLATE "C" AS label, NULL COLLATE "C" AS moved_to_pid
    FROM tasks
    UNION ALL
    SELECT pid, tid, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, kind, seen_at, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM fct_task_transition WHERE kind IN ('group', 'due')
    UNION ALL
    SELECT pid, tid, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, first_seen_at, completed_at, completed_at_is_sent, reopened_count, NULL, NULL, NULL
    FROM task_cycle_times
    UNION ALL
    SELECT m.pid, m.tid, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
      coalesce(users.name, m.uid) COLLATE "C", NULL, NULL
    FROM task_members AS m LEFT JOIN users ON users.uid = m.uid WHERE m.deleted_at IS NULL
    UNION ALL
    SELECT pid, tid, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, name, NULL
    FROM task_labels WHERE deleted_at IS NULL
    UNION ALL
    SELECT unnest(former_pids), tid, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, present_pid
    FROM (
      SELECT tid, min(pid) FILTER (WHERE deleted_at IS NULL) AS present_pid, array_agg(pid) FILTER (WHERE deleted_at IS NOT NULL) AS former_pids
      FROM tasks WHERE created_at IS NOT NULL GROUP BY tid, created_at HAVING count(*) > 1
    ) AS moved
    WHERE present_pid IS NOT NULL
  ) AS known
  GROUP BY pid, tid
  HAVING bool_or(is_completed IS NOT NULL)
) AS task
LEFT JOIN projects AS project ON project.pid = task.pid
LEFT JOIN entries AS entry ON entry.pid = task.pid AND entry.entry_id = task.entry_id;
COMMENT ON VIEW fct_task IS 'One row per task and project, deleted ones too: its state, times, people and labels. A task that was moved has a row in each of its projects; moved_to_pid IS NULL leaves one of them';
COMMENT ON COLUMN fct_task.completed_at IS 'time of its last completion; null if the task is open or the time is unknown';
COMMENT ON COLUMN fct_task.cycle_hours IS 'hours from started_at to completed_at; null if no run saw it in another group before it was completed: then it is not known how long it took';
COMMENT ON COLUMN fct_task.completed_at_is_sent IS 'whether completed_at is as sent, not the start of the run that first saw it completed; null without completed_at';
COMMENT ON COLUMN fct_task.moved_to_pid IS 'project in which the task exists now, if it was moved there from this one; else null';
COMMENT ON COLUMN fct_task.project_is_archived IS 'whether its project is archived';

CREATE OR REPLACE VIEW fct_task_member AS
SELECT
  task.pid, project.name AS project_name, task.tid, task.name AS task_name, member.uid, person.name AS user_name,
  task.completed IS NOT TRUE AND task.archived IS NOT TRUE AS is_open,
  task.completed IS NOT TRUE AND task.archived IS NOT TRUE AND coalesce(task.due_at < now(), false) AS is_overdue,
  task.due_at, task.updated_at, coalesce(project.archived, false) AS project_is_archived
FROM task_members AS member
JOIN tasks AS task ON task.pid = member.pid AND task.tid = member.tid AND task.deleted_at IS NULL
LEFT JOIN projects AS project ON project.pid = task.pid
LEFT JOIN users AS person ON person.uid = member.uid
WHERE member.deleted_at IS NULL;
COMMENT ON COLUMN fct_task_member.project_is_archived IS 'whether the project is archived';

CREATE OR REPLACE VIEW overdue_tasks AS
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
  ) AS members,
  coalesce(project.archived, false) AS project_is_archived
FROM tasks AS task
LEFT JOIN projects AS project ON project.pid = task.pid
LEFT JOIN entries AS entry ON entry.pid = task.pid AND entry.entry_id = task.entry_id
WHERE task.deleted_at IS NULL AND task.completed IS NOT TRUE AND task.archived IS NOT TRUE AND task.due_at < now();
COMMENT ON COLUMN overdue_tasks.project_is_archived IS 'whether the project is archived';

CREATE OR REPLACE VIEW member_workload AS
SELECT
  workload.pid,
  project.name AS project_name,
  workload.uid,
  member.name AS user_name,
  workload.open,
  workload.overdue,
  workload.due_in_7_days,
  workload.completed_in_30_days,
  coalesce(project.archived, false) AS project_is_archived
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
        completed_at, NULL AS uid
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
COMMENT ON COLUMN member_workload.project_is_archived IS 'whether the project is archived';
