import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { backendsOfSlowTests } from '@collab-etl/harness/backends'
import { cleanEnvironment, type Ran, run, scratchDirectory } from '@collab-etl/harness/commands'
import { rounds, testThoroughly } from '@collab-etl/harness/thorough'
import { THOROUGH_TAG } from '@collab-etl/harness/thorough-tag'
import { asLines, plainTime, warehouseRows } from '@collab-etl/harness/warehouse-rows'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lastState, type Message, type State, validated, wholeLines } from './messages.ts'
import { ModelTarget } from './model-target.ts'

type Row = Readonly<Record<string, unknown>>

/** Streams without versions. */
const OF_LOG = ['runs', 'accounts', 'project_accounts']

describe('tap-collab', { tags: THOROUGH_TAG }, () => {
  describe.each(backendsOfSlowTests())('over a warehouse in $name', ({ open }) => {
    let sandbox: Sandbox
    let warehouse: Awaited<ReturnType<typeof open>>
    let scratch: Awaited<ReturnType<typeof scratchDirectory>>
    let config: string
    beforeAll(async () => {
      const sizes = { projects: 3, tasks: 250, archived: 30, pages: 20, posts: 8, events: 6 }
      sandbox = await startSandbox({ seed: 7, ...sizes })
      warehouse = await open()
      scratch = await scratchDirectory()
      const { DATABASE_URL: database_url, COLLAB_DATA_DIR: data_dir } = warehouse.env
      config = await file('config.json', { database_url, data_dir })
      await snapshot()
    })
    afterAll(async () => {
      await sandbox.close()
      await warehouse[Symbol.asyncDispose]()
      await scratch[Symbol.asyncDispose]()
    })

    async function file(name: string, value: object): Promise<string> {
      const path = join(scratch.path, name)
      await writeFile(path, JSON.stringify(value))
      return path
    }

    async function snapshot(...args: string[]): Promise<void> {
      const env = { ...warehouse.env, COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token }
      const { code, stderr } = await run('collab-extract', ['snapshot', '--allow-shrink', ...args], { env })
      expect([0, 3], stderr).toContain(code)
    }

    const argsOf = async (state?: State) => [
      ...['--config', config, '--log-level', 'warn'],
      ...(state === undefined ? [] : ['--state', await file('state.json', state)]),
    ]

    async function sync(target: ModelTarget, state?: State): Promise<{ messages: Message[]; state: State }> {
      const ran = await run('tap-collab', await argsOf(state))
      expect(ran).toMatchObject({ code: 0, stderr: '' })
      const messages = validated(ran.stdout)
      target.take(messages)
      const last = lastState(messages)
      if (last === undefined) throw new Error('no state was written')
      return { messages, state: last }
    }

    /** Each stream of the target has the rows that exist in the warehouse, and no others. */
    async function expectSame(target: ModelTarget): Promise<void> {
      const tables = target.streams.filter((stream) => !OF_LOG.includes(stream))
      expect(tables).toHaveLength(24)
      const stored = await warehouseRows(warehouse.env, tables)
      for (const table of tables) {
        const lines = asLines(target.rows(table).map(ownColumns))
        expect(lines, table).toEqual(asLines(stored[table] ?? []))
      }
    }

    testThoroughly(
      'nights of changes, deletions and restored records leave the target as the warehouse is',
      async () => {
        const target = new ModelTarget()
        let { state } = await sync(target)
        await expectSame(target)
        expect(target.rows('tasks').length).toBeGreaterThan(250)

        const [pid = ''] = sandbox.pids
        const before = structuredClone(sandbox.store.truth(pid).tasks) as { tid: string }[]
        const [gone] = before
        sandbox.store.change(pid, ({ tasks, pages }) => {
          const [, changed] = tasks
          tasks.splice(0, 1)
          if (changed) Object.assign(changed, { name: '"\\\u2028字\u{1f600}', labels: [] })
          if (pages[0]) pages[0].content = 'new'
        })
        await snapshot()
        const second = await sync(target, state)
        await expectSame(target)
        const sent = second.messages.filter(({ stream, type }) => stream === 'tasks' && type === 'RECORD')
        expect(sent.map(({ record }) => record?.['_sdc_deleted_at'] === null).sort()).toEqual([false, true])
        expect(target.rows('tasks', true)).toMatchObject([{ tid: gone?.tid, name: expect.any(String) }])

        sandbox.store.change(pid, ({ tasks }) => void tasks.unshift(before[0] as (typeof tasks)[number]))
        await snapshot()
        ;({ state } = await sync(target, second.state))
        await expectSame(target)
        expect(target.rows('tasks', true)).toEqual([])

        const last = await sync(target, state)
        const kinds = last.messages.filter(({ type }) => type === 'RECORD').map(({ stream }) => stream)
        expect(new Set(kinds), 'only what is sent whole each time').toEqual(new Set(['users', ...OF_LOG]))
        expect(last.state).toEqual(state)
        const again = new ModelTarget()
        await sync(again)
        await expectSame(again)
      },
    )

    testThoroughly('killed at any point, the next sync from the last state completes the target', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 600_000 }), { maxLength: 2 }), async (kills) => {
          const target = new ModelTarget()
          let state: State | undefined
          let interrupted = false
          for (const bytes of [100_000, ...kills]) {
            const messages = validated(wholeLines(await killedAfter(bytes, await argsOf(state))))
            target.take(messages)
            state = lastState(messages) ?? state
            // later ones may complete it
            interrupted ||= Object.keys(state?.bookmarks ?? {}).length < 20
          }
          expect(interrupted, 'the first sync was killed before its end').toBe(true)
          await sync(target, state)
          await expectSame(target)
        }),
        { numRuns: rounds(1, 8) },
      )
    })

    testThoroughly('a target that ends early ends the tap with one line and exit code 1', async () => {
      const child = spawn('tap-collab', await argsOf(), { env: cleanEnvironment() })
      child.stdout.once('data', () => child.stdout.destroy())
      let stderr = ''
      child.stderr.on('data', (chunk) => {
        stderr += chunk
      })
      const [code] = await once(child, 'close')
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^tap-collab: stdout was closed .*\n$/)])
    })

    test('a state that the warehouse cannot continue is refused, before any message', async () => {
      const { state } = await sync(new ModelTarget())
      const changed = (part: Row): State => ({
        bookmarks: { ...state.bookmarks, tasks: { ...state.bookmarks['tasks'], ...part } },
      })
      const refused = (ran: Ran, what: string) =>
        expect(ran).toMatchObject({
          code: 2,
          stdout: '',
          stderr: expect.stringMatching(`^tap-collab: [^\n]*${what}[^\n]*\n$`),
        })
      refused(
        await run('tap-collab', await argsOf(changed({ run_id: '20010101T000000000Z-aaaaaa' }))),
        'replaced or restored',
      )
      const other = '2001-01-01T00:00:00+00:00'
      refused(await run('tap-collab', await argsOf(changed({ replication_key_value: other }))), 'has other times there')
      refused(await run('tap-collab', await argsOf(changed({ run_finished_at: null }))), 'has other times there')
      refused(await run('tap-collab', await argsOf(changed({ fields: 1 }))), 'bookmark of tasks is not one')
    })

    testThoroughly('new fields and another version of the schema send a stream again from the beginning', async () => {
      const { state } = await sync(new ModelTarget())
      const { tasks, pages, ...others } = state.bookmarks
      const fields = ((tasks?.['fields'] ?? []) as string[]).filter((name) => name !== 'name')
      const older = { ...others, tasks: { ...tasks, fields }, pages: { ...pages, schema_version: 0 } }
      const { messages, state: next } = await sync(new ModelTarget(), { bookmarks: older })
      const count = (stream: string) =>
        messages.filter((each) => each.type === 'RECORD' && each.stream === stream).length
      expect([count('tasks') > 250, count('pages'), count('task_members')]).toEqual([true, 20, 0])
      expect(next).toEqual(state)
    })

    async function killedAfter(bytes: number, args: readonly string[]): Promise<string> {
      const child = spawn('tap-collab', args, { env: cleanEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] })
      const chunks: Buffer[] = []
      let length = 0
      for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
        chunks.push(chunk)
        length += chunk.length
        if (length < bytes) continue
        child.kill('SIGKILL')
        break // ends the reading
      }
      if (child.exitCode === null && child.signalCode === null)
        await new Promise((resolve) => child.on('exit', resolve))
      return Buffer.concat(chunks).toString()
    }
  })
})

function ownColumns({ valid_from: _v, changed_at: _c, _sdc_deleted_at: _d, ...row }: Row): Row {
  const isOwn = ([name, value]: [string, unknown]) =>
    value != null || (name !== 'unlisted_since' && name !== 'only_in_team')
  return Object.fromEntries(Object.entries(row).filter(isOwn).map(plainTime))
}
