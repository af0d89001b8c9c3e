-- Tasks over time. All days are UTC days. Views of the past keep deleted records, so that a figure of yesterday is the same tomorrow;
-- overdue_tasks and member_workload show live rows only. A task that was moved to another project has the id and the time of creation that it
-- had, and is one task. A time of creation that is edited holds for its earlier versions too: else it would be two tasks.

-- Views over all tasks put rows together by grouping, not by joining: tables that were never analysed (those of the embedded
-- warehouse, and every one after its first snapshot) look nearly empty to the planner, which then joins row by row.
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
COMMENT ON VIEW project_first_seen IS 'Since when a project is in the warehouse; deleted projects too';
COMMENT ON COLUMN project_first_seen.pid IS 'project id';
COMMENT ON COLUMN project_first_seen.first_seen_at IS 'start of the run that first saw it or one of its tasks';
COMMENT ON COLUMN project_first_seen.project_name IS 'project name';
COMMENT ON COLUMN project_first_seen.tasks_first_read_at IS 'start of the run that first read its tasks; null if none did: what it had before is not known';
COMMENT ON COLUMN project_first_seen.archived_first_read_at IS 'start of the run that first read its archived tasks; null if none did';

CREATE OR REPLACE VIEW task_creations AS
SELECT known.pid, known.tid, known.created_at, project.name AS project_name
FROM (
  SELECT pid, tid, created_at, row_number() OVER (PARTITION BY tid, created_at ORDER BY valid_from, pid) AS number
  FROM (
    SELECT pid, tid, created_at, valid_from FROM tasks
    UNION ALL
    SELECT past.pid, past.tid, task.created_at, past.valid_from
    FROM collab_history.tasks AS past JOIN tasks AS task ON task.pid = past.pid AND task.tid = past.tid
  ) AS version
  WHERE created_at IS NOT NULL
) AS known
LEFT JOIN projects AS project ON project.pid = known.pid
WHERE known.number = 1;
COMMENT ON VIEW task_creations IS 'Each task once, with its creation: in the project in which a run first saw it, wherever it was moved since; deleted tasks too';
COMMENT ON COLUMN task_creations.pid IS 'project id';
COMMENT ON COLUMN task_creations.tid IS 'task id';
COMMENT ON COLUMN task_creations.created_at IS 'creation time';
COMMENT ON COLUMN task_creations.project_name IS 'project name';

-- A completion is a stretch of versions that show the task completed, in any project: the versions that are not, counted up to each,
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
        SELECT *, CASE WHEN created_at IS NULL THEN pid END AS only_pid
        FROM (
          SELECT pid, tid, created_at, completed, completed_at, updated_at, valid_from FROM tasks WHERE deleted_at IS NULL
          UNION ALL
          SELECT past.pid, past.tid, task.created_at, past.completed, past.completed_at, past.updated_at, past.valid_from
          FROM collab_history.tasks AS past JOIN tasks AS task ON task.pid = past.pid AND task.tid = past.tid
        ) AS seen
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
COMMENT ON COLUMN task_completions.pid IS 'project id';
COMMENT ON COLUMN task_completions.tid IS 'task id';
COMMENT ON COLUMN task_completions.completed_at IS 'completion time as sent, the last one where it was sent several times; else start of the run that first saw it completed; null when neither is known: it was first seen completed, without a time, and is older than the first snapshot of the project''s tasks';
COMMENT ON COLUMN task_completions.is_sent IS 'whether completed_at is as sent (else it may be late by the time between two runs)';
COMMENT ON COLUMN task_completions.shown_at IS 'start of the run that first saw it completed';
COMMENT ON COLUMN task_completions.project_name IS 'project name';
COMMENT ON COLUMN task_completions.counted_at IS 'time by which the models count it: completed_at; if that is null, the last update of the task before it was first seen, by which it was completed; null if that is not known either';
COMMENT ON COLUMN task_completions.created_at IS 'creation time of the task';

-- Each version is compared with the one before it. Versions of members that follow each other without a gap are one assignment. What was
-- there when the task was first seen is no transition. Members of one task are ordered by uid, tasks have none.
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
        SELECT pid, tid, uid, valid_from, valid_to, NULL, NULL, NULL, NULL, NULL FROM collab_history.task_members
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
LEFT JOIN users AS to_user ON moved.kind = 'assigned' AND to_user.uid = moved.to_value;
COMMENT ON VIEW fct_task_transition IS 'One row per change of a task that a run saw, from history: of several changes between two runs, only the last one is known';
COMMENT ON COLUMN fct_task_transition.pid IS 'project id';
COMMENT ON COLUMN fct_task_transition.project_name IS 'project name';
COMMENT ON COLUMN fct_task_transition.tid IS 'task id';
COMMENT ON COLUMN fct_task_transition.task_name IS 'current task name';
COMMENT ON COLUMN fct_task_transition.kind IS 'added (first seen), group (moved to another task group), completed, reopened, archived, unarchived, due (due date changed), assigned, unassigned, deleted or restored';
COMMENT ON COLUMN fct_task_transition.seen_at IS 'start of the run that first saw the change';
COMMENT ON COLUMN fct_task_transition.sent_at IS 'kind completed: the completion time that the service sent; other kinds: null';
COMMENT ON COLUMN fct_task_transition.from_value IS 'kind group: id of the previous task group; unassigned: user id; due: previous due date (UTC); null if there is none';
COMMENT ON COLUMN fct_task_transition.to_value IS 'kind group: id of the new task group; assigned: user id; due: new due date (UTC); null if there is none';
COMMENT ON COLUMN fct_task_transition.from_name IS 'name of from_value';
COMMENT ON COLUMN fct_task_transition.to_name IS 'name of to_value';
COMMENT ON COLUMN fct_task_transition.hours_before IS 'kind group: hours in the previous task group, since the run that first saw it there; restored: hours during which it was deleted; other kinds: null';

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
COMMENT ON VIEW task_cycle_times IS 'How long each task took from creation to completion; open tasks and deleted ones too';
COMMENT ON COLUMN task_cycle_times.pid IS 'project id';
COMMENT ON COLUMN task_cycle_times.tid IS 'task id';
COMMENT ON COLUMN task_cycle_times.name IS 'task name';
COMMENT ON COLUMN task_cycle_times.entry_id IS 'task group id; null when in none';
COMMENT ON COLUMN task_cycle_times.entry_name IS 'task group name';
COMMENT ON COLUMN task_cycle_times.created_at IS 'creation time';
COMMENT ON COLUMN task_cycle_times.first_seen_at IS 'start of the run that first saw the task';
COMMENT ON COLUMN task_cycle_times.completed_at IS 'time of its last completion; null while it is open, and when the time is not known';
COMMENT ON COLUMN task_cycle_times.completed_at_is_sent IS 'whether completed_at is as sent, not the start of the run that first saw it completed; null without completed_at';
COMMENT ON COLUMN task_cycle_times.cycle_time IS 'from created_at to completed_at';
COMMENT ON COLUMN task_cycle_times.cycle_hours IS 'the same in hours';
COMMENT ON COLUMN task_cycle_times.reopened_count IS 'how often a run saw it open again that had been completed; reopened and completed again between two runs does not show';
COMMENT ON COLUMN task_cycle_times.deleted_at IS 'start of the run that found it gone; null while it exists';
COMMENT ON COLUMN task_cycle_times.project_name IS 'project name';

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
COMMENT ON VIEW member_workload IS 'Tasks assigned to each user in each project, relative to now(): live tasks, as the last run saw them; a task with several members counts for each. Who has none that is open or newly completed is not listed';
COMMENT ON COLUMN member_workload.pid IS 'project id';
COMMENT ON COLUMN member_workload.project_name IS 'project name';
COMMENT ON COLUMN member_workload.uid IS 'user id';
COMMENT ON COLUMN member_workload.user_name IS 'user name';
COMMENT ON COLUMN member_workload.open IS 'tasks neither completed nor archived';
COMMENT ON COLUMN member_workload.overdue IS 'those of open whose due date has passed';
COMMENT ON COLUMN member_workload.due_in_7_days IS 'those of open that are due from now on within 7 days of 24 hours';
COMMENT ON COLUMN member_workload.completed_in_30_days IS 'completed tasks, archived ones too, whose last completion was within the last 30 days of 24 hours';
COMMENT ON COLUMN member_workload.project_is_archived IS 'whether the project is archived';
