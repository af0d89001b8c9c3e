import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { run } from '@collab-etl/harness/commands'
import { scratch } from '@collab-etl/harness/scratch'
import { testThoroughly, times } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { readJournal } from '../src/restore/journal.ts'
import {
  addBackup,
  bagOf,
  emptySandbox,
  fullSandbox,
  type Given,
  ownBackup,
  restoreInto,
  useRestoreWorld,
} from './restore-sandboxes.ts'

const SIZES = { pages: 6, posts: 3, tasks: 4 }
const ALL = { page: 6, post: 3, task: 4, comment: 4 }
const NONE = { page: 0, post: 0, task: 0, comment: 0 }

let backups: string
const world = useRestoreWorld(SIZES)
beforeEach(async () => {
  backups = dirname(await addBackup(await scratch(), '20260101T000000Z', world.original))
})

const restore = (given: Given = {}, backup = backups) => restoreInto(world.target, backup, given)
const creations = () => world.target.sandbox.requests.filter(({ method }) => method === 'POST').length
const truth = () => world.target.sandbox.store.truth(world.target.pid)
const held = () => [truth().pages.length, truth().posts.length, truth().tasks.length]

/** Restores until this many records are created, as if the program ended then. */
async function restoreUntil(count: number, given: Given = {}): Promise<void> {
  const controller = new AbortController()
  const onItem = (done: number) => done === count && controller.abort()
  await expect(restore({ ...given, onItem, signal: controller.signal })).rejects.toThrow()
}

/** The journal in the directory of the backups. */
async function journalIn(directory = backups): Promise<string> {
  const names = (await readdir(directory)).filter((name) => /^restore-[0-9a-f]{16}\.jsonl$/.test(name))
  expect(names).toHaveLength(1)
  return join(directory, names[0] ?? '')
}

/** The latest backup, of the same project: one more page, and in an older one, or in all, another text. */
async function nextBackup(changed: 'a page' | 'all pages' = 'a page'): Promise<void> {
  const later = await fullSandbox(SIZES)
  try {
    later.store.change(world.pid, ({ pages }) => {
      for (const page of changed === 'a page' ? pages.slice(0, 1) : pages) page.content += ', changed later'
      pages.push({ ...structuredClone(pages[0]), page_id: 'later', parent_id: '', name: 'written later' } as never)
    })
    await addBackup(backups, '20260102T000000Z', await bagOf(later))
  } finally {
    await later.close()
  }
}

describe('the journal of a restore', () => {
  test('is the same for a newer backup, of which only new records are created', async () => {
    expect(await restore()).toMatchObject({ created: ALL, notRestored: [], unknown: [], inexact: [] })
    await nextBackup()
    const { created, before, inexact } = await restore()
    expect({ created, before }).toEqual({ created: { ...NONE, page: 1 }, before: ALL })
    expect(inexact).toMatchObject([{ kind: 'page', field: 'content', seen: 'read' }])
    expect(held()).toEqual([7, 3, 4])
    expect((await restore({}, join(backups, '20260101T000000Z'))).created).toEqual(NONE)
  })

  test('knows what it created when a newer backup of the target itself holds it', async () => {
    const sandbox = await fullSandbox(SIZES)
    onTestFinished(() => sandbox.close())
    sandbox.store.change(world.pid, (project) => Object.assign(project, { pages: [], posts: [], tasks: [] }))
    const itself = { sandbox, pid: world.pid, entry: sandbox.store.truth(world.pid).entries[0]?.entry_id ?? '' }
    expect((await restoreInto(itself, backups)).created).toEqual(ALL)
    await addBackup(backups, '20260103T000000Z', await bagOf(sandbox))
    const { created, before, inexact } = await restoreInto(itself, backups)
    expect({ created, before, inexact }).toEqual({ created: NONE, before: ALL, inexact: [] })
  })

  test('knows its copies beside their originals in a newer backup of the target', async () => {
    const sandbox = await fullSandbox(SIZES)
    onTestFinished(() => sandbox.close())
    const itself = { sandbox, pid: world.pid, entry: sandbox.store.truth(world.pid).entries[0]?.entry_id ?? '' }
    expect((await restoreInto(itself, backups, { allowSource: true })).created).toEqual(ALL)
    await addBackup(backups, '20260103T000000Z', await bagOf(sandbox))
    const { created, inexact } = await restoreInto(itself, backups, { allowSource: true })
    expect({ created, inexact }).toEqual({ created: NONE, inexact: [] })
  })

  test('of an interrupted restore finds a lost page although the newer backup has another text', async () => {
    world.target.sandbox.faults.add({ kind: 'reset', operation: 'pages.create', processed: true, times: 'always' })
    world.target.sandbox.faults.add({
      kind: 'error',
      operation: 'pages.list',
      errorCode: 120001,
      skip: 1,
      times: 'always',
    })
    await expect(restore()).rejects.toThrow()
    world.target.sandbox.faults.clear()
    expect(held()).toEqual([1, 0, 0])
    await nextBackup('all pages')
    expect(await restore()).toMatchObject({ unknown: [], notRestored: [] })
    expect(held()).toEqual([7, 3, 4])
  })

  test('says that a finished restore is finished, and --again creates every record once more', async () => {
    await restore()
    const made = creations()
    const args = ['restore', backups, '--to-project', world.target.pid, '--entry', world.target.entry, '--provenance']
    const env = { COLLAB_BASE_URL: world.target.sandbox.baseUrl, COLLAB_TOKEN: world.target.sandbox.token }
    const command = async (...more: string[]) => run('collab-export', [...args, ...more], { env, cwd: await scratch() })
    const done = await command()
    expect({ code: done.code, stderr: done.stderr }).toEqual({ code: 0, stderr: '' })
    expect(done.stdout).toMatch(/^Already restored: nothing was created\n/)
    expect(done.stdout).toMatch(/finished .*Z from backup 20260101T000000Z.*--again/)
    const dry = await command('--dry-run')
    expect(dry.stdout).toMatch(/Would be created: 0 pages, 0 posts, 0 tasks/)
    expect(dry.stdout).toMatch(/created before: 6 pages, 3 posts, 4 tasks/)
    expect(creations()).toBe(made)
    const again = JSON.parse((await command('--dry-run', '--again', '--json')).stdout)
    expect(again.to_create).toMatchObject({ page: 6, post: 3, task: 4 })
    expect((await restore({ again: true })).created).toEqual(ALL)
    expect(held()).toEqual([12, 6, 8])
    expect((await restore()).created).toEqual(NONE)
  })

  test('refuses --again until the restore is finished, and resumes an interrupted repetition', async () => {
    const refusal = { exitCode: 2, message: expect.stringMatching(/--again.* not finished.*without --again/) }
    await restoreUntil(4)
    await expect(restore({ again: true })).rejects.toMatchObject(refusal)
    await restore()
    await restoreUntil(4, { again: true })
    await expect(restore({ again: true })).rejects.toMatchObject(refusal)
    expect(await restore()).toMatchObject({ notRestored: [], unknown: [], inexact: [] })
    expect(held()).toEqual([12, 6, 8])
  })

  test('cannot be missing: a target that another machine filled is refused', async () => {
    await restore()
    const copy = await ownBackup(join(backups, '20260101T000000Z'))
    const refusal = {
      exitCode: 2,
      message: expect.stringMatching(/already has 10 records .*; give the journal of that restore with --journal/),
    }
    await expect(restore({}, copy)).rejects.toMatchObject(refusal)
    await expect(restore({ journal: join(backups, 'other.jsonl') })).rejects.toMatchObject(refusal)
    const journal = await journalIn()
    await rename(journal, `${journal}.lost`)
    await expect(restore()).rejects.toMatchObject(refusal)
    const args = ['restore', backups, '--to-project', world.target.pid, '--dry-run']
    const env = { COLLAB_BASE_URL: world.target.sandbox.baseUrl, COLLAB_TOKEN: world.target.sandbox.token }
    expect(await run('collab-export', args, { env, cwd: await scratch() })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^collab-export: .*already has 10 records.*\n$/),
    })
    expect(await readdir(dirname(copy))).toEqual(['20260101T000000Z'])
    expect((await restore({ journal: `${journal}.lost` }, copy)).created).toEqual(NONE)
    expect(held()).toEqual([6, 3, 4])
    expect((await restore({ again: true }, copy)).created).toEqual(ALL)
  })

  test('admits one restore at a time, of any backup', async () => {
    await nextBackup()
    let second: Promise<unknown> | undefined
    const onItem = () => {
      second ??= restore({}, join(backups, '20260101T000000Z')).catch((error: unknown) => error)
    }
    await restore({ onItem })
    expect(await second).toMatchObject({ exitCode: 11 })
    expect(held()).toEqual([7, 3, 4])
  })

  test('ends in a torn line after a crash, at any byte, and the restore resumes', async () => {
    await restoreUntil(7)
    const journal = await journalIn()
    const text = await readFile(journal)
    await restore()
    const after = await readFile(journal)
    const next = after.subarray(text.length, after.indexOf(10, text.length) + 1)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: next.length - 1 }), async (length) => {
        await writeFile(journal, Buffer.concat([text, next.subarray(0, length)]))
        const { length: kept } = await readJournal(journal, owner())
        expect(kept).toBe(text.length)
      }),
    )
    await writeFile(journal, Buffer.concat([text, Buffer.alloc(300)]))
    expect((await readJournal(journal, owner())).length).toBe(text.length)
  })
})

const owner = () => ({ baseUrl: world.target.sandbox.baseUrl, toProject: world.target.pid, fromProject: world.pid })

describe('a damaged journal', () => {
  let journal: string
  let good: Buffer

  beforeEach(async () => {
    await restore()
    journal = await journalIn()
    good = await readFile(journal)
  })

  /** Refused in one line that names the file and says what to do, and creates nothing. */
  async function expectRefused(bytes: Buffer, how: string): Promise<void> {
    await writeFile(journal, bytes)
    const error: unknown = await readJournal(journal, owner()).then(
      () => 'it was read',
      (reason: unknown) => reason,
    )
    expect(error, how).toMatchObject({ exitCode: 2 })
    const { message } = error as Error
    expect(message).toContain(basename(journal))
    expect(message).toMatch(/put back the latest undamaged copy/)
    expect(message).not.toMatch(/\n|create all|again/)
  }

  test('is refused by the command, which creates nothing', async () => {
    const made = creations()
    const bytes = Buffer.from(good)
    bytes[good.length - 20] = (bytes[good.length - 20] ?? 0) ^ 1
    await expectRefused(bytes, 'one bit')
    await expect(restore()).rejects.toMatchObject({ exitCode: 2 })
    await expectRefused(good.subarray(0, good.indexOf(10, good.length / 2) + 1), 'the second half is missing')
    await expect(restore()).rejects.toMatchObject({ exitCode: 2 })
    expect(creations()).toBe(made)
  })

  testThoroughly('with any flipped bit, or any part missing, is refused', async () => {
    const place = fc.integer({ min: 0, max: good.length - 1 })
    await fc.assert(
      fc.asyncProperty(place, place, fc.nat(7), async (a, b, bit) => {
        const flipped = Buffer.from(good)
        flipped[a] = (flipped[a] ?? 0) ^ (1 << bit)
        await expectRefused(flipped, `bit ${bit} of byte ${a}`)
        const [start, end] = [Math.min(a, b), Math.max(a, b) + 1]
        // If all of the file is missing, only the target shows it.
        if (start <= good.indexOf(10)) return
        await expectRefused(Buffer.concat([good.subarray(0, start), good.subarray(end)]), `bytes ${start} to ${end}`)
      }),
      {
        numRuns: 300,
        examples: [
          [good.length - 1, 0, 0],
          [good.indexOf(10), 0, 0],
        ],
      },
    )
  })

  test('with lines exchanged, repeated, or of another journal is refused', async () => {
    const lines = good.toString('utf8').split(/(?<=\n)/)
    const other = await emptySandbox()
    const { journal: path } = await restoreInto(other, backups)
    const foreign = (await readFile(path, 'utf8')).split(/(?<=\n)/)
    const place = fc.integer({ min: 2, max: Math.min(lines.length, foreign.length) - 2 })
    await fc.assert(
      fc.asyncProperty(place, place, async (a, b) => {
        const changes: [string, string[]][] = [
          ['repeated', lines.toSpliced(a, 0, lines[b] ?? '')],
          ['of another journal', lines.with(a, foreign[b] ?? '')],
          ['the rest of another journal', [...lines.slice(0, a), ...foreign.slice(a)]],
        ]
        if (a !== b) changes.push(['exchanged', lines.with(a, lines[b] ?? '').with(b, lines[a] ?? '')])
        for (const [how, changed] of changes) await expectRefused(Buffer.from(changed.join('')), `${how}: ${a}, ${b}`)
      }),
      { numRuns: 30 },
    )
  })

  test.each(['BagIt-Version: 1.0\n', 'pid,name\nP1,Pages\n', 'notes of somebody', '\n'])(
    'that never was one is named as such: %j',
    async (text) => {
      await writeFile(journal, text)
      await expect(restore()).rejects.toMatchObject({
        exitCode: 2,
        message: expect.stringMatching(
          /\.jsonl is not the journal of a restore.* name the right one, or a new one, with --journal/,
        ),
      })
      expect(await readFile(journal, 'utf8')).toBe(text)
    },
  )

  test('that is empty counts as none: the target is read', async () => {
    await writeFile(journal, '')
    await expect(restore()).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining('already has') })
    await writeFile(journal, '{"journal":"collab-export restore","version":1}\n')
    await expect(restore()).rejects.toThrow(/was written by another version/)
  })
})

const STEP = fc.oneof(
  fc.record({ does: fc.constant('interrupt' as const), after: fc.integer({ min: 1, max: 12 }) }),
  fc.record({
    does: fc.constant('lose' as const),
    of: fc.constantFrom('pages.create' as const, 'tasks.create' as const),
  }),
  fc.record({ does: fc.constant('backup' as const), name: fc.string({ minLength: 1, maxLength: 3 }) }),
  fc.record({ does: fc.constant('older' as const) }),
)

test('any sequence of interruptions, lost answers and newer backups creates each record once', {
  tags: 'thorough',
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { maxLength: 6 }), async (steps) => {
      const target = await emptySandbox()
      const from = await fullSandbox({ pages: 3, posts: 1, tasks: 3 })
      const [pid = ''] = from.pids
      const nameOf = (number: number) => `202601${number + 10}T000000Z`
      const oldest = await addBackup(await scratch(), nameOf(0), await bagOf(from))
      const restore = (given: Given = {}) => restoreInto(target, dirname(oldest), given)
      let made = 0
      for (const step of steps) {
        if (step.does === 'interrupt') {
          const controller = new AbortController()
          const onItem = (done: number) => done === step.after && controller.abort()
          await restore({ onItem, signal: controller.signal }).catch(() => {})
        } else if (step.does === 'lose') {
          target.sandbox.faults.add({ kind: 'reset', operation: step.of, processed: true, times: 1 })
        } else if (step.does === 'older') {
          await restoreInto(target, oldest)
        } else {
          made += 1
          from.store.change(pid, ({ pages, tasks }) => {
            const id = `made${made}`
            pages.push({ ...structuredClone(pages[0]), page_id: id, parent_id: '', name: step.name } as never)
            tasks.push({ ...structuredClone(tasks[0]), tid: id, name: step.name } as never)
          })
          await addBackup(dirname(oldest), nameOf(made), await bagOf(from))
        }
      }
      const { notRestored, unknown } = await restore()
      await from.close()
      const { pages, posts, tasks } = target.sandbox.store.truth(target.pid)
      expect({ notRestored, unknown, held: [pages.length, posts.length, tasks.length] }).toEqual({
        notRestored: [],
        unknown: [],
        held: [3 + made, 1, 3 + made],
      })
    }),
    { numRuns: times(3, 40) },
  )
})
