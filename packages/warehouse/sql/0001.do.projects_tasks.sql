-- Resource tables. src/tables/ holds the same as data; a test holds the two to each other.
-- Ids and parts of keys compare byte by byte: cheaper, and in the same order on every server.

CREATE TABLE projects (
  pid text COLLATE "C" NOT NULL,
  name text,
  description text,
  archived boolean,
  pic text,
  bg text,
  visibility smallint,
  team_id text COLLATE "C",
  is_starred boolean,
  position double precision,
  member_count integer,
  curr_role smallint,
  permission smallint,
  created_by_uid text COLLATE "C",
  extra jsonb,
  valid_from timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (pid)
);
COMMENT ON TABLE projects IS 'Projects, as the list shows them and in detail';
COMMENT ON COLUMN projects.pid IS 'project id';
COMMENT ON COLUMN projects.name IS 'project name';
COMMENT ON COLUMN projects.description IS 'description';
COMMENT ON COLUMN projects.archived IS 'whether the project is archived';
COMMENT ON COLUMN projects.pic IS 'icon';
COMMENT ON COLUMN projects.bg IS 'background colour';
COMMENT ON COLUMN projects.visibility IS 'who may see it: 1 = private, 2 = team, 3 = public';
COMMENT ON COLUMN projects.team_id IS 'team id';
COMMENT ON COLUMN projects.is_starred IS 'whether it is a favourite of the token''s user';
COMMENT ON COLUMN projects.position IS 'position in the user''s list (may be fractional)';
COMMENT ON COLUMN projects.member_count IS 'number of members';
COMMENT ON COLUMN projects.curr_role IS 'role of the token''s user: 1 = administrator, 2 = member, 3 = visitor, 4 = guest';
COMMENT ON COLUMN projects.permission IS 'permission of the token''s user: 0 = cannot operate, 5 = guest, 7 = visitor, 15 = member, 31 = administrator';
COMMENT ON COLUMN projects.created_by_uid IS 'user id of the creator';
COMMENT ON COLUMN projects.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN projects.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN projects.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE project_labels (
  pid text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  description text,
  extra jsonb,
  valid_from timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (pid, name)
);
COMMENT ON TABLE project_labels IS 'Labels of projects';
COMMENT ON COLUMN project_labels.pid IS 'project id';
COMMENT ON COLUMN project_labels.name IS 'label name (a colour word)';
COMMENT ON COLUMN project_labels.description IS 'label description';
COMMENT ON COLUMN project_labels.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN project_labels.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN project_labels.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE users (
  uid text COLLATE "C" NOT NULL,
  name text,
  display_name text,
  avatar text,
  description text,
  status smallint,
  online smallint,
  extra jsonb,
  valid_from timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (uid)
);
COMMENT ON TABLE users IS 'Users, as they are embedded in other records; never marked deleted';
COMMENT ON COLUMN users.uid IS 'user id';
COMMENT ON COLUMN users.name IS 'user name';
COMMENT ON COLUMN users.display_name IS 'nickname';
COMMENT ON COLUMN users.avatar IS 'avatar file name';
COMMENT ON COLUMN users.description IS 'user description (may be empty)';
COMMENT ON COLUMN users.status IS 'state of the account: 1 = normal, 2 = invited, 3 = needs e-mail confirmation';
COMMENT ON COLUMN users.online IS 'presence when last read: 0 = offline, 1 = online, 2 = busy, 3 = away';
COMMENT ON COLUMN users.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN users.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN users.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE entries (
  pid text COLLATE "C" NOT NULL,
  entry_id text COLLATE "C" NOT NULL,
  name text,
  extra jsonb,
  valid_from timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (pid, entry_id)
);
COMMENT ON TABLE entries IS 'Task groups (entries), as tasks name them';
COMMENT ON COLUMN entries.pid IS 'project id';
COMMENT ON COLUMN entries.entry_id IS 'task group id';
COMMENT ON COLUMN entries.name IS 'task group name';
COMMENT ON COLUMN entries.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN entries.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN entries.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE tasks (
  pid text COLLATE "C" NOT NULL,
  tid text COLLATE "C" NOT NULL,
  entry_id text COLLATE "C",
  name text,
  description text,
  position double precision,
  completed boolean,
  completed_at timestamptz,
  due_at timestamptz,
  created_at timestamptz,
  updated_at timestamptz,
  archived boolean,
  comment_count integer,
  todo_count integer,
  todo_checked_count integer,
  file_count integer,
  extra jsonb,
  valid_from timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (pid, tid)
);
COMMENT ON TABLE tasks IS 'Tasks, those of the task list and archived ones';
COMMENT ON COLUMN tasks.pid IS 'project id';
COMMENT ON COLUMN tasks.tid IS 'task id';
COMMENT ON COLUMN tasks.entry_id IS 'task group id; null when in none';
COMMENT ON COLUMN tasks.name IS 'task name';
COMMENT ON COLUMN tasks.description IS 'task description';
COMMENT ON COLUMN tasks.position IS 'position; null when archived, as the service does not send it then';
COMMENT ON COLUMN tasks.completed IS 'whether the task is completed';
COMMENT ON COLUMN tasks.completed_at IS 'completion time; null when archived, as the service does not send it then, and when there is none';
COMMENT ON COLUMN tasks.due_at IS 'due date; null when there is none';
COMMENT ON COLUMN tasks.created_at IS 'creation time';
COMMENT ON COLUMN tasks.updated_at IS 'update time';
COMMENT ON COLUMN tasks.archived IS 'whether it was read from the list of archived tasks';
COMMENT ON COLUMN tasks.comment_count IS 'number of comments';
COMMENT ON COLUMN tasks.todo_count IS 'number of checklist items';
COMMENT ON COLUMN tasks.todo_checked_count IS 'number of completed checklist items';
COMMENT ON COLUMN tasks.file_count IS 'number of attachments';
COMMENT ON COLUMN tasks.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN tasks.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN tasks.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE task_labels (
  pid text COLLATE "C" NOT NULL,
  tid text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  description text,
  extra jsonb,
  valid_from timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (pid, tid, name)
);
COMMENT ON TABLE task_labels IS 'Labels of tasks';
COMMENT ON COLUMN task_labels.pid IS 'project id';
COMMENT ON COLUMN task_labels.tid IS 'task id';
COMMENT ON COLUMN task_labels.name IS 'label name (a colour word)';
COMMENT ON COLUMN task_labels.description IS 'label description';
COMMENT ON COLUMN task_labels.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN task_labels.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN task_labels.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE task_todos (
  pid text COLLATE "C" NOT NULL,
  tid text COLLATE "C" NOT NULL,
  todo_id text COLLATE "C" NOT NULL,
  name text,
  checked boolean,
  position double precision,
  extra jsonb,
  valid_from timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (pid, tid, todo_id)
);
COMMENT ON TABLE task_todos IS 'Checklist items of tasks';
COMMENT ON COLUMN task_todos.pid IS 'project id';
COMMENT ON COLUMN task_todos.tid IS 'task id';
COMMENT ON COLUMN task_todos.todo_id IS 'checklist item id';
COMMENT ON COLUMN task_todos.name IS 'checklist item name';
COMMENT ON COLUMN task_todos.checked IS 'whether it is done';
COMMENT ON COLUMN task_todos.position IS 'position';
COMMENT ON COLUMN task_todos.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN task_todos.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN task_todos.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE task_members (
  pid text COLLATE "C" NOT NULL,
  tid text COLLATE "C" NOT NULL,
  uid text COLLATE "C" NOT NULL,
  extra jsonb,
  valid_from timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (pid, tid, uid)
);
COMMENT ON TABLE task_members IS 'Members assigned to tasks';
COMMENT ON COLUMN task_members.pid IS 'project id';
COMMENT ON COLUMN task_members.tid IS 'task id';
COMMENT ON COLUMN task_members.uid IS 'user id';
COMMENT ON COLUMN task_members.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN task_members.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN task_members.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE task_watchers (
  pid text COLLATE "C" NOT NULL,
  tid text COLLATE "C" NOT NULL,
  uid text COLLATE "C" NOT NULL,
  extra jsonb,
  valid_from timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (pid, tid, uid)
);
COMMENT ON TABLE task_watchers IS 'Members watching tasks';
COMMENT ON COLUMN task_watchers.pid IS 'project id';
COMMENT ON COLUMN task_watchers.tid IS 'task id';
COMMENT ON COLUMN task_watchers.uid IS 'user id';
COMMENT ON COLUMN task_watchers.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN task_watchers.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN task_watchers.deleted_at IS 'start of the run that found it gone; null while it exists';
