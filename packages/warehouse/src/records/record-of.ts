import type {
  Badges,
  BareTask,
  Comment,
  CommentFile,
  Event,
  File,
  Label,
  Page,
  Post,
  ProjectDetail,
  ProjectListItem,
  ProjectReference,
  Resource,
  Task,
  Todo,
  User,
  Webhook,
} from '@collab-etl/contract'
import { isExactNumber } from '@collab-etl/contract/exact-json'
import { EPOCH } from '@collab-etl/contract/timestamp'
import type { Row } from '../api.ts'
import type { TableName } from '../convert/table.ts'

/** Rows of other tables that a record is made of. */
export interface RelatedRows {
  /** The row of a user. */
  user(uid: string): Row | undefined
  /** The row of a task group of the record's project. */
  entry(entryId: string): Row | undefined
  /** The row of the record's project; `null` where there is none. */
  readonly project: Row | null
  /** Those of the record's own rows that stand in a table of lists, in the order of its key. */
  list(table: TableName): readonly Row[]
}

/** What can be made of rows again. */
export type RebuiltKind =
  | 'project'
  | 'task'
  | 'archived_task'
  | 'page'
  | 'post'
  | 'comment'
  | 'event'
  | 'file'
  | 'webhook'

type Extra = Row

/** The value that the service sent in a field; `undefined` where it left the field out. */
type Field = (row: Row, related: RelatedRows, extra: Extra) => unknown

/** A field for each of a resource's, in the order of the contract. */
type Shape<R extends Resource> = { readonly [N in keyof R['properties']]: Field }

const NONE: Extra = {}

const value =
  (column: string): Field =>
  (row) =>
    row[column] ?? null

/** A field that the service may leave out. */
const optional =
  (column: string): Field =>
  (row) =>
    row[column] ?? undefined

/** NULL is how the empty text is stored, where it says that there is none. */
const id =
  (column: string): Field =>
  (row) =>
    row[column] ?? ''

/** A text that is no number of bytes is in `extra`. */
const size =
  (column: string): Field =>
  (row, _related, extra) =>
    String(row[column] ?? extra['size'] ?? '')

const asFlag = (found: unknown) => (typeof found === 'boolean' ? Number(found) : null)

const flag =
  (column: string): Field =>
  (row) =>
    asFlag(row[column])

const optionalFlag =
  (column: string): Field =>
  (row) =>
    asFlag(row[column]) ?? undefined

/** NULL is how the epoch is stored, where it says that there is no such time. */
const optionalTime =
  (column: string): Field =>
  (row) =>
    row[column] ?? EPOCH

/** What a record shows of a project: the project's own value, but where `extra` says otherwise. */
const shown =
  (column: string): Field =>
  (row, _related, extra) =>
    extra[column] ?? row[column] ?? null

/** The project that the record names: the one that it was read from, but where `extra` says otherwise. */
const pid: Field = (row, _related, extra) => extra['pid'] ?? row['pid'] ?? ''

const user =
  (column: string): Field =>
  (row, related) => {
    const uid = row[column]
    return typeof uid === 'string' ? userOf(uid, related) : null
  }

const users =
  (table: TableName): Field =>
  (_row, related) =>
    related.list(table).map((row) => userOf(String(row['uid']), related))

const list =
  (table: TableName, shape: Shape<Resource>): Field =>
  (_row, related) =>
    related.list(table).map((row) => build(shape, row, related))

const userShape: Shape<typeof User> = {
  uid: value('uid'),
  name: value('name'),
  display_name: value('display_name'),
  avatar: value('avatar'),
  desc: value('description'),
  status: value('status'),
  online: value('online'),
}

const labelShape: Shape<typeof Label> = { name: value('name'), desc: value('description') }

const todoShape: Shape<typeof Todo> = {
  todo_id: value('todo_id'),
  name: value('name'),
  checked: flag('checked'),
  pos: value('position'),
}

const commentFileShape: Shape<typeof CommentFile> = {
  fid: value('fid'),
  name: value('name'),
  desc: value('description'),
  pid,
  size: size('size_bytes'),
  path: value('path'),
  folder_id: id('folder_id'),
}

const referenceShape: Shape<typeof ProjectReference> = {
  pid,
  name: shown('name'),
  pic: shown('pic'),
  bg: shown('bg'),
}

const badgesShape: Shape<typeof Badges> = {
  expire_date: (row, _related, extra) => extra['expire_date'] ?? row['due_at'] ?? EPOCH,
  comment_count: value('comment_count'),
  todo_checked_count: value('todo_checked_count'),
  todo_count: value('todo_count'),
  file_count: value('file_count'),
}

/** What of an embedded object has no column stands in `extra`, under the object's name. */
const badges: Field = (row, related, extra) => build(badgesShape, row, related, objectOf(extra['badges']))

const project: Field = (row, related, extra) =>
  build(referenceShape, related.project ?? { pid: row['pid'] }, related, objectOf(extra['project']))

const archivedTaskShape: Shape<typeof BareTask> = {
  name: value('name'),
  pid,
  tid: value('tid'),
  entry_id: id('entry_id'),
  entry_name: (row, related, extra) => {
    const entryId = row['entry_id']
    if (extra['entry_name'] !== undefined) return extra['entry_name']
    return typeof entryId === 'string' ? (related.entry(entryId)?.['name'] ?? null) : ''
  },
  created_at: value('created_at'),
  updated_at: value('updated_at'),
  labels: list('task_labels', labelShape),
  todos: (_row, related) =>
    related
      .list('task_todos')
      .toSorted((a, b) => Number(a['position']) - Number(b['position']))
      .map((row) => build(todoShape, row, related)),
  badges,
  watchers: users('task_watchers'),
  members: users('task_members'),
  completed: flag('completed'),
  expire_date: optionalTime('due_at'),
  desc: value('description'),
  project,
}

const taskShape: Shape<typeof Task> = {
  ...archivedTaskShape,
  pos: value('position'),
  completed_date: optionalTime('completed_at'),
}

const pageShape: Shape<typeof Page> = {
  page_id: value('page_id'),
  parent_id: id('parent_id'),
  pid,
  name: value('name'),
  summary: value('summary'),
  created_at: value('created_at'),
  updated_at: value('updated_at'),
  owner: user('owner_uid'),
  watchers: users('page_watchers'),
  content: value('content'),
}

const postShape: Shape<typeof Post> = {
  post_id: value('post_id'),
  pid,
  name: value('name'),
  summary: value('summary'),
  created_at: value('created_at'),
  updated_at: value('updated_at'),
  owner: user('owner_uid'),
  content: value('content'),
  watchers: users('post_watchers'),
}

const commentShape: Shape<typeof Comment> = {
  cid: value('cid'),
  message: value('message'),
  type: value('type'),
  format: value('format'),
  fids: (_row, related) => related.list('comment_files').map((file) => file['fid']),
  owner: user('owner_uid'),
  files: (_row, related) =>
    related
      .list('comment_files')
      .filter(isDescribed)
      .map((file) => build(commentFileShape, file, related)),
  created_at: value('created_at'),
  raw_message: value('raw_message'),
}

const eventShape: Shape<typeof Event> = {
  event_id: value('event_id'),
  name: value('name'),
  summary: value('summary'),
  location: optional('location'),
  email: optional('email'),
  desc: optional('description'),
  start: value('starts_at'),
  end: value('ends_at'),
  recurrence: value('recurrence'),
  attendees: users('event_attendees'),
  project,
}

const fileShape: Shape<typeof File> = {
  ...commentFileShape,
  type: value('type'),
  created_at: value('created_at'),
  updated_at: value('updated_at'),
  watchers: users('file_watchers'),
  owner: user('owner_uid'),
}

const webhookShape: Shape<typeof Webhook> = {
  wid: value('wid'),
  pid,
  uid: id('uid'),
  name: value('name'),
  web_hook_url: value('url'),
  created_at: value('created_at'),
  updated_at: value('updated_at'),
  actions: (row) => row['actions'] ?? [],
  is_every: flag('is_every'),
  type: value('type'),
}

/** The detail, then what the list alone says; where both say something else, `listed` has what the list says. */
const projectShape: Shape<typeof ProjectDetail> & Shape<typeof ProjectListItem> = {
  pid: value('pid'),
  name: value('name'),
  desc: value('description'),
  archived: flag('archived'),
  pic: value('pic'),
  bg: value('bg'),
  visibility: value('visibility'),
  team_id: id('team_id'),
  labels: list('project_labels', labelShape),
  created_by: user('created_by_uid'),
  is_star: optionalFlag('is_starred'),
  pos: optional('position'),
  member_count: optional('member_count'),
  curr_role: optional('curr_role'),
  permission: optional('permission'),
}

const SHAPES: { readonly [K in RebuiltKind]: Shape<Resource> } = {
  project: projectShape,
  task: taskShape,
  archived_task: archivedTaskShape,
  page: pageShape,
  post: postShape,
  comment: commentShape,
  event: eventShape,
  file: fileShape,
  webhook: webhookShape,
}

/**
 * The record that became the row and those related to it, as the service sent it: the inverse of `rowsOf`. Its fields
 * stand in the order of the contract, then those beyond it, sorted by name. What rows do not keep: the order of lists
 * (they have that of their keys, checklists that of their positions), other ways to write the same time or kind of file,
 * and that a user or task group looked otherwise in another record.
 */
export function recordOf(kind: RebuiltKind, row: Row, related: RelatedRows): Record<string, unknown> {
  return build(SHAPES[kind], row, related)
}

function build(
  shape: Shape<Resource>,
  row: Row,
  related: RelatedRows,
  extra: Extra = objectOf(row['extra']),
): Record<string, unknown> {
  const known = Object.entries(shape)
    .map(([name, field]) => [name, field(row, related, extra)] as const)
    .filter(([, found]) => found !== undefined)
  const unknown = Object.keys(extra)
    .filter((name) => !Object.hasOwn(shape, name))
    .sort()
    .map((name) => [name, inOrder(extra[name])] as const)
  // not by assignment: a field named __proto__ would vanish
  return Object.fromEntries([...known, ...unknown])
}

function userOf(uid: string, related: RelatedRows): Record<string, unknown> {
  return build(userShape, related.user(uid) ?? { uid }, related)
}

/** A file that is only named by its id has nothing else. */
function isDescribed(file: Row): boolean {
  return ['name', 'description', 'size_bytes', 'path', 'folder_id', 'extra'].some((column) => file[column] != null)
}

function objectOf(found: unknown): Extra {
  return isObject(found) ? found : NONE
}

function isObject(found: unknown): found is Row {
  return typeof found === 'object' && found !== null && !Array.isArray(found) && !isExactNumber(found)
}

/** The database keeps the keys of objects in an order of its own. */
function inOrder(found: unknown): unknown {
  if (Array.isArray(found)) return found.map(inOrder)
  if (!isObject(found)) return found
  return Object.fromEntries(
    Object.keys(found)
      .sort()
      .map((name) => [name, inOrder(found[name])]),
  )
}
