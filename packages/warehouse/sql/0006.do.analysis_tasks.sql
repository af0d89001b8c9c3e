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
