import { setTimeout as sleep } from 'node:timers/promises'
import { expectedRows, type PlainRow, type PlainTables } from '@collab-etl/harness/expected-rows'
import { asLines, plainTime, ROW_AS_JSON } from '@collab-etl/harness/warehouse-rows'
import type { ProjectTruth } from '@collab-etl/sandbox'
import pg from 'pg'

/** Tables whose rows belong to a project. */
const OF_PROJECT = [
  ...['projects', 'project_labels', 'entries', 'tasks', 'task_labels', 'task_todos', 'task_members', 'task_watchers'],
  ...['pages', 'page_watchers', 'posts', 'post_watchers', 'post_comments', 'files', 'file_watchers', 'file_comments'],
  ...['comment_files', 'events', 'event_attendees', 'webhooks'],
]

/** Stored state of a warehouse. */
export interface Stored {
  /** All live rows of each project, as one text. */
  readonly projects: ReadonlyMap<string, string>
  /** Runs, oldest first. */
  readonly runs: readonly { readonly run_id: string; readonly status: string }[]
  /** The projects that the newest run has published. */
  readonly published: ReadonlySet<string>
}

const SQL = `${OF_PROJECT.map(
  (table) =>
    `SELECT '${table}' AS name, ${ROW_AS_JSON} AS row FROM collab.${table} t WHERE deleted_at IS NULL AND pid IS NOT NULL`,
).join(' UNION ALL ')}
  UNION ALL SELECT 'runs', to_jsonb(r) FROM collab.runs r
  UNION ALL SELECT 'run_scopes', to_jsonb(s) FROM collab.run_scopes s`

/** Reads the stored state from a Postgres database. */
export async function readStored(url: string): Promise<Stored> {
  const tables = Map.groupBy(await readAll(url), ([table]) => table)
  const of = (table: string) => (tables.get(table) ?? []).map(([, row]) => row)
  const byProject = new Map<string, Record<string, PlainRow[]>>()
  for (const table of OF_PROJECT) {
    for (const row of of(table)) {
      const project = byProject.get(String(row['pid'])) ?? {}
      byProject.set(String(row['pid']), project)
      project[table] ??= []
      project[table].push(Object.fromEntries(Object.entries(row).map(plainTime)))
    }
  }
  const runs = of('runs')
    .map((row) => ({ run_id: String(row['run_id']), status: String(row['status']) }))
    .sort((a, b) => (a.run_id < b.run_id ? -1 : 1))
  const scopes = of('run_scopes').filter((row) => row['run_id'] === runs.at(-1)?.run_id)
  return {
    projects: new Map([...byProject].map(([pid, rows]) => [pid, textOf(rows)])),
    runs,
    // if the database rejected a project, all its scopes failed
    published: new Set(
      scopes
        .filter((row) => row['status'] !== 'failed')
        .map((row) => String(row['pid']))
        .filter((pid) => pid !== ''),
    ),
  }
}

/** All rows of each project in the service, as one text. */
export function textsOf(truths: readonly ProjectTruth[]): ReadonlyMap<string, string> {
  return new Map(truths.map((truth) => [truth.detail.pid, textOf(expectedRows([truth], []))]))
}

/** The rows of one project as one text, independent of their order. */
export function textOf(tables: PlainTables): string {
  return OF_PROJECT.map((table) => [table, ...asLines(tables[table] ?? [])].join('\n')).join('\n')
}

async function readAll(url: string): Promise<[string, PlainRow][]> {
  // without the command, which would take as long as the snapshots
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // the server may still execute and commit what a killed client sent
    const others = 'SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()'
    while (((await client.query(others)).rowCount ?? 0) > 0) await sleep(10)
    const { rows } = await client.query<[string, PlainRow]>({ text: SQL, rowMode: 'array' })
    return rows
  } finally {
    await client.end()
  }
}
