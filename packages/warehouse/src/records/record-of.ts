import {
  Badges,
  BareTask,
  Comment,
  CommentFile,
  Entry,
  Event,
  File,
  Member,
  Page,
  Post,
  Profile,
  ProjectDetail,
  ProjectListItem,
  type Resource,
  Task,
  Team,
  User,
  Webhook,
} from '@collab-etl/contract'
import { isExactNumber } from '@collab-etl/contract/exact-json'
import type { Row } from '@collab-etl/contract/source'
import { EPOCH } from '@collab-etl/contract/timestamp'
import { TABLES, tableByName } from '../tables/index.ts'
import type { Extra, TableName } from '../tables/table.ts'

/** The rows of other tables that a record is rebuilt from. */
export interface RelatedRows {
  user(uid: string): Row | undefined
  /** The row of a task group of the record's project. */
  entry(entryId: string): Row | undefined
  /** The row of the record's project; `null` where there is none. */
  readonly project: Row | null
  /** The record's rows in a table of lists, in the order of its key. */
  list(table: TableName): readonly Row[]
}

export type RebuiltKind =
  | 'project'
  | 'member'
  | 'entry'
  | 'team'
  | 'task'
  | 'archived_task'
  | 'page'
  | 'post'
  | 'comment'
  | 'event'
  | 'file'
  | 'webhook'
  | 'user'

/** The value that the service sent in a field; `undefined` where it left the field out. */
type Field = (row: Row, related: RelatedRows, extra: Extra) => unknown

type Fields = Pick<Resource, 'properties'>

/** How the fields of one kind of object are rebuilt, in their order. */
type Form = ReadonlyMap<string, Field>

const NONE: Extra = {}

/**
 * The form of an object whose fields are columns of `table`, and lists in its child tables.
 * @param resources what the contract says of the object, or of its parts: its fields, in their order; default: the columns
 * @param others the fields that are neither column nor list
 */
function formOf(
  table: TableName,
  resources: readonly Fields[] = [],
  others: Readonly<Record<string, Field>> = {},
  prefix = '',
): Form {
  const columns = new Map<string, Field>()
  for (const { name, from, write = (cell: unknown) => cell ?? null } of tableByName(table).columns) {
    if (from?.startsWith(prefix) !== true) continue
    columns.set(from.slice(prefix.length), (row, related, extra) =>
      write(row[name], { extra, user: (uid) => userOf(uid, related) }),
    )
  }
  const lists = TABLES.flatMap(({ name, parent, list }): [string, Field][] => {
    if (list === undefined || parent?.tables.includes(table) !== true) return []
    return [[list.field, list.ofUsers === true ? users(name) : elements(name, list.orderBy)]]
  })
  const fields = new Map([...columns, ...lists, ...Object.entries(others)])
  const names =
    resources.length === 0 ? fields.keys() : new Set(resources.flatMap(({ properties }) => Object.keys(properties)))
  return new Map(
    [...names].map((name) => {
      const field = fields.get(name)
      if (field === undefined) throw new TypeError(`no column of ${table} holds the field ${name}`)
      return [name, field]
    }),
  )
}

const users =
  (table: TableName): Field =>
  (_row, related) =>
    related.list(table).map((row) => userOf(String(row['uid']), related))

function elements(table: TableName, orderBy?: string): Field {
  const form = formOf(table)
  return (_row, related) => {
    const rows = related.list(table)
    const inOrder = orderBy === undefined ? rows : rows.toSorted((a, b) => Number(a[orderBy]) - Number(b[orderBy]))
    return inOrder.map((row) => build(form, row, related))
  }
}

/** A user as records embed one: the e-mail address is in the record of a member. */
const userForm = formOf('users', [User])

const commentFileForm = formOf('comment_files', [CommentFile])

const badgesForm = formOf(
  'tasks',
  [Badges],
  { expire_date: (row, _related, extra) => extra['expire_date'] ?? row['due_at'] ?? EPOCH },
  'badges.',
)

/** What a record shows of a project: the project's own value, unless `extra` has another. */
const shown =
  (column: string): Field =>
  (row, _related, extra) =>
    extra[column] ?? row[column] ?? null

const referenceForm: Form = new Map<string, Field>([
  ['pid', (row, _related, extra) => extra['pid'] ?? row['pid'] ?? ''],
  ['name', shown('name')],
  ['pic', shown('pic')],
  ['bg', shown('bg')],
])

/** Unknown fields of an embedded object are in `extra`, under the object's name. */
const embedded: Readonly<Record<'badges' | 'project', Field>> = {
  badges: (row, related, extra) => build(badgesForm, row, related, objectOf(extra['badges'])),
  project: (row, related, extra) =>
    build(referenceForm, related.project ?? { pid: row['pid'] }, related, objectOf(extra['project'])),
}

const ofTask: Readonly<Record<string, Field>> = {
  ...embedded,
  entry_name: (row, related, extra) => {
    const entryId = row['entry_id']
    if (extra['entry_name'] !== undefined) return extra['entry_name']
    return typeof entryId === 'string' ? (related.entry(entryId)?.['name'] ?? null) : ''
  },
}

const ofComment: Readonly<Record<string, Field>> = {
  fids: (_row, related) => related.list('comment_files').map((file) => file['fid']),
  files: (_row, related) =>
    related
      .list('comment_files')
      .filter(isDescribed)
      .map((file) => build(commentFileForm, file, related)),
}

/** A column whose field optional operations need not send. */
const sent =
  (column: string): Field =>
  (row) =>
    row[column] ?? undefined

const ofMember: Readonly<Record<string, Field>> = {
  ...Object.fromEntries(
    Object.keys(User.properties).map((name): [string, Field] => [
      name,
      (row, related) => userOf(String(row['uid']), related)[name],
    ]),
  ),
  email: sent('email'),
  join_date: sent('joined_at'),
}

const ofEntry: Readonly<Record<string, Field>> = {
  pid: shown('pid'),
  entry_id: (row) => row['entry_id'],
  pos: sent('position'),
  // it is of the token's user alone
  watched: (_row, _related, extra) => extra['watched'],
}

const ofTeam: Readonly<Record<string, Field>> = {
  url: sent('url'),
  pic: sent('pic'),
  desc: sent('description'),
  visibility: sent('visibility'),
  created_at: sent('created_at'),
  created_by: (row, related) => {
    const uid = row['created_by_uid']
    return typeof uid === 'string' ? userOf(uid, related) : undefined
  },
  create_by: () => undefined,
}

const FROM_OTHER_LIST = { completed_date: Task.properties.completed_date, pos: Task.properties.pos }

const FORMS: Readonly<Record<RebuiltKind, Form>> = {
  // the detail, then the fields of the list alone; where both have a value, `listed` in `extra` has the list's
  project: formOf('projects', [ProjectDetail, ProjectListItem]),
  member: formOf('project_members', [Member], ofMember),
  entry: formOf('entries', [Entry], ofEntry),
  team: formOf('teams', [Team], ofTeam),
  task: formOf('tasks', [BareTask, Task], ofTask),
  // the archived list has no completion time and no position: stored ones were read from the other list
  archived_task: formOf('tasks', [BareTask, { properties: FROM_OTHER_LIST }], {
    ...ofTask,
    completed_date: sent('completed_at'),
    pos: sent('position'),
  }),
  page: formOf('pages', [Page]),
  post: formOf('posts', [Post]),
  comment: formOf('post_comments', [Comment], ofComment),
  event: formOf('events', [Event], embedded),
  file: formOf('files', [File]),
  webhook: formOf('webhooks', [Webhook]),
  user: formOf('users', [Profile], { email: sent('email') }),
}

/**
 * The record that became the row and those related to it, as the service sent it: the inverse of `rowsOf`. Its fields
 * are in the order of the contract, then those beyond it, sorted by name. Rows do not keep the order of lists
 * (they have that of their keys, checklists that of their positions), other notations of the same time or kind of file,
 * or different values of a user or task group in other records.
 */
export function recordOf(kind: RebuiltKind, row: Row, related: RelatedRows): Record<string, unknown> {
  return build(FORMS[kind], row, related)
}

function build(
  form: Form,
  row: Row,
  related: RelatedRows,
  extra: Extra = objectOf(row['extra']),
): Record<string, unknown> {
  const fields: [string, unknown][] = []
  for (const [name, field] of form) {
    const value = field(row, related, extra)
    if (value !== undefined) fields.push([name, value])
  }
  const unknown = Object.keys(extra).filter((name) => !form.has(name))
  for (const name of unknown.sort()) fields.push([name, inOrder(extra[name])])
  // not by assignment: a field named __proto__ would vanish
  return Object.fromEntries(fields)
}

function userOf(uid: string, related: RelatedRows): Record<string, unknown> {
  return build(userForm, related.user(uid) ?? { uid }, related)
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
