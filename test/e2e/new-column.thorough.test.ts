import { execFile, spawn } from 'node:child_process'
import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { promisify } from 'node:util'
import { cleanEnvironment, scratchDirectory } from '@collab-etl/harness/commands'
import { startSandbox } from '@collab-etl/sandbox'
import { expect, onTestFinished, test } from 'vitest'

// A copy of the built programs gets a field that the service began to send: one line of contract, one line of table, one line of upgrade.

const ROOT = join(import.meta.dirname, '../..')

const CONTRACT = ["    name: text('task name'),", "    priority: count('how urgent it is'),"] as const
const TABLE = ["        of.flag('completed'),", "        of.integer('priority'),"] as const

/** The files that are changed, with the line before which one is added. */
const LINES = {
  'packages/contract/dist/resources/task.js': CONTRACT,
  'packages/warehouse/dist/tables/tasks.js': TABLE,
} as const

const UPGRADES = 'packages/warehouse/dist/tables/upgrades.js'

/** A copy of the built packages and programs; libraries are those of the checkout. */
async function copyOfPrograms(): Promise<string> {
  const scratch = await scratchDirectory()
  onTestFinished(() => scratch[Symbol.asyncDispose]())
  await symlink(join(ROOT, 'node_modules'), join(scratch.path, 'node_modules'))
  for (const group of ['packages', 'apps'])
    for (const name of await readdir(join(ROOT, group)))
      await cp(join(ROOT, group, name), join(scratch.path, group, name), {
        recursive: true,
        verbatimSymlinks: true,
        filter: (path) => !/[/\\](?:src|test|\.turbo|\.vite-temp)$|\.map$/.test(path),
      })
  return scratch.path
}

/** Adds the lines to the contract and the table, or removes them again. */
async function edit(copy: string, adds: boolean, upgrades: string): Promise<void> {
  for (const [file, [before, line]] of Object.entries(LINES)) {
    const path = join(copy, file)
    const text = await readFile(path, 'utf8')
    const changed = adds ? text.replace(before, `${line}\n${before}`) : text.replace(`${line}\n`, '')
    expect(changed).not.toBe(text)
    await writeFile(path, changed)
  }
  const path = join(copy, UPGRADES)
  await writeFile(path, (await readFile(path, 'utf8')).replace(/UPGRADES = .*/, `UPGRADES = ${upgrades}`))
}

test('a new field of the service is one line of contract, one of table and one of upgrade', {
  timeout: 240_000,
}, async () => {
  const copy = await copyOfPrograms()
  const sandbox = await startSandbox({ seed: 3, projects: 1, tasks: 4, archived: 1, pages: 2, posts: 1, events: 1 })
  onTestFinished(() => sandbox.close())
  const [pid = ''] = sandbox.pids
  const setPriority = (tid: string, priority: number) =>
    sandbox.store.change(
      pid,
      ({ tasks }) => void Object.assign(tasks.find((task) => task.tid === tid) ?? {}, { priority }),
    )
  const env = {
    ...cleanEnvironment(),
    COLLAB_BASE_URL: sandbox.baseUrl,
    COLLAB_TOKEN: sandbox.token,
    COLLAB_DATA_DIR: join(copy, 'data'),
  }
  const BIN = {
    extract: 'extractor/bin/collab-extract.js',
    export: 'exporter/bin/collab-export.js',
    tap: 'extractor/bin/tap-collab.js',
  }
  const program = async (name: keyof typeof BIN, ...args: string[]) =>
    (
      await promisify(execFile)(process.execPath, [join(copy, 'apps', BIN[name]), ...args], {
        cwd: copy,
        env,
        maxBuffer: 1e8,
      })
    ).stdout
  const query = async (sql: string) => JSON.parse(await program('extract', 'query', sql, '--json')).rows

  // before the change, the field is among the unknown ones
  const [first, second] = sandbox.store.project(pid).tasks.map(({ tid }) => tid)
  if (first === undefined || second === undefined) throw new Error('there are no tasks')
  setPriority(first, 3)
  await program('extract', 'snapshot')
  expect(await query(`SELECT extra ->> 'priority' FROM tasks WHERE tid = '${first}'`)).toEqual([['3']])

  await edit(copy, true, "[{ adds: { tasks: ['priority'] } }]")
  await program('extract', 'snapshot')
  setPriority(first, 1)
  setPriority(second, 2)
  await program('extract', 'snapshot')

  const ofFirst = `WHERE tid = '${first}'`
  expect(await query(`SELECT priority, extra FROM tasks ${ofFirst}`)).toEqual([[1, null]])
  expect(await query(`SELECT priority FROM live_tasks ${ofFirst}`)).toEqual([[1]])
  expect(await query(`SELECT priority FROM tasks_as_of(now()) ${ofFirst}`)).toEqual([[1]])
  expect(await query(`SELECT priority FROM task_versions ${ofFirst} ORDER BY valid_from`)).toEqual([[null], [3], [1]])
  expect(await query(`SELECT priority FROM collab_history.tasks ${ofFirst} ORDER BY valid_from`)).toEqual([[null], [3]])
  expect(
    await query(
      `SELECT new_values -> 'priority' FROM changes WHERE key ->> 'tid' = '${second}' AND columns = '{priority}'`,
    ),
  ).toEqual([[2]])

  await program('extract', 'export', '--format', 'csv', '--out', 'tables', '--table', 'tasks')
  expect(await readFile(join(copy, 'tables/tasks/part-0001.csv'), 'utf8')).toMatch(/^[^\n]*,priority[,\n]/)
  const { backup } = JSON.parse(
    await program('export', 'backup', '--from', 'warehouse', '--out', 'backups', '--format', 'csv,jsonl', '--json'),
  )
  const backedUp = async (form: RegExp) => {
    const names = await readdir(backup, { recursive: true })
    return await readFile(join(backup, names.find((name) => form.test(name)) ?? ''), 'utf8')
  }
  expect(await backedUp(/[/\\]tasks\.csv$/)).toMatch(/^[^\n]*,priority[,\n]/)
  expect(await backedUp(/[/\\]tasks\.jsonl$/)).toContain('"priority":1')

  await program('extract', 'docs', '--out', 'dictionary')
  expect(await readFile(join(copy, 'dictionary/data-dictionary.md'), 'utf8')).toMatch(/`priority`.*how urgent it is/)
  await program('extract', 'dbt', '--out', 'dbt')
  const dbt = await readdir(join(copy, 'dbt'), { recursive: true, withFileTypes: true })
  const texts = dbt
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8'))
  expect((await Promise.all(texts)).join('\n')).toMatch(/name: "?priority"?\n\s+description: .*how urgent it is/)
  await writeFile(join(copy, 'tap.json'), JSON.stringify({ data_dir: join(copy, 'data') }))
  const { streams } = JSON.parse(await program('tap', '--config', 'tap.json', '--discover'))
  expect(streams.find(({ stream }: { stream: string }) => stream === 'tasks').schema.properties).toHaveProperty(
    'priority',
  )
  for (const args of [[], ['--backup', backup]])
    expect(await readTask(copy, env, pid, first, args)).toMatchObject({ task: { tid: first, priority: 1 } })

  // a later version without it: the lines go, and one says so
  await edit(copy, false, "[{}, { alters: { tasks: ['DROP COLUMN IF EXISTS priority'] } }]")
  await program('extract', 'snapshot')
  expect(await query(`SELECT extra -> 'priority', to_jsonb(t) ? 'priority' FROM tasks t ${ofFirst}`)).toEqual([
    [1, false],
  ])
  await expect(query('SELECT priority FROM live_tasks')).rejects.toThrow('does not exist')
})

/** What the tool `read_task` of collab-mcp answers. */
async function readTask(
  copy: string,
  env: NodeJS.ProcessEnv,
  pid: string,
  tid: string,
  args: readonly string[],
): Promise<unknown> {
  const server = spawn(process.execPath, [join(copy, 'apps/mcp/bin/collab-mcp.js'), ...args], {
    cwd: copy,
    env,
    stdio: 'pipe',
  })
  const lines = createInterface(server.stdout)
  const call = (method: string, params: object, id?: number) =>
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method, params, ...(id !== undefined && { id }) })}\n`)
  try {
    call(
      'initialize',
      { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
      1,
    )
    for await (const line of lines) {
      const { id, result } = JSON.parse(line)
      if (id === 2) return JSON.parse(result.content[0].text)
      call('notifications/initialized', {})
      call('tools/call', { name: 'read_task', arguments: { pid, tid } }, 2)
    }
    throw new Error('collab-mcp ended without an answer')
  } finally {
    server.kill()
  }
}
