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
