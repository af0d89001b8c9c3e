-- Models for analysts: dimensions (dim_…) and facts (fct_…), which keep deleted records.

CREATE OR REPLACE VIEW dim_project AS
SELECT
  project.pid, project.name, project.description, project.archived IS TRUE AS is_archived, project.visibility, project.member_count,
  project.created_by_uid, creator.name AS created_by_name, seen.first_seen_at, project.unlisted_since, project.deleted_at,
  project.permission, seen.tasks_first_read_at, reading.read_at AS tasks_read_at
FROM projects AS project
LEFT JOIN project_first_seen AS seen ON seen.pid = project.pid
LEFT JOIN users AS creator ON creator.uid = project.created_by_uid
LEFT JOIN list_readings AS reading ON reading.pid = project.pid AND reading.stream = 'tasks';
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
COMMENT ON COLUMN dim_project.permission IS 'permission of the token''s user: 0 = cannot read it any more, 5 = guest, 7 = visitor, 15 = member, 31 = administrator';
COMMENT ON COLUMN dim_project.tasks_first_read_at IS 'start of the run that first read its tasks; null if none did';
COMMENT ON COLUMN dim_project.tasks_read_at IS 'start of the last run that read its tasks completely: they are shown as of then; null if none did, or the project is deleted';

CREATE OR REPLACE VIEW dim_user AS
SELECT uid, name, display_name, coalesce(nullif(display_name, ''), nullif(name, ''), uid) AS label, description, status, email FROM users;
COMMENT ON VIEW dim_user IS 'Users, as they are embedded in other records';
COMMENT ON COLUMN dim_user.uid IS 'user id';
COMMENT ON COLUMN dim_user.name IS 'user name';
COMMENT ON COLUMN dim_user.display_name IS 'nickname';
COMMENT ON COLUMN dim_user.label IS 'name to display: nickname, else name, else id';
COMMENT ON COLUMN dim_user.description IS 'user description';
COMMENT ON COLUMN dim_user.status IS 'state of the account: 1 = normal, 2 = invited, 3 = needs e-mail confirmation';
COMMENT ON COLUMN dim_user.email IS 'e-mail address; null if no list of members showed it';

CREATE OR REPLACE VIEW dim_date AS
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

CREATE OR REPLACE VIEW fct_task AS
SELECT
  task.pid, project.name AS project_name, task.tid, task.name, task.entry_id, entry.name AS entry_name,
  CASE WHEN task.deleted_at IS NOT NULL THEN 'deleted' WHEN is_archived THEN 'archived' WHEN is_completed THEN 'completed' ELSE 'open' END AS status,
  task.deleted_at IS NULL AND NOT is_archived AND NOT is_completed AND coalesce(due_at < now(), false) AS is_overdue,
  task.created_at, first_seen_at, started_at, due_at, completed_at,
  (extract(epoch FROM completed_at - task.created_at) / 3600)::double precision AS lead_hours,
  CASE WHEN completed_at > started_at THEN (extract(epoch FROM completed_at - started_at) / 3600)::double precision END AS cycle_hours,
  reopened_count, group_changes, due_changes, task.updated_at, members, labels,
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
COMMENT ON COLUMN fct_task.completed_at IS 'time of its last completion; null if the task is open or the time is unknown';
COMMENT ON COLUMN fct_task.lead_hours IS 'hours from created_at to completed_at';
COMMENT ON COLUMN fct_task.cycle_hours IS 'hours from started_at to completed_at; null if no run saw it in another group before it was completed: then it is not known how long it took';
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
COMMENT ON COLUMN fct_task_member.project_is_archived IS 'whether the project is archived';

CREATE OR REPLACE VIEW fct_document AS
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
