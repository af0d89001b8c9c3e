/** A change that somebody makes to the rows of a warehouse, without its knowledge: no `valid_from` changes. */
export interface RowChange {
  readonly kind: keyof typeof CHANGES
  /** Which rows, and which values. */
  readonly a: number
  readonly b: number
}

/** The `n`-th live row of a table. */
function at(table: string, n: number): string {
  return `t.ctid = (SELECT ctid FROM collab.${table} WHERE deleted_at IS NULL ORDER BY ctid OFFSET ${n} % greatest(1, (SELECT count(*)::int FROM collab.${table} WHERE deleted_at IS NULL)) LIMIT 1)`
}

function someOf(table: string, column: string, n: number): string {
  return `(SELECT ${column} FROM collab.${table} ORDER BY 1 OFFSET ${n} % (SELECT count(*)::int FROM collab.${table}) LIMIT 1)`
}

/** A text that links to pages, posts and projects of its own project and of others, and to some that do not exist. */
function linking(a: number, b: number): string {
  const page = someOf('pages', `'[p](/projects/' || pid || '/pages/' || page_id || '#top)'`, a)
  const post = someOf('posts', `'<https://elsewhere.example/project/' || pid || '/posts/' || post_id || '>'`, b)
  const file = someOf('files', `'[f](/projects/' || pid || '/files/' || fid || ')'`, a)
  const project = someOf('projects', `'[w](/projects/' || pid || ')'`, a)
  return `concat_ws(E'\\n\\n', 'text ${a}', ${page}, ${post}, ${file}, ${project}, '[gone](/pages/gone${b % 3}) [own](/pages/' || (SELECT max(page_id) FROM collab.pages) || ')')`
}

const TITLES = ['Notes', 'notes', '产品', '=1+1', 'A/B', '']

function title(n: number): string {
  return `'${TITLES[n % TITLES.length]}'`
}

const update = (table: string, set: (a: number, b: number) => string) => (a: number, b: number) =>
  `UPDATE collab.${table} t SET ${set(a, b)} WHERE ${at(table, a)}`

const remove = (table: string) => update(table, () => 'deleted_at = now()')

/** A record that the service shows in another project, with all that belongs to it. */
const moved = (table: string, key: string, children: readonly string[]) => (a: number, b: number) => {
  const to = someOf('projects', 'pid', b)
  const updates = children
    .map((child) => `UPDATE collab.${child} SET pid = target WHERE pid = source AND ${key} = id;`)
    .join(' ')
  return `DO $$ DECLARE target text := ${to}; source text; id text; BEGIN
    SELECT pid, ${key} INTO source, id FROM collab.${table} t WHERE ${at(table, a)};
    UPDATE collab.${table} SET pid = target WHERE pid = source AND ${key} = id; ${updates}
  EXCEPTION WHEN unique_violation THEN NULL; END $$`
}

const copyOf = (table: string, key: string, columns: string) => (a: number, b: number) =>
  `INSERT INTO collab.${table} (${columns}, ${key}, valid_from) SELECT ${columns}, 'copy${a % 9}${b % 9}', now() FROM collab.${table} t WHERE ${at(table, a)} ON CONFLICT DO NOTHING`

export const CHANGES = {
  renamePage: update('pages', (_a, b) => `name = ${title(b)}`),
  movePage: update(
    'pages',
    (_a, b) =>
      `parent_id = (SELECT page_id FROM collab.pages p WHERE p.pid = t.pid ORDER BY 1 OFFSET ${b % 7} LIMIT 1)`,
  ),
  orphanPage: update('pages', (_a, b) => `parent_id = ${b % 2 === 0 ? 'NULL' : `'lost'`}`),
  linkFromPage: update('pages', (a, b) => `content = ${linking(a, b)}`),
  emptyPage: update('pages', () => 'content = NULL'),
  formulaInPage: update('pages', (_a, b) => `content = '=${b}', extra = '{"n": ${b}}'`),
  ownPage: update('pages', (_a, b) => `owner_uid = ${someOf('users', 'uid', b)}`),
  deletePage: remove('pages'),
  restorePages: () => 'UPDATE collab.pages SET deleted_at = NULL',
  addPage: copyOf('pages', 'page_id', 'pid, parent_id, name, summary, content, created_at, owner_uid'),
  unwatchPage: remove('page_watchers'),
  renamePost: update('posts', (_a, b) => `name = ${title(b)}`),
  linkFromPost: update('posts', (a, b) => `content = ${linking(b, a)}`),
  deletePost: remove('posts'),
  addPost: copyOf('posts', 'post_id', 'pid, name, summary, content, created_at, updated_at, owner_uid'),
  comment: update(
    'post_comments',
    (a, b) => `raw_message = ${linking(b, b)}, owner_uid = ${someOf('users', 'uid', a)}`,
  ),
  deleteComment: remove('post_comments'),
  addComment: copyOf('post_comments', 'cid', 'pid, post_id, message, raw_message, owner_uid, created_at'),
  renameFile: update('comment_files', (_a, b) => `name = 'f${b}'`),
  renameUser: update('users', (_a, b) => `name = 'Renamed ${b}'`),
  describeUser: update('users', (_a, b) => `description = 'd${b}'`),
  renameProject: update('projects', (_a, b) => `name = ${title(b)}`),
  linkFromProject: update('projects', (a, b) => `description = ${linking(b, a)}`),
  archiveProject: update('projects', (_a, b) => `archived = ${b % 2 === 0}`),
  deleteProject: remove('projects'),
  deleteWholeProject: (a: number) =>
    [
      'page_watchers',
      'pages',
      'posts',
      'post_watchers',
      'post_comments',
      'projects',
      'tasks',
      'events',
      'files',
      'webhooks',
    ]
      .map((table) => `UPDATE collab.${table} SET deleted_at = now() WHERE pid = ${someOf('projects', 'pid', a)}`)
      .join(';'),
  restoreProjects: () => 'UPDATE collab.projects SET deleted_at = NULL',
  label: update('project_labels', (_a, b) => `description = 'l${b}'`),
  renameTask: update('tasks', (_a, b) => `name = 't${b}'`),
  formulaInTask: update('tasks', (_a, b) => `description = '=${b}', extra = '{"n": ${b}}'`),
  linkFromTask: update('tasks', (a, b) => `description = ${linking(a, b)}`),
  archiveTask: update('tasks', (_a, b) => `archived = ${b % 2 === 0}, updated_at = '202${b % 9}-01-01'`),
  groupTask: update('tasks', (_a, b) => `entry_id = ${b % 3 === 0 ? 'NULL' : someOf('entries', 'entry_id', b)}`),
  moveTask: update('tasks', (_a, b) => `pid = ${someOf('projects', 'pid', b)}`),
  deleteTask: remove('tasks'),
  restoreTasks: () => 'UPDATE collab.tasks SET deleted_at = NULL',
  addTask: copyOf('tasks', 'tid', 'pid, entry_id, name, description, position, completed, archived'),
  renameEntry: update('entries', (_a, b) => `name = ${title(b)}`),
  checkTodo: update('task_todos', (_a, b) => `checked = ${b % 2 === 0}`),
  deleteTodo: remove('task_todos'),
  labelTask: copyOf('task_labels', 'name', 'pid, tid, description'),
  assignTask: copyOf('task_members', 'uid', 'pid, tid'),
  unwatchTask: remove('task_watchers'),
  renameEvent: update('events', (_a, b) => `name = ${title(b)}`),
  linkFromEvent: update('events', (a, b) => `summary = ${linking(b, a)}`),
  deleteEvent: remove('events'),
  invite: copyOf('event_attendees', 'uid', 'pid, event_id, starts_at'),
  renameStoredFile: update('files', (_a, b) => `name = ${title(b)}, size_bytes = ${b}`),
  linkFromFile: update('files', (a, b) => `description = ${linking(b, a)}`),
  moveFile: update(
    'files',
    (a, b) => `type = ${a % 2}, folder_id = ${b % 3 === 0 ? 'NULL' : someOf('files', 'fid', b)}`,
  ),
  attachFile: (a: number, b: number) =>
    `INSERT INTO collab.comment_files (pid, parent_kind, parent_id, cid, fid, name, valid_from) SELECT pid, 'post', post_id, cid, ${someOf('files', 'fid', b)}, 'f', now() FROM collab.post_comments t WHERE ${at('post_comments', a)} ON CONFLICT DO NOTHING`,
  detachFile: remove('comment_files'),
  deleteFile: remove('files'),
  addFile: copyOf('files', 'fid', 'pid, name, size_bytes, type'),
  rewritePage: update('pages', () => 'name = name'),
  takePageAway: moved('pages', 'page_id', ['page_watchers']),
  takePostAway: moved('posts', 'post_id', ['post_watchers', 'post_comments']),
  takeEventAway: moved('events', 'event_id', ['event_attendees']),
  takeFileAway: moved('files', 'fid', ['file_watchers', 'file_comments']),
  takeTaskAway: moved('tasks', 'tid', ['task_todos', 'task_members', 'task_labels', 'task_watchers']),
  postponeEvent: update('events', (_a, b) => `starts_at = starts_at + interval '${b} days', recurrence = ${b % 4}`),
  formatComment: update('post_comments', (a, b) => `raw_message = ${linking(a, b)}, format = ${b % 3}`),
  commentOnFile: copyOf('file_comments', 'cid', 'pid, fid, message, raw_message, owner_uid, created_at'),
  uncommentFile: remove('file_comments'),
  summarizePage: update('pages', (a, b) => `summary = ${linking(a, b)}, content = NULL`),
  namesakeUser: update('users', (_a, b) => `name = ${someOf('users', 'name', b)}`),
  unnameUser: update('users', () => 'name = NULL, display_name = NULL'),
  completeTask: update(
    'tasks',
    (_a, b) => `completed = ${b % 2 === 0}, completed_at = '201${b % 9}-12-31 23:30+00', due_at = '202${b % 9}-01-01'`,
  ),
  reorderTask: update('tasks', (_a, b) => `position = ${b % 5}`),
  reorderTodo: update('task_todos', (_a, b) => `position = ${b % 5}, name = ${title(b)}`),
  retimePage: update('pages', (_a, b) => `created_at = '202${b % 9}-01-01', updated_at = NULL`),
  retimePost: update('posts', (_a, b) => `created_at = '202${b % 9}-01-01', updated_at = NULL`),
  lose: (a: number, b: number) =>
    `INSERT INTO collab.losses (run_id, seq, pid, stream, record_key, field, kind, original) SELECT (SELECT max(run_id) FROM collab.runs), ${a}, pid, 'pages', pid || '/' || page_id, 'name', 'lone_surrogate', 'x${b}' FROM collab.pages t WHERE ${at('pages', a)} ON CONFLICT DO NOTHING`,
  find: () => 'DELETE FROM collab.losses',
  failScope: (a: number, b: number) =>
    `UPDATE collab.run_scopes SET status = '${b % 2 === 0 ? 'partial' : 'complete'}' WHERE stream = '${['pages', 'posts', 'tasks', 'files', 'events'][a % 5]}'`,
  readAgain: () =>
    `INSERT INTO collab.runs SELECT (jsonb_populate_record(r, jsonb_build_object('run_id', r.run_id || 'x', 'started_at', r.started_at + interval '1 hour', 'finished_at', r.finished_at + interval '1 hour'))).* FROM collab.runs r ORDER BY run_id DESC LIMIT 1;
     INSERT INTO collab.run_scopes SELECT (jsonb_populate_record(s, jsonb_build_object('run_id', s.run_id || 'x'))).* FROM collab.run_scopes s WHERE run_id || 'x' = (SELECT max(run_id) FROM collab.runs)`,
} satisfies Record<string, (a: number, b: number) => string>

/** The statement of a change. */
export function statementOf({ kind, a, b }: RowChange): string {
  return CHANGES[kind](a, b)
}
