-- Figures by UTC day. Each has one definition: task_status_daily, task_counts and the view fct_task_daily are parts of the function.

CREATE OR REPLACE FUNCTION fct_task_daily(first_day date, last_day date, all_columns boolean DEFAULT true)
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
      FROM collab.project_first_seen AS p
      UNION ALL
      SELECT t.pid, NULL, NULL, NULL, (min(t.created_at) AT TIME ZONE 'UTC')::date FROM collab.tasks AS t GROUP BY t.pid
    ) AS known
    GROUP BY known.pid
    HAVING min(known.seen_day) IS NOT NULL
  ),
  -- a condition of the query on pid stays outside: its estimate would have each version compared with each project
  change AS MATERIALIZED (
    SELECT
      bounds.pid,
      -- of timestamps: dates would become midnights of the session's time zone, where some days have none
      generate_series(
        greatest($1, bounds.start_day)::timestamp,
        (SELECT CASE WHEN $2 < max(runs.started_at AT TIME ZONE 'UTC')::date THEN $2 ELSE max(runs.started_at AT TIME ZONE 'UTC')::date END
         FROM collab.runs WHERE runs.status IN ('succeeded', 'partial'))::timestamp,
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
        FROM collab.task_versions AS version
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
          FROM collab.task_versions AS version JOIN bounds ON bounds.pid = version.pid
          WHERE bounds.seen_day > $1 AND version.created_at IS NOT NULL
            -- one that was moved here was counted elsewhere
            AND NOT EXISTS (
              SELECT FROM collab_history.tasks AS former
              WHERE former.tid = version.tid AND former.created_at = version.created_at AND former.pid <> version.pid
                AND former.valid_from < version.valid_from)
            AND (version.valid_from = bounds.first_seen_at
              OR (version.valid_from AT TIME ZONE 'UTC')::date = CASE WHEN version.archived THEN bounds.archived_day ELSE bounds.seen_day END
                AND NOT EXISTS (
                  SELECT FROM collab_history.tasks AS earlier
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
    FROM collab.task_creations AS c WHERE $3
    UNION ALL
    SELECT c.pid, greatest((c.counted_at AT TIME ZONE 'UTC')::date, date '2001-01-01'), NULL, NULL, 0, 0, 0, 0, 0, 1, 0, 0, 0
    FROM collab.task_completions AS c WHERE $3
    UNION ALL
    SELECT scope.pid, (run.started_at AT TIME ZONE 'UTC')::date, NULL, NULL, 0, 0, 0, 0, 0, 0, 1, 0, 0
    FROM collab.run_scopes AS scope JOIN collab.runs AS run ON run.run_id = scope.run_id
    WHERE scope.stream = 'tasks' AND scope.status NOT IN ('failed', 'skipped', 'carried')
    UNION ALL
    -- versions of the project itself; the first one holds before it was seen, too
    SELECT state.pid, edge.day, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, edge.step, edge.step * state.archived
    FROM (
      SELECT
        p.pid, (p.archived IS TRUE)::integer AS archived, p.valid_from = min(p.valid_from) OVER (PARTITION BY p.pid) AS is_first,
        (p.valid_from AT TIME ZONE 'UTC')::date AS from_day, coalesce((p.valid_to AT TIME ZONE 'UTC')::date, 'infinity') AS to_day
      FROM collab.project_versions AS p
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
$body$;
COMMENT ON FUNCTION fct_task_daily(date, date, boolean) IS 'Rows of the view fct_task_daily, without project_name, for the days from the first to the last one, both included. With false as third argument completed, archived, created and completed_that_day are null, and it takes a fraction of the time';

CREATE OR REPLACE FUNCTION task_counts(first_day date, last_day date)
RETURNS TABLE (pid text, day date, open bigint, overdue bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $body$
  SELECT daily.pid, daily.day, daily.open, daily.overdue FROM collab.fct_task_daily($1, $2, false) AS daily
$body$;
COMMENT ON FUNCTION task_counts(date, date) IS 'Open and overdue tasks of each project at the end of each UTC day from the first to the last one given, both included: columns open and overdue of fct_task_daily, in a fraction of its time';

CREATE OR REPLACE VIEW fct_task_daily AS
SELECT
  daily.pid COLLATE "C" AS pid, project.name AS project_name, daily.day, daily.open, daily.completed, daily.archived, daily.overdue, daily.created,
  daily.completed_that_day, daily.is_backfilled, daily.is_carried, daily.project_is_archived
FROM fct_task_daily(date '2001-01-01', date 'infinity') AS daily
LEFT JOIN projects AS project ON project.pid = daily.pid;
COMMENT ON VIEW fct_task_daily IS 'Tasks of each project at the end of each UTC day, from history, from the day its tasks were first read to that of the last finished run, without gaps. Before it (back-filled): calculated from the dates of the tasks that were there when they were first read. A project whose tasks were never read has no rows. The function of the same name takes a range of days';
COMMENT ON COLUMN fct_task_daily.pid IS 'project id';
COMMENT ON COLUMN fct_task_daily.project_name IS 'project name';
COMMENT ON COLUMN fct_task_daily.day IS 'UTC day';
COMMENT ON COLUMN fct_task_daily.open IS 'tasks neither completed nor archived at the end of the day, deleted ones until the day before they were found gone; back-filled: from creation until completion, or until the last update if the completion time is unknown';
COMMENT ON COLUMN fct_task_daily.completed IS 'tasks completed and not archived at the end of the day; back-filled: completed or archived tasks';
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
COMMENT ON COLUMN task_status_daily.pid IS 'project id';
COMMENT ON COLUMN task_status_daily.day IS 'UTC day';
COMMENT ON COLUMN task_status_daily.open IS 'tasks neither completed nor archived at the end of the day';
COMMENT ON COLUMN task_status_daily.completed IS 'tasks completed and not archived at the end of the day';
COMMENT ON COLUMN task_status_daily.archived IS 'archived tasks at the end of the day, completed or not; null while the archived tasks were not read';
COMMENT ON COLUMN task_status_daily.overdue IS 'those of open whose due date is before the end of the day';
COMMENT ON COLUMN task_status_daily.created IS 'tasks whose creation time is on that day, those deleted since too, each in the project in which it was first seen';
COMMENT ON COLUMN task_status_daily.completed_that_day IS 'completions on that day, by task_completions.counted_at; a task that was reopened may count again on another day';
COMMENT ON COLUMN task_status_daily.project_name IS 'project name';

-- What is yet to happen is no activity: events that begin later.
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
    UNION ALL SELECT 'event', pid, event_id, starts_at FROM events WHERE deleted_at IS NULL OR starts_at < deleted_at
  ) AS activity
  WHERE happened_at <= now()
  GROUP BY pid, (happened_at AT TIME ZONE 'UTC')::date
) AS activity
LEFT JOIN projects AS project ON project.pid = activity.pid;
COMMENT ON VIEW project_activity IS 'What happened in each project on each UTC day until now(), by the records'' own times and also before the first run; days without any are not listed. Records deleted since count too';
COMMENT ON COLUMN project_activity.pid IS 'project id';
COMMENT ON COLUMN project_activity.day IS 'UTC day';
COMMENT ON COLUMN project_activity.tasks_created IS 'tasks created, each in the project in which it was first seen';
COMMENT ON COLUMN project_activity.tasks_completed IS 'completions, by task_completions.counted_at';
COMMENT ON COLUMN project_activity.comments IS 'comments written on posts and files; those of tasks and events are not counted';
COMMENT ON COLUMN project_activity.pages_created IS 'pages created';
COMMENT ON COLUMN project_activity.pages_updated IS 'pages updated after they were created, each once; of several updates between two runs the last is known';
COMMENT ON COLUMN project_activity.posts_created IS 'posts created, of those that are known';
COMMENT ON COLUMN project_activity.posts_updated IS 'posts updated after they were created, each once; of several updates between two runs the last is known';
COMMENT ON COLUMN project_activity.files IS 'files uploaded, of those that are known; folders do not count';
COMMENT ON COLUMN project_activity.events IS 'starts of events as the service lists them: a recurring event counts on those, not on each recurrence; one that was found cancelled or moved before it started does not count';
COMMENT ON COLUMN project_activity.project_name IS 'project name';
