/** @module-tag thorough */

import { run, scratchDirectory } from '@collab-etl/harness/commands'
import { freshDatabase, postgresServer, type TestDatabase } from '@collab-etl/harness/postgres'
import { rounds } from '@collab-etl/harness/thorough'
import { startSandbox } from '@collab-etl/sandbox'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Front, startFront } from './front.ts'
import { applyChange, linkPages, type Night, nights } from './script.ts'
import { Side } from './side.ts'

const TOKEN = 'sandbox-token'

/** Number of sequences; each run of the tests generates different ones. */
const RUNS = rounds(10, 10)

/** Removes the received bytes, so that every record is parsed. */
const FORGET = `DO $$ BEGIN
  IF to_regclass('collab_stage.received') IS NOT NULL THEN DELETE FROM collab_stage.received; END IF;
END $$`

const server = postgresServer()

describe.skipIf(server === null)('random sequences of nights', () => {
  let front: Front
  let scratch: Awaited<ReturnType<typeof scratchDirectory>>
  beforeAll(async () => {
    front = await startFront()
    scratch = await scratchDirectory()
  })
  afterAll(async () => {
    await front[Symbol.asyncDispose]()
    await scratch[Symbol.asyncDispose]()
  })

  const env = () => ({
    COLLAB_BASE_URL: front.baseUrl,
    COLLAB_TOKEN: TOKEN,
    COLLAB_EVENTS_WINDOW: '1000d',
    COLLAB_RETRIES: '3',
  })

  /** Runs the snapshot of a night until it ends, again if it was killed; with `--full` if rows were damaged. */
  async function snapshot(side: Side, { killedAt, resumes, damage }: Night): Promise<void> {
    if (damage !== null) await side.script(damage)
    if (killedAt !== null) {
      let requests = 0
      await side.snapshot([], {
        onStart: (started) => {
          front.onRequest = () => {
            if (requests++ === killedAt) started.kill('SIGKILL')
          }
        },
      })
      front.onRequest = () => {}
    }
    const args = [
      ...(damage === null ? [] : ['--full']),
      ...(killedAt !== null && resumes && damage === null ? ['--resume'] : []),
    ]
    const { code, stderr } = await side.snapshot(args)
    if (code !== 0) throw new Error(`the snapshot of ${side.name} ended with ${code}: ${stderr}`)
  }

  async function backup(side: Side, args: readonly string[], killedAfter: number | null): Promise<void> {
    if (killedAfter !== null)
      await side.backup(args, { onStart: (started) => void setTimeout(() => started.kill('SIGKILL'), killedAfter) })
    const { code, stderr } = await side.backup(args)
    if (code !== 0) throw new Error(`the backup of ${side.name} ended with ${code}: ${stderr}`)
  }

  let recognised = 0
  let number = 0

  test('same rows, content hashes and backup bytes as when all is parsed and rendered', {
    timeout: 3_600_000,
  }, async () => {
    const ready = await readyDatabase(env())
    try {
      await fc.assert(
        fc.asyncProperty(nights, async ({ seed, formats, nights: script }) => {
          const sandbox = await startSandbox({
            ...{ seed, projects: 2, barred: 0, tasks: 6, archived: 4, pages: 6, posts: 3, events: 3, token: TOKEN },
          })
          await using _service = { [Symbol.asyncDispose]: () => sandbox.close() }
          linkPages(sandbox)
          front.leadTo(sandbox.baseUrl)
          const open = async (name: string) =>
            new Side(`${name}-${number}`, await freshDatabase(server ?? '', ready), scratch.path, env())
          number += 1
          await using quick = await open('quick')
          await using whole = await open('whole')
          const starts: number[] = []
          for (const night of script) {
            for (const change of night.changes) applyChange(sandbox, change)
            front.form = night.form
            starts.push(Date.now())
            for (const side of [quick, whole]) {
              if (side === whole) await whole.script(FORGET)
              if (night.breaks !== null) sandbox.faults.add(night.breaks)
              await snapshot(side, night)
              sandbox.faults.clear()
            }
            recognised += await quick.receivedBlocks()
            expect(await quick.contents(starts)).toEqual(await whole.contents(starts))
            if (!night.backsUp && night !== script.at(-1)) continue
            await backup(quick, ['--format', formats], night.backupKilledAfter)
            await backup(whole, ['--format', formats, '--rehash'], null)
            expect(await quick.files()).toEqual(await whole.files())
          }
          expect(await quick.verify()).toMatchObject({ code: 0 })
        }),
        { numRuns: RUNS, endOnFailure: RUNS > 10 },
      )
      expect(recognised).toBeGreaterThan(0)
    } finally {
      await ready.drop()
    }
  })
})

/** A warehouse to be copied: migrating takes longer than a night. */
async function readyDatabase(env: Readonly<Record<string, string>>): Promise<TestDatabase> {
  const database = await freshDatabase(server ?? '')
  const { code, stderr } = await run('collab-extract', ['init'], { env: { ...env, DATABASE_URL: database.url } })
  if (code !== 0) throw new Error(stderr)
  return database
}
