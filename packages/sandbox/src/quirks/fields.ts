import type { Operation, Resource } from '@collab-etl/contract'
import { EPOCH } from '@collab-etl/contract/timestamp'
import type { TSchema } from 'typebox'
import { SERVED_OPERATIONS } from '../operations/served.ts'
import { hash } from '../store/random.ts'
import type { Store } from '../store/store.ts'
import { isRecord, plain, type Quirk, QuirkError, type QuirkKinds, recordsOf, wholeNumber } from './quirk.ts'

const KILOBYTE = 1024
const FOREIGN_EVERY = 3
const WITHOUT_EMAIL_EVERY = 3

/** Fields that are missing, or have another form than documented. */
export const fields: QuirkKinds = {
  'leave-out': {
    value: { name: 'RESOURCE.FIELD[/N],…', optional: false },
    describe: 'records lack a field (page.content); with /N about one in N',
    make: leaveOut,
  },
  'null-lists': plain('an empty list is null', {
    change(_, success) {
      if (Array.isArray(success.result) && success.result.length === 0) success.result = null
    },
  }),
  'null-inner-lists': plain('an empty list inside a record is null', {
    change: (_, success) => recordsOf(success).forEach(nullInnerLists),
  }),
  'file-size-text': plain('sizes are texts such as "139.79KB"', {
    change: (_, success) => recordsOf(success).forEach(writeSizes),
  }),
  'task-files': plain('tasks have files and fids, as many as file_count says', {
    change({ operation, store }, success) {
      if (nameOf(shapeOf(operation)) !== 'task') return
      for (const task of recordsOf(success)) Object.assign(task, attachmentsOf(task, store))
    },
  }),
  'posts-without-content': plain('the list of posts has no contents', {
    change({ operation }, success) {
      if (operation.id === 'posts.list') for (const post of recordsOf(success)) delete post['content']
    },
  }),
  'members-without-email': plain('about every third member has no e-mail address', {
    change({ operation }, success) {
      const members = nameOf(shapeOf(operation)) === 'member' ? recordsOf(success) : []
      for (const member of members) if (isChosen(member, WITHOUT_EMAIL_EVERY)) delete member['email']
    },
  }),
  'foreign-pid': plain('about every third event names another project', {
    change({ operation, params, store }, success) {
      if (operation.id !== 'events.list') return
      const other = otherProject(store, params['pid'])
      for (const event of recordsOf(success)) {
        if (isChosen(event, FOREIGN_EVERY) && other) event['project'] = { ...other }
      }
    },
  }),
}

function leaveOut(value: string): Quirk {
  const rules = value.split(',').map((text) => {
    const [, resource = '', field = '', every = '1'] = /^(\w+)\.(\w+)(?:\/(\d+))?$/.exec(text) ?? []
    const known = RESOURCES.get(resource)
    if (!known?.has(field)) throw new QuirkError(`takes fields such as page.content, not "${text}"`)
    return { resource, field, every: wholeNumber(every) }
  })
  return {
    change({ operation }, success) {
      const resource = nameOf(shapeOf(operation))
      const records = recordsOf(success)
      for (const rule of rules.filter((candidate) => candidate.resource === resource)) {
        for (const record of records.filter((one) => isChosen(one, rule.every))) delete record[rule.field]
      }
    },
  }
}

/** Fields of each resource that an operation answers with, by the name that `leave-out` takes. */
const RESOURCES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [
    ...Map.groupBy(
      SERVED_OPERATIONS.map(({ success }) => (success.kind === 'array' ? success.item : success.schema)),
      nameOf,
    ),
  ].map(([name, resources]) => [name, new Set(resources.flatMap(({ properties }) => Object.keys(properties)))]),
)

function shapeOf({ success }: Operation): Resource<Record<string, TSchema>> {
  return success.kind === 'array' ? success.item : success.schema
}

const FILE = 0

/** Depends only on the task and the files of its project. */
function attachmentsOf({ pid, tid, badges }: Readonly<Record<string, unknown>>, store: Store) {
  const all = (store.find(String(pid))?.files ?? []).filter(({ file }) => file.type === FILE)
  const count = isRecord(badges) ? Number(badges['file_count']) : 0
  const first = hash(String(tid), 1) % Math.max(1, all.length)
  const files = [...all.slice(first), ...all.slice(0, first)].slice(0, count).map(({ file }) => {
    const { fid, name, desc, size, path, folder_id } = file
    return { fid, name, desc, pid, size, path, folder_id }
  })
  return { files, fids: files.map(({ fid }) => fid) }
}

/** `Task`, `BareTask` and `TodayTask` are tasks, `ProjectListItem` and `TeamProject` are projects. */
function nameOf({ title }: Pick<Resource<Record<string, TSchema>>, 'title'>): string {
  return (/(Task|Page|Post|Project|Comment|File|Event|Webhook|Success)/.exec(title)?.[1] ?? title).toLowerCase()
}

/** Depends only on the record, so that every answer selects the same records. */
function isChosen(record: Readonly<Record<string, unknown>>, every: number): boolean {
  const id = ['tid', 'page_id', 'post_id', 'event_id', 'fid', 'cid', 'wid', 'entry_id', 'uid', 'pid', 'team_id'].find(
    (name) => name in record,
  )
  return hash(String(record[id ?? '']), 1) % every === 0
}

function nullInnerLists(value: unknown): void {
  if (!isRecord(value)) return
  for (const [name, inner] of Object.entries(value)) {
    if (Array.isArray(inner) && inner.length === 0) value[name] = null
    for (const item of Array.isArray(inner) ? inner : [inner]) nullInnerLists(item)
  }
}

function writeSizes(value: unknown): void {
  if (!isRecord(value)) return
  for (const [name, inner] of Object.entries(value)) {
    if (name === 'size' && typeof inner === 'string' && inner !== '') {
      value[name] = `${(Number(inner) / KILOBYTE).toFixed(2)}KB`
    }
    for (const item of Array.isArray(inner) ? inner : [inner]) writeSizes(item)
  }
}

function otherProject(store: Store, pid: unknown) {
  return store.projects.find(({ reference }) => reference.pid !== pid)?.reference
}

const TIMES = new Set(['created_at', 'updated_at', 'completed_date', 'expire_date', 'start', 'end', 'join_date'])
const DUE = new Set(['completed_date', 'expire_date'])
const SECOND = 1000
const OFFSET_HOURS = 8
const HOUR = 3_600_000

/** Times in forms other than ISO 8601 in UTC. */
export const times: QuirkKinds = {
  'epoch-ms': plain('times are milliseconds since the epoch', writing(TIMES, Date.parse)),
  'epoch-s': plain(
    'times are whole seconds since the epoch',
    writing(TIMES, (time) => Math.floor(Date.parse(time) / SECOND)),
  ),
  'date-only': plain(
    'due and completion dates have no time of day',
    writing(DUE, (time) => time.slice(0, EPOCH.indexOf('T'))),
  ),
  'offset-times': plain('times have the offset +08:00', writing(TIMES, withOffset)),
}

/** Rewrites these fields at any depth of a record. */
function writing(fields: ReadonlySet<string>, write: (time: string) => unknown): Quirk {
  const rewrite = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(rewrite)
    if (!isRecord(value)) return
    for (const [name, inner] of Object.entries(value)) {
      if (fields.has(name) && typeof inner === 'string' && !Number.isNaN(Date.parse(inner))) value[name] = write(inner)
      else rewrite(inner)
    }
  }
  return { change: (_, success) => rewrite(success.result) }
}

function withOffset(time: string): string {
  return new Date(Date.parse(time) + OFFSET_HOURS * HOUR).toISOString().replace('Z', '+08:00')
}
