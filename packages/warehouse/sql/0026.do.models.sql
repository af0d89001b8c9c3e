-- Models for analysts: facts (fct_…) and dimensions (dim_…). All days are UTC days. Rows are put together by grouping, not by joining:
-- see 0006. Facts keep deleted records, so that a figure of yesterday is the same tomorrow.

CREATE VIEW dim_project AS
SELECT
  project.pid, project.name, project.description, project.archived IS TRUE AS is_archived, project.visibility, project.member_count,
  project.created_by_uid, creator.name AS created_by_name, seen.first_seen_at, project.unlisted_since, project.deleted_at
FROM projects AS project
LEFT JOIN project_first_seen AS seen ON seen.pid = project.pid
LEFT JOIN users AS creator ON creator.uid = project.created_by_uid;
COMMENT ON VIEW dim_project IS 'Projects, deleted ones too';
COMMENT ON COLUMN dim_project.pid IS 'project id';
COMMENT ON COLUMN dim_project.name IS 'project name';
COMMENT ON COLUMN dim_project.description IS 'description';
COMMENT ON COLUMN dim_project.is_archived IS 'whether the project is archived';
COMMENT ON COLUMN dim_project.visibility IS 'who may see it: 1 = private, 2 = team, 3 = public';
COMMENT ON COLUMN dim_project.member_count IS 'number of members';
COMMENT ON COLUMN dim_project.created_by_uid IS 'user id of the creator';
COMMENT ON COLUMN dim_project.created_by_name IS 'name of the creator';
COMMENT ON COLUMN dim_project.first_seen_at IS 'start of the run that first saw the project or one of its tasks';
COMMENT ON COLUMN dim_project.unlisted_since IS 'start of the run that first found it missing from the list though it could be read; null while it is listed';
COMMENT ON COLUMN dim_project.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE VIEW dim_user AS
SELECT uid, name, display_name, coalesce(nullif(display_name, ''), nullif(name, ''), uid) AS label, description, status FROM users;
COMMENT ON VIEW dim_user IS 'Users, as they are embedded in other records';
COMMENT ON COLUMN dim_user.uid IS 'user id';
COMMENT ON COLUMN dim_user.name IS 'user name';
COMMENT ON COLUMN dim_user.display_name IS 'nickname';
COMMENT ON COLUMN dim_user.label IS 'name to display: nickname, else name, else id';
COMMENT ON COLUMN dim_user.description IS 'user description';
COMMENT ON COLUMN dim_user.status IS 'state of the account: 1 = normal, 2 = invited, 3 = needs e-mail confirmation';

CREATE VIEW dim_date AS
SELECT
  day::date AS day,
  date_trunc('week', day)::date AS week,
  date_trunc('month', day)::date AS month,
  date_trunc('quarter', day)::date AS quarter,
  extract(year FROM day)::integer AS year,
  extract(week FROM day)::integer AS iso_week,
  extract(isoyear FROM day)::integer AS iso_year,
  extract(isodow FROM day)::integer AS weekday,
  extract(isodow FROM day) > 5 AS is_weekend
FROM generate_series(timestamp '2001-01-01', date_trunc('day', now() AT TIME ZONE 'UTC') + interval '2 years', interval '1 day') AS day;
COMMENT ON VIEW dim_date IS 'UTC days from 1 January 2001 to two years from now';
COMMENT ON COLUMN dim_date.day IS 'the day';
COMMENT ON COLUMN dim_date.week IS 'first day of its week, a Monday';
COMMENT ON COLUMN dim_date.month IS 'first day of its month';
COMMENT ON COLUMN dim_date.quarter IS 'first day of its quarter';
COMMENT ON COLUMN dim_date.year IS 'calendar year';
COMMENT ON COLUMN dim_date.iso_week IS 'week by ISO 8601, 1 to 53';
COMMENT ON COLUMN dim_date.iso_year IS 'year that the ISO week belongs to';
COMMENT ON COLUMN dim_date.weekday IS '1 = Monday to 7 = Sunday';
COMMENT ON COLUMN dim_date.is_weekend IS 'whether it is a Saturday or Sunday';

-- Each version is compared with the one before it. Versions of members that follow each other without a gap are one assignment. What was
-- there when the task was first seen is no transition. Members of one task are ordered by uid, tasks have none.
DO $$
BEGIN
  EXECUTE format($view$
CREATE VIEW fct_task_transition AS
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
      min(valid_from) OVER (PARTITION BY pid, tid) AS first_seen_at,
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
    WINDOW w AS (PARTITION BY pid, tid, uid ORDER BY valid_from)
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
      ('assigned', uid IS NOT NULL AND valid_from > first_seen_at AND before_to IS DISTINCT FROM valid_from, valid_from, NULL, NULL, uid, NULL),
      ('unassigned', uid IS NOT NULL AND valid_to IS NOT NULL AND next_from IS DISTINCT FROM valid_to, valid_to, NULL, uid, NULL, NULL),
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

CREATE VIEW fct_task AS
SELECT
  task.pid, project.name AS project_name, task.tid, task.name, task.entry_id, entry.name AS entry_name,
  CASE WHEN task.deleted_at IS NOT NULL THEN 'deleted' WHEN is_archived THEN 'archived' WHEN is_completed THEN 'completed' ELSE 'open' END AS status,
  task.deleted_at IS NULL AND NOT is_archived AND NOT is_completed AND coalesce(due_at < now(), false) AS is_overdue,
  created_at, first_seen_at, started_at, due_at, completed_at,
  (extract(epoch FROM completed_at - created_at) / 3600)::double precision AS lead_hours,
  (extract(epoch FROM completed_at - started_at) / 3600)::double precision AS cycle_hours,
  reopened_count, group_changes, due_changes, updated_at, members, labels,
  comment_count, todo_count, todo_checked_count, file_count, task.deleted_at
FROM (
  SELECT
    pid, tid,
    max(name) AS name, max(entry_id) AS entry_id, bool_or(is_archived) AS is_archived, bool_or(is_completed) AS is_completed,
    max(created_at) AS created_at, max(due_at) AS due_at, max(updated_at) AS updated_at, max(task_deleted_at) AS deleted_at,
    min(seen_at) FILTER (WHERE kind = 'added') AS first_seen_at,
    min(seen_at) FILTER (WHERE kind = 'group') AS started_at,
    CASE WHEN bool_or(is_completed) THEN max(completed_at) END AS completed_at,
    (count(shown_at) - bool_or(is_completed)::integer)::integer AS reopened_count,
    (count(*) FILTER (WHERE kind = 'group'))::integer AS group_changes,
    (count(*) FILTER (WHERE kind = 'due'))::integer AS due_changes,
    coalesce(array_agg(member ORDER BY member) FILTER (WHERE member IS NOT NULL), '{}') AS members,
    coalesce(array_agg(label ORDER BY label) FILTER (WHERE label IS NOT NULL), '{}') AS labels,
    max(comment_count) AS comment_count, max(todo_count) AS todo_count, max(todo_checked_count) AS todo_checked_count,
    max(file_count) AS file_count
  FROM (
    SELECT
      pid, tid, name, entry_id, archived IS TRUE AS is_archived, completed IS TRUE AS is_completed, created_at, due_at, updated_at,
      deleted_at AS task_deleted_at, comment_count, todo_count, todo_checked_count, file_count,
      NULL AS kind, NULL::timestamptz AS seen_at, NULL::timestamptz AS completed_at, NULL::timestamptz AS shown_at,
      NULL COLLATE "C" AS member, NULL COLLATE "C" AS label
    FROM tasks
    UNION ALL
    SELECT pid, tid, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, kind, seen_at, NULL, NULL, NULL, NULL
    FROM fct_task_transition WHERE kind IN ('added', 'group', 'due')
    UNION ALL
    SELECT pid, tid, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, completed_at, shown_at, NULL, NULL
    FROM task_completions
    UNION ALL
    SELECT m.pid, m.tid, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
      coalesce(users.name, m.uid) COLLATE "C", NULL
    FROM task_members AS m LEFT JOIN users ON users.uid = m.uid WHERE m.deleted_at IS NULL
    UNION ALL
    SELECT pid, tid, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, name
    FROM task_labels WHERE deleted_at IS NULL
  ) AS known
  GROUP BY pid, tid
  HAVING bool_or(is_completed IS NOT NULL)
) AS task
LEFT JOIN projects AS project ON project.pid = task.pid
LEFT JOIN entries AS entry ON entry.pid = task.pid AND entry.entry_id = task.entry_id;
COMMENT ON VIEW fct_task IS 'One row per task, deleted ones too: its state, times, people and labels';
COMMENT ON COLUMN fct_task.pid IS 'project id';
COMMENT ON COLUMN fct_task.project_name IS 'project name';
COMMENT ON COLUMN fct_task.tid IS 'task id';
COMMENT ON COLUMN fct_task.name IS 'task name';
COMMENT ON COLUMN fct_task.entry_id IS 'task group id; null when in none';
COMMENT ON COLUMN fct_task.entry_name IS 'task group name';
COMMENT ON COLUMN fct_task.status IS 'open, completed, archived (completed or not) or deleted';
COMMENT ON COLUMN fct_task.is_overdue IS 'whether it is open and its due date is before now()';
COMMENT ON COLUMN fct_task.created_at IS 'creation time';
COMMENT ON COLUMN fct_task.first_seen_at IS 'start of the run that first saw the task';
COMMENT ON COLUMN fct_task.started_at IS 'start of the run that first saw it in a task group other than its first one; null if it never moved';
COMMENT ON COLUMN fct_task.due_at IS 'due date; null when there is none';
COMMENT ON COLUMN fct_task.completed_at IS 'time of its last completion, as in task_completions; null if the task is open or the time is unknown';
COMMENT ON COLUMN fct_task.lead_hours IS 'hours from created_at to completed_at';
COMMENT ON COLUMN fct_task.cycle_hours IS 'hours from started_at to completed_at; negative if it moved after it was completed';
COMMENT ON COLUMN fct_task.reopened_count IS 'number of times a run found it open again after it was completed';
COMMENT ON COLUMN fct_task.group_changes IS 'number of times a run found it in another task group than before';
COMMENT ON COLUMN fct_task.due_changes IS 'number of times a run found another due date than before';
COMMENT ON COLUMN fct_task.updated_at IS 'update time';
COMMENT ON COLUMN fct_task.members IS 'names of its members, sorted; the user id where the name is unknown';
COMMENT ON COLUMN fct_task.labels IS 'names of its labels, sorted';
COMMENT ON COLUMN fct_task.comment_count IS 'number of comments';
COMMENT ON COLUMN fct_task.todo_count IS 'number of checklist items';
COMMENT ON COLUMN fct_task.todo_checked_count IS 'number of completed checklist items';
COMMENT ON COLUMN fct_task.file_count IS 'number of attachments';
COMMENT ON COLUMN fct_task.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE VIEW fct_task_member AS
SELECT
  task.pid, project.name AS project_name, task.tid, task.name AS task_name, member.uid, person.name AS user_name,
  task.completed IS NOT TRUE AND task.archived IS NOT TRUE AS is_open,
  task.completed IS NOT TRUE AND task.archived IS NOT TRUE AND coalesce(task.due_at < now(), false) AS is_overdue,
  task.due_at, task.updated_at
FROM task_members AS member
JOIN tasks AS task ON task.pid = member.pid AND task.tid = member.tid AND task.deleted_at IS NULL
LEFT JOIN projects AS project ON project.pid = task.pid
LEFT JOIN users AS person ON person.uid = member.uid
WHERE member.deleted_at IS NULL;
COMMENT ON VIEW fct_task_member IS 'Members of existing tasks: one row per task and member; completed and archived tasks too';
COMMENT ON COLUMN fct_task_member.pid IS 'project id';
COMMENT ON COLUMN fct_task_member.project_name IS 'project name';
COMMENT ON COLUMN fct_task_member.tid IS 'task id';
COMMENT ON COLUMN fct_task_member.task_name IS 'task name';
COMMENT ON COLUMN fct_task_member.uid IS 'user id';
COMMENT ON COLUMN fct_task_member.user_name IS 'user name';
COMMENT ON COLUMN fct_task_member.is_open IS 'whether the task is neither completed nor archived';
COMMENT ON COLUMN fct_task_member.is_overdue IS 'whether it is open and its due date is before now()';
COMMENT ON COLUMN fct_task_member.due_at IS 'due date; null when there is none';
COMMENT ON COLUMN fct_task_member.updated_at IS 'update time';

-- Before the first run: each task as the project's first day shows it, open from its creation until it was closed. Tasks created or closed
-- before 2001 count from the first day of that year.
CREATE VIEW fct_task_daily AS
SELECT
  daily.pid, project.name AS project_name, daily.day, daily.open, daily.completed, daily.archived, daily.overdue, daily.created,
  daily.completed_that_day, daily.is_backfilled
FROM (
  SELECT pid, day, open, completed, archived, overdue, created, completed_that_day, false AS is_backfilled FROM task_status_daily
  UNION ALL
  SELECT
    pid, day, (sum(sum(opened) - sum(closed)) OVER so_far)::bigint, (sum(sum(closed)) OVER so_far)::bigint, NULL,
    (sum(sum(overdue)) OVER so_far)::bigint, sum(created)::bigint, sum(completed)::bigint, true
  FROM (
    SELECT
      pid,
      generate_series(greatest(min(created_day), date '2001-01-01'), min(seen_day) - 1, interval '1 day')::date AS day, true AS is_listed,
      0 AS opened, 0 AS closed, 0 AS overdue, 0 AS created, 0 AS completed
    FROM (
      SELECT pid, (created_at AT TIME ZONE 'UTC')::date AS created_day, NULL::date AS seen_day FROM tasks
      UNION ALL SELECT pid, NULL, (first_seen_at AT TIME ZONE 'UTC')::date FROM project_first_seen
    ) AS bounds
    GROUP BY pid
    HAVING min(created_day) IS NOT NULL
    UNION ALL
    SELECT task.pid, change.day, false, change.opened, change.closed, change.overdue, 0, 0
    FROM (
      SELECT
        pid, greatest(created_day, date '2001-01-01') AS created_day,
        CASE WHEN closed_day IS NOT NULL THEN greatest(closed_day, created_day, date '2001-01-01') END AS closed_day,
        greatest(due_day, created_day, date '2001-01-01') AS overdue_day,
        due_day IS NOT NULL AND (closed_day IS NULL OR greatest(due_day, created_day) < closed_day) AS was_overdue
      FROM (
        SELECT
          pid,
          (created_at AT TIME ZONE 'UTC')::date AS created_day,
          (due_at AT TIME ZONE 'UTC')::date AS due_day,
          CASE WHEN completed IS TRUE OR archived IS TRUE THEN (coalesce(completed_at, updated_at, valid_from) AT TIME ZONE 'UTC')::date END AS closed_day,
          (valid_from AT TIME ZONE 'UTC')::date AS seen_day,
          row_number() OVER (PARTITION BY pid, tid ORDER BY valid_from) AS number,
          (min(valid_from) OVER (PARTITION BY pid) AT TIME ZONE 'UTC')::date AS first_day
        FROM task_versions
      ) AS version
      WHERE number = 1 AND seen_day = first_day AND created_day IS NOT NULL
    ) AS task
    CROSS JOIN LATERAL (
      VALUES
        (task.created_day, 1, 0, 0),
        (task.closed_day, 0, 1, 0),
        (CASE WHEN task.was_overdue THEN task.overdue_day END, 0, 0, 1),
        (CASE WHEN task.was_overdue THEN task.closed_day END, 0, 0, -1)
    ) AS change (day, opened, closed, overdue)
    WHERE change.day IS NOT NULL
    UNION ALL
    SELECT pid, greatest((created_at AT TIME ZONE 'UTC')::date, date '2001-01-01'), false, 0, 0, 0, 1, 0 FROM tasks WHERE created_at IS NOT NULL
    UNION ALL
    SELECT pid, greatest((completed_at AT TIME ZONE 'UTC')::date, date '2001-01-01'), false, 0, 0, 0, 0, 1 FROM task_completions WHERE completed_at IS NOT NULL
  ) AS change
  GROUP BY pid, day
  HAVING bool_or(is_listed)
  WINDOW so_far AS (PARTITION BY pid ORDER BY day)
) AS daily
LEFT JOIN projects AS project ON project.pid = daily.pid;
COMMENT ON VIEW fct_task_daily IS 'Tasks of each project at the end of each UTC day. From the day the project was first seen: as task_status_daily. Before that day (back-filled): calculated from the dates of the tasks that existed when it was first seen';
COMMENT ON COLUMN fct_task_daily.pid IS 'project id';
COMMENT ON COLUMN fct_task_daily.project_name IS 'project name';
COMMENT ON COLUMN fct_task_daily.day IS 'UTC day';
COMMENT ON COLUMN fct_task_daily.open IS 'tasks neither completed nor archived at the end of the day; back-filled: from creation until completion, or until the last update if the completion time is unknown';
COMMENT ON COLUMN fct_task_daily.completed IS 'tasks completed and not archived at the end of the day; back-filled: completed or archived tasks';
COMMENT ON COLUMN fct_task_daily.archived IS 'archived tasks at the end of the day; back-filled: null, because the service does not send the time of archiving';
COMMENT ON COLUMN fct_task_daily.overdue IS 'open tasks whose due date is before the end of the day; back-filled: by the due date that the first run saw';
COMMENT ON COLUMN fct_task_daily.created IS 'tasks whose creation time is on that day';
COMMENT ON COLUMN fct_task_daily.completed_that_day IS 'completions on that day';
COMMENT ON COLUMN fct_task_daily.is_backfilled IS 'whether the day is before the project was first seen: tasks deleted earlier are missing, and a task that was reopened counts as open until its last completion';

CREATE VIEW fct_document AS
SELECT
  document.kind, document.pid, project.name AS project_name, document.id, document.name, document.owner_uid, person.name AS owner_name,
  document.created_at, document.updated_at, document.updates, document.comments, document.last_comment_at,
  greatest(document.created_at, document.updated_at, document.last_comment_at) AS last_activity_at, document.deleted_at
FROM (
  SELECT
    kind, pid, id, max(name) AS name, max(owner_uid) AS owner_uid, max(created_at) AS created_at, max(updated_at) AS updated_at,
    (count(DISTINCT version_updated_at))::integer AS updates, (count(commented_at))::integer AS comments,
    max(commented_at) AS last_comment_at, max(deleted_at) AS deleted_at
  FROM (
    SELECT 'page' AS kind, pid, page_id AS id, true AS is_document, name, owner_uid, created_at, updated_at, deleted_at,
      NULL::timestamptz AS version_updated_at, NULL::timestamptz AS commented_at
    FROM pages
    UNION ALL SELECT 'post', pid, post_id, true, name, owner_uid, created_at, updated_at, deleted_at, NULL, NULL FROM posts
    UNION ALL SELECT 'page', pid, page_id, NULL, NULL, NULL, NULL, NULL, NULL, updated_at, NULL FROM page_versions WHERE updated_at > created_at
    UNION ALL SELECT 'post', pid, post_id, NULL, NULL, NULL, NULL, NULL, NULL, updated_at, NULL FROM post_versions WHERE updated_at > created_at
    UNION ALL SELECT 'post', pid, post_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, created_at FROM post_comments WHERE deleted_at IS NULL
  ) AS known
  GROUP BY kind, pid, id
  HAVING bool_or(is_document)
) AS document
LEFT JOIN projects AS project ON project.pid = document.pid
LEFT JOIN users AS person ON person.uid = document.owner_uid;
COMMENT ON VIEW fct_document IS 'One row per page and known post, deleted ones too, with its activity';
COMMENT ON COLUMN fct_document.kind IS 'page or post';
COMMENT ON COLUMN fct_document.pid IS 'project id';
COMMENT ON COLUMN fct_document.project_name IS 'project name';
COMMENT ON COLUMN fct_document.id IS 'page or post id';
COMMENT ON COLUMN fct_document.name IS 'title';
COMMENT ON COLUMN fct_document.owner_uid IS 'user id of its owner';
COMMENT ON COLUMN fct_document.owner_name IS 'name of its owner';
COMMENT ON COLUMN fct_document.created_at IS 'creation time';
COMMENT ON COLUMN fct_document.updated_at IS 'update time';
COMMENT ON COLUMN fct_document.updates IS 'number of updates that runs saw; several updates between two runs count once';
COMMENT ON COLUMN fct_document.comments IS 'number of existing comments; 0 for pages, whose comments the service does not list';
COMMENT ON COLUMN fct_document.last_comment_at IS 'time of the last comment';
COMMENT ON COLUMN fct_document.last_activity_at IS 'latest of creation, update and comment time';
COMMENT ON COLUMN fct_document.deleted_at IS 'start of the run that found it gone; null while it exists';
