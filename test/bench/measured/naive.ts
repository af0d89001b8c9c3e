import type { Received, Task } from '@collab-etl/contract'
import pg from 'pg'
import { type NaiveTable, naiveTables } from './naive-rows.ts'

// A simple but sound script: `fetch().json()`, then `INSERT … ON CONFLICT` of 1,000 rows at a time in one
// transaction, with prepared statements. `node naive.ts SERVICE TOKEN PID SCHEMA`, with DATABASE_URL, prints its duration
// in milliseconds.

const BATCH = 1000

const [service = '', token = '', pid = '', schema = ''] = process.argv.slice(2)

const begun = performance.now()
const client = new pg.Client({ connectionString: process.env['DATABASE_URL'] })
await client.connect()
const response = await fetch(`${service}/v1/tasks?pid=${pid}&type=all`, { headers: { access_token: token } })
if (!response.ok) throw new Error(`the service answered ${response.status}`)
// Not checked: a simple script does not.
const tasks = (await response.json()) as Received<typeof Task>[]
const tables = naiveTables(tasks, new Date())
await client.query('BEGIN')
for (const table of tables) await upsert(table)
await client.query('COMMIT')
await client.end()
process.stdout.write(`${performance.now() - begun}\n`)

async function upsert(table: NaiveTable): Promise<void> {
  const { columns, rows } = table
  const whole = rows.length >= BATCH ? statement(table, BATCH) : ''
  for (let start = 0; start < rows.length; start += BATCH) {
    const batch = rows.slice(start, start + BATCH)
    const text = batch.length === BATCH ? whole : statement(table, batch.length)
    await client.query({ name: `${table.name} ${batch.length}`, text, values: batch.flat() })
  }

  function statement({ name, key }: NaiveTable, count: number): string {
    const tuples = Array.from({ length: count }, (_, row) => {
      return `(${columns.map((_, column) => `$${row * columns.length + column + 1}`).join(', ')})`
    })
    const rest = columns.filter((column) => !key.includes(column))
    return `INSERT INTO ${schema}.${name} (${columns.join(', ')}) VALUES ${tuples.join(', ')}
      ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${rest.map((column) => `${column} = EXCLUDED.${column}`).join(', ')}`
  }
}
