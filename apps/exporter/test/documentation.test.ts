import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CONTENT } from '@collab-etl/backups'
import { scratch } from '@collab-etl/harness/scratch'
import { runScript } from '@collab-etl/harness/scripts'
import { startSandbox } from '@collab-etl/sandbox'
import { expect, onTestFinished, test } from 'vitest'
import { csvTables, csvTablesOf } from '../src/csv/tables.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** Runs the commands of a block of docs/backup.md in a new directory. */
async function follow(name: string): Promise<{ readonly stdout: string; readonly cwd: string }> {
  const page = await readFile(join(ROOT, 'docs/backup.md'), 'utf8')
  const script = new RegExp(`<!-- run: ${name} -->\\n\`\`\`sh\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? ''
  const sandbox = await startSandbox({ projects: 2, tasks: 5, archived: 5, pages: 6, posts: 4, events: 2 })
  onTestFinished(() => sandbox.close())
  const cwd = await scratch()
  await writeFile(join(cwd, 'token'), sandbox.token, { mode: 0o600 })
  const own = script
    .replaceAll('https://collab.example.com', sandbox.baseUrl)
    .replaceAll('/run/secrets/collab-token', join(cwd, 'token'))
    .replaceAll(/\bP1\b/g, sandbox.pids[0] ?? '')
  return { stdout: await runScript(own, { cwd }), cwd }
}

test('every command of docs/backup.md works', async () => {
  const { stdout } = await follow('backups')
  expect(stdout.match(/^Backup written$/gm)).toHaveLength(3)
  expect(stdout.match(/^Intact: /gm)).toHaveLength(2)
})

test('the commands that select content write that content', async () => {
  const { stdout, cwd } = await follow('content')
  expect(stdout.match(/^Backup written$/gm)).toHaveLength(2)
  for (const [directory, kinds] of [
    ['tasks', ['tasks', 'users']],
    ['plans', ['tasks', 'events']],
  ] as const) {
    const files = await readdir(join(cwd, directory, 'latest/data/csv'))
    expect(files.sort()).toEqual(
      csvTables(new Set(kinds))
        .map((table) => `${table}.csv`)
        .sort(),
    )
  }
})

test('docs/format.md lists each CSV file with its content', async () => {
  const page = await readFile(join(ROOT, 'docs/format.md'), 'utf8')
  const listed = [...page.matchAll(/^\| (?:`(\w+)`|always) \| (.*\.csv.*) \|$/gm)].flatMap(([, kind, files = '']) =>
    [...files.matchAll(/`(\w+)\.csv`/g)].map(([, table]) => [table, kind]),
  )
  const contentOf = (table: string) => CONTENT.find((kind) => csvTablesOf(kind).some((name) => name === table))
  expect(listed).toEqual(csvTables(new Set(CONTENT)).map((table) => [table, contentOf(table)]))
})
