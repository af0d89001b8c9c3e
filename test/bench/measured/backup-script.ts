import { mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stringify as csvOf } from 'csv-stringify/sync'
import pg from 'pg'
import { stringify as yamlOf } from 'yaml'

// A backup as an engineer would script it in an afternoon: a cursor over Postgres, the same files as a backup, YAML and CSV by
// libraries. It rewrites no links, hashes nothing, writes no manifest and does not limit the length of names.
// `node backup-script.ts SCHEMA FOLDER`, with DATABASE_URL, prints as JSON how long it took in milliseconds, and how many files and bytes it wrote.

const [schema = '', folder = ''] = process.argv.slice(2)

type Row = Record<string, unknown>

const begun = performance.now()
const done = { files: 0, bytes: 0 }
const made = new Set<string>()
const client = new pg.Client({ connectionString: process.env['DATABASE_URL'], options: `-c search_path=${schema}` })
await client.connect()
await client.query('BEGIN')

const users = new Map((await client.query('SELECT uid, name FROM users')).rows.map(({ uid, name }) => [uid, name]))
const projects = (await client.query('SELECT * FROM projects WHERE deleted_at IS NULL ORDER BY pid')).rows
const projectFolders = new Map(projects.map(({ pid, name }) => [pid, `markdown/${fileName(name, pid)}`]))
const csv = { projects: csvFile('projects'), pages: csvFile('pages'), posts: csvFile('posts') }
const commentCsv = { post_comments: csvFile('post_comments'), attachments: csvFile('attachments') }

csv.projects(projects)
const index = new Map<unknown, string[]>(projects.map(({ pid, name }) => [pid, [`# ${name}`, '']]))
const paths = await pagePaths()
for await (const pages of batches('page')) {
  for (const page of pages) writeDocument(page, 'page', paths.get(page['page_id']) ?? '', String(page['content']))
  csv.pages(pages.map(withoutPeople))
}
const comments = await commentsOfPosts()
for await (const posts of batches('post')) {
  for (const post of posts) {
    const id = String(post['post_id'])
    const below = (comments.get(`${post['pid']} ${id}`) ?? []).map((comment) => {
      return `\n### ${users.get(comment['owner_uid'])}, ${isoOf(comment['created_at'])}\n\n${comment['message']}\n`
    })
    const text = below.length === 0 ? '' : `\n\n## Comments (${below.length})\n${below.join('')}`
    const path = `${projectFolders.get(post['pid'])}/posts/${fileName(post['name'], id)}.md`
    writeDocument(post, 'post', path, `${post['content']}${text}`)
  }
  csv.posts(posts.map(withoutPeople))
}
for (const [pid, lines] of index) write(`${projectFolders.get(pid)}/README.md`, `${lines.join('\n')}\n`)
write(
  'markdown/README.md',
  `${projects.map(({ pid, name }) => `- [${name}](${projectFolders.get(pid)})`).join('\n')}\n`,
)
await client.query('COMMIT')
await client.end()
process.stdout.write(JSON.stringify({ ms: performance.now() - begun, ...done }))

/** The pages or posts with their watchers, a thousand at a time. */
async function* batches(kind: 'page' | 'post'): AsyncGenerator<Row[]> {
  const watchers = `SELECT array_agg(uid ORDER BY uid) FROM ${kind}_watchers w WHERE (w.pid, w.${kind}_id) = (t.pid, t.${kind}_id)`
  await client.query(`DECLARE ${kind}s_cursor CURSOR FOR
    SELECT t.*, (${watchers} AND w.deleted_at IS NULL) AS watchers FROM ${kind}s t WHERE deleted_at IS NULL ORDER BY pid, ${kind}_id`)
  for (;;) {
    const { rows } = await client.query(`FETCH 1000 FROM ${kind}s_cursor`)
    if (rows.length === 0) return
    yield rows
  }
}

/** A page is in the directory of its parent. */
async function pagePaths(): Promise<Map<unknown, string>> {
  const { rows } = await client.query('SELECT pid, page_id, parent_id, name FROM pages WHERE deleted_at IS NULL')
  const byId = new Map(rows.map((row) => [row.page_id, row]))
  const folderOf = ({ pid, page_id: id, parent_id: parent, name }: (typeof rows)[number]): string => {
    const above = byId.get(parent)
    return `${above === undefined ? `${projectFolders.get(pid)}/pages` : folderOf(above)}/${fileName(name, id)}`
  }
  return new Map(rows.map((row) => [row.page_id, `${folderOf(row)}.md`]))
}

async function commentsOfPosts(): Promise<Map<string, Row[]>> {
  const { rows } = await client.query('SELECT * FROM post_comments WHERE deleted_at IS NULL ORDER BY created_at, cid')
  commentCsv.post_comments(rows)
  commentCsv.attachments((await client.query('SELECT * FROM comment_files WHERE deleted_at IS NULL')).rows)
  return Map.groupBy(rows, ({ pid, post_id }) => `${pid} ${post_id}`)
}

function writeDocument(row: Row, kind: 'page' | 'post', path: string, content: string): void {
  const { pid, name: title, created_at, updated_at, owner_uid } = row
  const person = (uid: unknown) => ({ uid, name: users.get(uid) })
  const front = {
    id: row[`${kind}_id`],
    pid,
    kind,
    title,
    parent_id: row['parent_id'] ?? null,
    created_at: isoOf(created_at),
    updated_at: isoOf(updated_at),
    owner: person(owner_uid),
    watchers: (Array.isArray(row['watchers']) ? row['watchers'] : []).map(person),
  }
  write(path, `---\n${yamlOf(front)}---\n${content}`)
  index.get(pid)?.push(`- [${title}](${path}), updated ${front.updated_at}`)
}

function write(path: string, text: string): void {
  const target = join(folder, path)
  const parent = dirname(target)
  if (!made.has(parent)) {
    mkdirSync(parent, { recursive: true })
    made.add(parent)
  }
  writeFileSync(target, text)
  done.files += 1
  done.bytes += Buffer.byteLength(text)
}

/** Appends rows to a CSV file; the first call writes the header. */
function csvFile(table: string): (rows: readonly Row[]) => void {
  mkdirSync(join(folder, 'csv'), { recursive: true })
  const file = openSync(join(folder, 'csv', `${table}.csv`), 'wx')
  let header = true
  done.files += 1
  return (rows) => {
    const cells = rows.map(({ valid_from: _, deleted_at: __, ...row }) => row)
    const text = csvOf(cells, { header, record_delimiter: '\r\n', cast: { date: (date) => date.toISOString() } })
    header = false
    writeSync(file, text)
    done.bytes += Buffer.byteLength(text)
  }
}

function withoutPeople({ watchers: _, ...row }: Row): Row {
  return row
}

function isoOf(date: unknown): string | null {
  return date instanceof Date ? date.toISOString() : null
}

function fileName(title: unknown, id: string): string {
  const slug = String(title)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 60)
  return `${slug}--${id}`
}
