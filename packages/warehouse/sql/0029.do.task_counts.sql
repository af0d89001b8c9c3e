-- Open and overdue tasks of some days: the figures of fct_task_daily for a chart, without the work for all days before. A task counts from
-- one day to another, so each version is two changes within the days, or none. Nothing is sorted by task, as fct_task_daily does twice.
DO $$
BEGIN
  EXECUTE format($function$
CREATE FUNCTION %1$I.task_counts(first_day date, last_day date)
RETURNS TABLE (pid text, day date, open bigint, overdue bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $body$
  WITH bounds AS (
    SELECT
      known.pid, min(known.valid_from) AS first_seen_at, (min(known.valid_from) AT TIME ZONE 'UTC')::date AS seen_day,
      -- greatest() passes over NULL: a project without a time of creation would begin in 2001
      CASE WHEN min(known.created_at) IS NOT NULL THEN greatest((min(known.created_at) AT TIME ZONE 'UTC')::date, date '2001-01-01') END AS created_day
    FROM (
      SELECT t.pid, t.valid_from, t.created_at FROM %1$I.tasks AS t
      UNION ALL SELECT h.pid, h.valid_from, NULL FROM %2$I.tasks AS h
      UNION ALL SELECT p.pid, p.valid_from, NULL FROM %1$I.project_versions AS p
    ) AS known
    GROUP BY known.pid
  ),
  -- a condition of the query on pid stays outside: its estimate would have each version compared with each project
  change AS MATERIALIZED (
    SELECT
      bounds.pid,
      generate_series(
        greatest($1, least(bounds.seen_day, coalesce(bounds.created_day, bounds.seen_day))),
        least($2, (SELECT (max(runs.started_at) AT TIME ZONE 'UTC')::date FROM %1$I.runs WHERE runs.status IN ('succeeded', 'partial'))),
        interval '1 day'
      )::date AS day,
      true AS is_listed, 0 AS open, 0 AS overdue
    FROM bounds
    WHERE $1 <= $2 -- no days without both
    UNION ALL
    SELECT held.pid, edge.day, false, edge.open, edge.overdue
    FROM (
      -- few groups: what began before the first day or ended after the last one is alike
      SELECT
        span.pid, greatest(span.from_day, $1) AS from_day, least(span.to_day, $2 + 1) AS to_day,
        CASE WHEN span.due_day < span.to_day THEN greatest(span.from_day, span.due_day, $1) END AS overdue_day,
        count(*) AS tasks
      FROM (
        SELECT
          version.pid, (version.valid_from AT TIME ZONE 'UTC')::date AS from_day,
          coalesce((version.valid_to AT TIME ZONE 'UTC')::date, 'infinity') AS to_day, (version.due_at AT TIME ZONE 'UTC')::date AS due_day
        FROM %1$I.task_versions AS version
        WHERE version.completed IS NOT TRUE AND version.archived IS NOT TRUE
        UNION ALL
        -- before the project was first seen: the first version, from its creation until it was closed
        SELECT
          first.pid, greatest(first.created_day, date '2001-01-01'),
          least(greatest(first.closed_day, first.created_day, date '2001-01-01'), first.seen_day), first.due_day
        FROM (
          SELECT
            version.pid, bounds.seen_day,
            (version.created_at AT TIME ZONE 'UTC')::date AS created_day, (version.due_at AT TIME ZONE 'UTC')::date AS due_day,
            CASE WHEN version.completed IS TRUE OR version.archived IS TRUE
              THEN (coalesce(version.completed_at, version.updated_at, version.valid_from) AT TIME ZONE 'UTC')::date
              ELSE 'infinity' END AS closed_day
          FROM %1$I.task_versions AS version JOIN bounds ON bounds.pid = version.pid
          WHERE bounds.seen_day > $1 AND version.created_at IS NOT NULL
            AND (version.valid_from = bounds.first_seen_at
              OR (version.valid_from AT TIME ZONE 'UTC')::date = bounds.seen_day AND NOT EXISTS (
                SELECT FROM %2$I.tasks AS earlier
                WHERE earlier.pid = version.pid AND earlier.tid = version.tid AND earlier.valid_from < version.valid_from))
        ) AS first
      ) AS span
      WHERE span.from_day < span.to_day AND span.from_day <= $2 AND span.to_day > $1
      GROUP BY 1, 2, 3, 4
    ) AS held
    CROSS JOIN LATERAL (
      VALUES
        (held.from_day, held.tasks, 0),
        (held.to_day, -held.tasks, 0),
        (held.overdue_day, 0, held.tasks),
        (CASE WHEN held.overdue_day IS NOT NULL THEN held.to_day END, 0, -held.tasks)
    ) AS edge (day, open, overdue)
    WHERE edge.day <= $2
  )
  SELECT change.pid, change.day, (sum(sum(change.open)) OVER so_far)::bigint, (sum(sum(change.overdue)) OVER so_far)::bigint
  FROM change
  GROUP BY change.pid, change.day
  HAVING bool_or(change.is_listed)
  WINDOW so_far AS (PARTITION BY change.pid ORDER BY change.day)
$body$
  $function$, current_schema(), current_schema() || '_history');
END
$$;
COMMENT ON FUNCTION task_counts(date, date) IS 'Open and overdue tasks of each project at the end of each UTC day from the first to the last one given, both included: columns open and overdue of fct_task_daily, in a fraction of its time';
