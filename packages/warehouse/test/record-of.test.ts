import {
  BareTask,
  Comment,
  Entry,
  Event,
  File,
  isResource,
  Member,
  Page,
  Post,
  ProjectDetail,
  ProjectListItem,
  type Resource,
  Task,
  Team,
  Webhook,
} from '@collab-etl/contract'
import { parseJson } from '@collab-etl/contract/parse-json'
import type { RecordKind, RecordKinds } from '@collab-etl/contract/streams'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type RebuiltKind, type RelatedRows, recordOf } from '../src/records/record-of.ts'
import { rowObjects, rowsOf } from '../src/records/rows-of.ts'
import type { Row } from '../src/rows/rows.ts'
import { tableByName } from '../src/tables/index.ts'
import { task, user } from './support/records.ts'
import { batch } from './support/snapshot.ts'

type Json = Record<string, unknown>
type Schema = Parameters<typeof isResource>[0]

const text = fc.string({ unit: fc.constantFrom(...'aZ é漢😀"\\\n=', '\u2028') })
const idText = fc.string({ unit: fc.constantFrom(...'aB1_漢'), minLength: 1, maxLength: 4 })
const time = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
  .map((date) => date.toISOString())
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)

/** Unknown fields, whose values are any JSON. Names are unlike those of the contract, but for odd ones. */
const unknown = fc.dictionary(
  fc.oneof(
    idText.map((name) => `x_${name}`),
    fc.constantFrom('__proto__', 'constructor', 'extra', 'zzz'),
  ),
  fc.oneof(text, number, fc.boolean(), fc.constant(null), fc.array(text), fc.dictionary(text, number)),
  { maxKeys: 3 },
)

/** A value that the contract allows, in the form in which its tables keep it. */
function anyOf(schema: Schema, isKey: boolean): fc.Arbitrary<unknown> {
  if (isResource(schema)) return recordsOf(schema)
  if (isList(schema)) return listsOf(schema.items)
  if ('type' in schema && schema.type === 'boolean') return fc.boolean()
  switch ('meaning' in schema ? schema.meaning : undefined) {
    case 'id':
      return isKey ? idText : fc.oneof(idText, fc.constant(''))
    case 'text':
      return text
    case 'timestamp':
      return time
    case 'flag':
      return fc.constantFrom(0, 1)
    case 'enum':
      return fc.integer({ min: 0, max: 32767 })
    case 'count':
      return fc.integer({ min: -2147483648, max: 2147483647 })
    case 'position':
      return number
    case 'size':
      return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)
    default:
      return text
  }
}

function isList(schema: Schema): schema is Schema & { items: Schema } {
  return 'items' in schema
}

function listsOf(item: Schema): fc.Arbitrary<unknown[]> {
  const [key = ''] = isResource(item) ? item.key : []
  // the service gives no order, and tables that of their keys
  return fc
    .uniqueArray(anyOf(item, true), {
      maxLength: 3,
      selector: (element) => (isResource(item) ? (element as Json)[key] : element),
    })
    .map((elements) => (isResource(item) ? elements : elements.toSorted()))
}

function recordsOf(resource: Resource): fc.Arbitrary<Json> {
  const names = Object.keys(resource.properties)
  const fields = Object.entries(resource.properties).map(
    ([name, schema]) => [name, anyOf(schema, name === 'pid' || resource.key.includes(name))] as const,
  )
  const required = names.filter((name) => OPTIONAL.get(resource)?.includes(name) !== true)
  return fc
    .tuple(fc.record(Object.fromEntries(fields), { requiredKeys: required }), unknown)
    .map(([known, more]) => Object.fromEntries([...Object.entries(known), ...Object.entries(more)]))
}

/** What the service may leave out. */
const OPTIONAL: ReadonlyMap<Resource, readonly string[]> = new Map<Resource, string[]>([
  [Event, ['location', 'email', 'desc']],
  [Member, ['email', 'join_date']],
  [Entry, ['pid', 'watched', 'pos']],
  [Team, ['url', 'desc', 'pic', 'visibility', 'created_at', 'created_by', 'create_by']],
])

/** As core hands it on: what the contract does not name is in `extra`, at every level. */
function received(resource: Resource, sent: Json): Json {
  const entries = Object.entries(sent)
  const known = entries
    .filter(([name]) => Object.hasOwn(resource.properties, name))
    .map(([name, value]) => [name, receivedValue(resource.properties[name] ?? {}, value)])
  const extra = entries.filter(([name]) => !Object.hasOwn(resource.properties, name))
  return Object.fromEntries([...known, ...(extra.length > 0 ? [['extra', Object.fromEntries(extra)]] : [])])
}

function receivedValue(schema: Schema, value: unknown): unknown {
  if (isResource(schema)) return received(schema, value as Json)
  if (isList(schema)) return (value as unknown[]).map((item) => receivedValue(schema.items, item))
  return value
}

/** The rows of one record, as they come back from JSON, and what was lost. */
function rowsOfRecord<K extends RecordKind>(kind: K, record: RecordKinds[K]) {
  const { tables, losses } = rowsOf({ pid: 'p1', stream: 'tasks' }, batch(kind, [record]))
  const rows = new Map<string, Row[]>(
    tables.map((each) => [each.table.name, parseJson(JSON.stringify(rowObjects(each))) as Row[]]),
  )
  return { rows, losses }
}

function relatedIn(rows: ReadonlyMap<string, Row[]>, project: Row | null): RelatedRows {
  const find = (table: string, column: string, id: string) => rows.get(table)?.find((row) => row[column] === id)
  return {
    user: (uid) => find('users', 'uid', uid),
    entry: (entryId) => find('entries', 'entry_id', entryId),
    project,
    list: (table) => {
      const key = tableByName(table).key.at(-1) ?? ''
      return (rows.get(table) ?? []).toSorted((a, b) => (String(a[key]) < String(b[key]) ? -1 : 1))
    },
  }
}

const PROJECT: Row = { pid: 'p1', name: 'Project', pic: 'p.png', bg: 'blue' }
const REFERENCE = { pid: 'p1', name: 'Project', pic: 'p.png', bg: 'blue' }

/** What tables keep once for all records: the same user is the same everywhere, as is the project. */
function consistent(sent: Json): Json {
  const users = new Map<string, unknown>()
  const walk = (value: unknown, name: string): unknown => {
    if (Array.isArray(value))
      return inKeyOrder(
        value.map((item) => walk(item, name)),
        name,
      )
    if (typeof value !== 'object' || value === null) return value
    const object = value as Json
    if (typeof object['uid'] === 'string' && 'display_name' in object) {
      const known = users.get(object['uid']) ?? object
      users.set(object['uid'], known)
      return known
    }
    if (name === 'project') return { ...object, ...REFERENCE, ...(object['pid'] === 'B' && { pid: 'p9' }) }
    return object
  }
  return Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, walk(value, name)]))
}

function inKeyOrder(list: unknown[], name: string): unknown[] {
  const keys: Record<string, string> = { labels: 'name', todos: 'todo_id', files: 'fid' }
  const key = keys[name] ?? 'uid'
  if (!list.every((item) => typeof item === 'object' && item !== null)) return list
  const ofKey = (item: unknown) => String((item as Json)[key])
  const byKey = list.toSorted((a, b) => (ofKey(a) < ofKey(b) ? -1 : 1))
  const position = (item: unknown) => Number((item as Json)['pos'])
  return name === 'todos' ? byKey.toSorted((a, b) => position(a) - position(b)) : byKey
}

function commentFields(sent: Json): Json {
  const files = sent['files'] as Json[]
  const fids = new Set([...(sent['fids'] as string[]), ...files.map((file) => String(file['fid']))])
  return { ...sent, fids: [...fids].sort() }
}

/** A group is of the project that it was read from, unless it names another. */
function entryFields(sent: Json): Json {
  const { pid = 'p1' } = sent
  return { ...sent, pid }
}

/** The creator of a team has one of two names; the rows keep one. */
function teamFields({ create_by: _, ...sent }: Json): Json {
  return sent
}

const KINDS: readonly [
  kind: RebuiltKind,
  resource: Resource,
  wrap: (record: Json) => Json,
  table: string,
  adapt?: (sent: Json) => Json,
][] = [
  ['task', Task, (record) => record, 'tasks'],
  ['archived_task', BareTask, (record) => record, 'tasks'],
  ['page', Page, (record) => record, 'pages'],
  ['post', Post, (record) => record, 'posts'],
  ['comment', Comment, (comment) => ({ post_id: 's1', comment }), 'post_comments', commentFields],
  ['event', Event, (record) => record, 'events'],
  ['file', File, (record) => record, 'files'],
  ['webhook', Webhook, (record) => record, 'webhooks'],
  ['member', Member, (record) => record, 'project_members'],
  ['entry', Entry, (record) => record, 'entries', entryFields],
  ['team', Team, (record) => record, 'teams', teamFields],
]

describe('recordOf is the inverse of rowsOf', () => {
  test.each(KINDS)(
    '%s: any record that the contract allows, with unknown fields at all levels',
    (kind, resource, wrap, table, adapt = (sent) => sent) => {
      fc.assert(
        fc.property(recordsOf(resource), (arbitrary) => {
          const sent = adapt(consistent(arbitrary))
          const recordKind = kind === 'comment' ? 'post_comment' : kind
          // what `received` gives has the form of the kind's records
          const record = wrap(received(resource, sent)) as unknown as RecordKinds[typeof recordKind]
          const { rows, losses } = rowsOfRecord(recordKind, record)
          expect(losses).toEqual([])
          const [row] = rows.get(table) ?? []
          const rebuilt = row && recordOf(kind, row, relatedIn(rows, PROJECT))
          expect(rebuilt).toEqual(sent)
          const known = Object.keys(rebuilt ?? {}).filter((name) => Object.hasOwn(resource.properties, name))
          expect(known).toEqual(Object.keys(resource.properties).filter((name) => Object.hasOwn(sent, name)))
        }),
      )
    },
  )

  test('project: the detail, then what the list alone says', () => {
    const shared = ['pid', 'name', 'desc', 'archived', 'pic', 'bg', 'visibility', 'team_id']
    fc.assert(
      fc.property(recordsOf(ProjectDetail), recordsOf(ProjectListItem), (arbitrary, listed) => {
        const sent = { ...consistent(arbitrary), pid: 'p1' } as Json
        const listOnly = Object.fromEntries(
          Object.entries(listed).filter(
            ([name]) => !shared.includes(name) && Object.hasOwn(ProjectListItem.properties, name),
          ),
        )
        const inList = { ...Object.fromEntries(shared.map((name) => [name, sent[name]])), ...listOnly }
        const record = { pid: 'p1', detail: received(ProjectDetail, sent), listed: received(ProjectListItem, inList) }
        const { rows, losses } = rowsOfRecord('project', record as unknown as RecordKinds['project'])
        expect(losses).toEqual([])
        const [row] = rows.get('projects') ?? []
        expect(row && recordOf('project', row, relatedIn(rows, row))).toEqual({ ...sent, ...listOnly })
      }),
    )
  })
})

test('a user or a project whose row is not there is named by its id', () => {
  const { rows } = rowsOfRecord('task', task('t1', { members: [user('u1')] }))
  const [row] = rows.get('tasks') ?? []
  const list = relatedIn(rows, null).list
  const rebuilt = row && recordOf('task', row, { user: () => undefined, entry: () => undefined, project: null, list })
  expect(rebuilt).toMatchObject({
    members: [{ uid: 'u1', name: null }],
    project: { pid: 'p1', name: null },
    entry_name: null,
  })
})
