import { type Connection, type Driver, records } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import { storable, storedId } from '../records/text.ts'
import { readComments, readPage, readPost } from './documents.ts'
import { search } from './search.ts'
import { reading, shortName, sliced } from './session.ts'
import { readMembers, readTask, readTasks } from './tasks.ts'
import type { DocumentRef, Lookup, ProjectSummary, RecordRef, Slice, Sliced, TitledRef } from './types.ts'

/** Reads single records and lists for programs that show them to a person. */
export function lookupOf(driver: Driver, schema: SchemaNames): Lookup {
  const read = <T>(work: (connection: Connection) => Promise<T>) => reading(driver, schema, work)
  // Ids and words come from outside: what Postgres cannot store is in no row.
  const [id, word] = [storedId, (value: string) => storable(value).text]
  return {
    projects: (slice) => read((connection) => readProjects(connection, slice)),
    page: (pid, page, part) => read((connection) => readPage(connection, id(pid), id(page), part)),
    post: (pid, post, part, comments) =>
      read((connection) => readPost(connection, { pid: id(pid), id: id(post) }, part, comments)),
    comment: async (of, cid, part) => {
      const key = { ...of, pid: id(of.pid), id: id(of.id), cid: id(cid) }
      const [found] = await read((connection) => readComments(connection, key, part, { offset: 0, limit: 1 }))
      return found ?? null
    },
    task: (pid, task, part, lists) =>
      read((connection) => readTask(connection, { pid: id(pid), id: id(task) }, part, lists)),
    members: (pid, slice) => read((connection) => readMembers(connection, id(pid), slice)),
    tasks: ({ pid, group, person, label, ...rest }, slice) => {
      const words = { group: group && word(group), person: person && word(person), label: label && word(label) }
      const filter = { ...rest, ...words, pid: pid && id(pid) }
      return read((connection) => readTasks(connection, filter, slice))
    },
    search: ({ pid, ...request }, slice) =>
      read((connection) => search(connection, { ...request, pid: pid && id(pid) }, slice)),
    documents: (after, limit) =>
      read((connection) =>
        readDocuments(connection, after && { ...after, pid: id(after.pid), id: id(after.id) }, limit),
      ),
    titles: (refs) =>
      read((connection) =>
        readTitles(
          connection,
          refs.map((ref) => ({ ...ref, pid: id(ref.pid), id: id(ref.id) })),
        ),
      ),
  }
}

async function readProjects(connection: Connection, { offset, limit }: Slice): Promise<Sliced<ProjectSummary>> {
  const counts = (table: string, more = '') =>
    `LEFT JOIN (SELECT pid, count(*) AS count${more} FROM ${table} t WHERE deleted_at IS NULL GROUP BY pid) ${table} ON ${table}.pid = r.pid`
  const open = ', count(*) FILTER (WHERE archived IS NOT TRUE AND completed IS NOT TRUE) AS open'
  const found = await connection.query(
    `SELECT r.pid, ${shortName('r.name')} AS name, ${shortName('r.description')} AS description, r.archived,
       coalesce(pages.count, 0) AS pages, coalesce(posts.count, 0) AS posts,
       coalesce(tasks.count, 0) AS tasks, coalesce(tasks.open, 0) AS open_tasks
     FROM projects r ${counts('pages')} ${counts('posts')} ${counts('tasks', open)}
     WHERE r.deleted_at IS NULL ORDER BY r.name COLLATE "C", r.pid OFFSET $1::int LIMIT $2::int`,
    [offset, limit + 1],
  )
  return sliced(records(found), limit)
}

const TABLES = {
  page: { table: 'pages', id: 'page_id' },
  post: { table: 'posts', id: 'post_id' },
  task: { table: 'tasks', id: 'tid' },
} as const

async function readDocuments(
  connection: Connection,
  after: RecordRef | null,
  limit: number,
): Promise<Sliced<DocumentRef>> {
  const found: DocumentRef[] = []
  for (const kind of ['page', 'post'] as const) {
    if (after?.kind === 'post' && kind === 'page') continue
    const { table, id } = TABLES[kind]
    const { pid, id: last } = after?.kind === kind ? after : { pid: '', id: '' }
    const rows = await connection.query(
      `SELECT '${kind}' AS kind, pid, ${id} AS id, ${shortName('name')} AS name, updated_at FROM ${table}
       WHERE deleted_at IS NULL AND (pid, ${id}) > ($1::text, $2::text) ORDER BY pid, ${id} LIMIT $3::int`,
      [pid, last, limit + 1 - found.length],
    )
    found.push(...records<DocumentRef>(rows))
    if (found.length > limit) break
  }
  return sliced(found, limit)
}

async function readTitles(connection: Connection, refs: readonly RecordRef[]): Promise<TitledRef[]> {
  const found: TitledRef[] = []
  for (const kind of ['page', 'post', 'task'] as const) {
    const own = refs.filter((ref) => ref.kind === kind)
    if (own.length === 0) continue
    const { table, id } = TABLES[kind]
    const rows = await connection.query(
      `SELECT '${kind}' AS kind, t.pid, t.${id} AS id, ${shortName('t.name')} AS name FROM unnest($1::text[], $2::text[]) AS k (pid, id)
       JOIN ${table} t ON t.pid = k.pid AND t.${id} = k.id WHERE t.deleted_at IS NULL`,
      [own.map(({ pid }) => pid), own.map((ref) => ref.id)],
    )
    found.push(...records<TitledRef>(rows))
  }
  return found
}
