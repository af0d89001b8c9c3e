import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { run } from '@collab-etl/harness/commands'
import { scratch } from '@collab-etl/harness/scratch'
import { runScript } from '@collab-etl/harness/scripts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mapEntries, parseEntries } from '../src/restore/entries.ts'
import { JournalState } from '../src/restore/journal-state.ts'
import { type Given, restoreInto, useRestoreWorld } from './restore-sandboxes.ts'

const NAME = '20260101T000000Z'
const GROUPS = { OLD1: 'Ideas', OLD2: 'Doing', OLD3: 'Done' }

const world = useRestoreWorld({ pages: 2, posts: 1, tasks: 9 }, (from, pid) =>
  from.store.change(pid, ({ tasks, archived_tasks }) => {
    const groups = Object.entries(GROUPS)
    for (const [index, task] of tasks.entries()) {
      const [id, name] = groups[index % groups.length] ?? []
      Object.assign(task, { entry_id: id, entry_name: name, pos: index })
    }
    for (const task of archived_tasks) Object.assign(task, { entry_id: 'OLD4', entry_name: 'Attic' })
  }),
)

/** Gives the target these groups, each with one task of its own; the last group has only an archived one. */
function targetHas(groups: Readonly<Record<string, string>>): void {
  const [task] = world.from.store.truth(world.from.pids[0] ?? '').tasks
  world.target.sandbox.store.change(world.target.pid, (project) => {
    project.entries = Object.entries(groups).map(([entry_id, name]) => ({ entry_id, name }))
    const own = project.entries.map(({ entry_id, name: entry_name }) => {
      const { pid } = world.target
      return { ...structuredClone(task), pid, tid: `own ${entry_id}`, name: 'own', entry_id, entry_name } as never
    })
    project.archived_tasks = own.splice(-1)
    project.tasks = own
  })
}

/** Without a default group and without comments. */
const restore = (given: Given = {}) =>
  restoreInto(world.target, world.bag, { entry: undefined, provenance: false, ...given })

/** Restores until this many records are created, as if the program ended then. */
async function restoreUntil(count: number, given: Given): Promise<void> {
  const controller = new AbortController()
  const onItem = (done: number) => done === count && controller.abort()
  await expect(restore({ ...given, onItem, signal: controller.signal })).rejects.toThrow()
}

/** In which group of the target each restored task is, by its group in the backup. */
function restoredGroups(): Record<string, string[]> {
  const old = new Map(
    world.from.store.truth(world.from.pids[0] ?? '').tasks.map(({ name, entry_id }) => [name, entry_id]),
  )
  const groups: Record<string, string[]> = {}
  for (const { name, entry_id, tid } of world.target.sandbox.store.truth(world.target.pid).tasks) {
    const group = old.get(name)
    if (group === undefined || tid.startsWith('own')) continue
    groups[group] = [...new Set([...(groups[group] ?? []), entry_id])]
  }
  return groups
}

const created = () => world.target.sandbox.requests.filter(({ method }) => method === 'POST')
const WHOLE = { notRestored: [], unknown: [], inexact: [] }
const BY_NAME = { OLD1: ['N1'], OLD2: ['N2'], OLD3: ['N3'] }

describe('restore --entries by-name', () => {
  test('puts tasks into the groups of the same name, found in open and archived tasks', async () => {
    targetHas({ N1: 'Ideas', N2: 'Doing', N4: 'done', N3: 'Done' })
    expect(await restore({ entries: ['by-name'] })).toMatchObject({ ...WHOLE, created: { page: 2, task: 9 } })
    expect(restoredGroups()).toEqual(BY_NAME)
    world.target.sandbox.clearRequests()
    expect(await restore({ entries: ['by-name'] })).toMatchObject({ ...WHOLE, before: { page: 2, task: 9 } })
    expect(created()).toEqual([])
  })

  test('names all missing and ambiguous groups in one line, and creates nothing', async () => {
    targetHas({ N1: 'Ideas', N9: 'Ideas', N3: 'other' })
    const refused = restore({ entries: ['by-name'] })
    await expect(refused).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/^.*"Doing" \(OLD2\), "Done" \(OLD3\); ambiguous: "Ideas" \(OLD1\).*N1, N9.*$/),
    })
    expect(created()).toEqual([])
    expect(await readdir(dirname(world.bag))).toEqual([NAME])
    // With a fallback, a missing name is no error; an ambiguous one is.
    await expect(restore({ entries: ['by-name'], entry: 'N3' })).rejects.toThrow(/ambiguous: "Ideas"/)
    expect(await restore({ entries: ['by-name', 'OLD1=N9'], entry: 'N3' })).toMatchObject(WHOLE)
    expect(restoredGroups()).toEqual({ OLD1: ['N9'], OLD2: ['N3'], OLD3: ['N3'] })
  })

  test('is refused if the archived tasks of the target cannot be read', async () => {
    targetHas({ N1: 'Ideas', N2: 'Doing', N3: 'Done' })
    world.target.sandbox.faults.add({ kind: 'http', status: 502, operation: 'tasks.archived.list', times: 'always' })
    await expect(restore({ entries: ['by-name'] })).rejects.toMatchObject({ exitCode: 1 })
    expect(created()).toEqual([])
    expect(await readdir(dirname(world.bag))).toEqual([NAME])
  })

  test('groups stay apart, or the mapping is refused, for all names', async () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(names, names, async (old, there) => {
        const groups = old.map((name, index) => {
          return { id: `O${index}`, names: new Set(name === '' ? [] : [name]), tasks: 1, position: null }
        })
        const byName = Map.groupBy([...there.keys()], (index) => there[index] ?? '')
        byName.delete('')
        const asked = mapEntries({
          plan: { items: [], groups },
          pid: 'P',
          toProject: 'Q',
          entries: parseEntries(['by-name']),
          entry: undefined,
          state: new JournalState(),
          canCreate: false,
          readTarget: async () => new Map([...byName].map(([name, at]) => [name, new Set(at.map((n) => `N${n}`))])),
        })
        const isClear = old.every((name) => byName.get(name)?.length === 1) && new Set(old).size === old.length
        if (!isClear) {
          await expect(asked).rejects.toMatchObject({ exitCode: 2 })
          return
        }
        const { rows } = await asked
        expect(rows.map(({ to }) => there[Number(to?.slice(1))])).toEqual(old)
      }),
    )
  })
})

describe('restore --entries OLD=NEW', () => {
  test('without --entry lists the tasks of other groups, and a later run creates them', async () => {
    targetHas({ N1: 'x', N2: 'y', N3: 'z' })
    const { notRestored } = await restore({ entries: ['OLD1=N1'] })
    expect(notRestored.map(({ reason }) => reason)).toEqual(Array(6).fill('no_entry'))
    expect(await restore({ entries: ['OLD2=N2', 'OLD3=N3'] })).toMatchObject(WHOLE)
    expect(restoredGroups()).toEqual(BY_NAME)
  })

  test.each([
    [['OLD9=N1'], /OLD9=N1: project \S+ of the backup has no such task group; it has "Ideas" \(OLD1\), .*"Attic"/],
    [['OLD1=N1', 'OLD1=N2'], /OLD1 is also paired with N1/],
  ])('%j is refused before anything is created', async (entries, message) => {
    await expect(restore({ entries })).rejects.toMatchObject({ exitCode: 2, message: expect.stringMatching(message) })
    expect(created()).toEqual([])
    expect(await readdir(dirname(world.bag))).toEqual([NAME])
  })

  test('takes no other values', () => {
    for (const value of ['by-names', 'OLD1', '=N1', 'OLD1=']) {
      expect(() => parseEntries([value])).toThrow(expect.objectContaining({ exitCode: 2 }))
    }
  })
})

describe('a resumed restore', () => {
  test('uses the mapping of its journal, even if names changed and no flag is given', async () => {
    targetHas({ N1: 'Ideas', N2: 'Doing', N3: 'Done' })
    await restoreUntil(4, { entries: ['by-name'] })
    world.target.sandbox.store.change(world.target.pid, ({ tasks, entries }) => {
      for (const task of tasks) task.entry_name = task.entry_id === 'N1' ? 'Doing' : 'Ideas'
      for (const entry of entries) entry.name = entry.entry_id === 'N1' ? 'Doing' : 'Ideas'
    })
    expect(await restore({ entry: 'N3' })).toMatchObject(WHOLE)
    expect(restoredGroups()).toEqual(BY_NAME)
  })

  test('with by-name again looks up no name that the journal has', async () => {
    targetHas({ N1: 'Ideas', N2: 'Doing', N3: 'Done' })
    await restoreUntil(4, { entries: ['by-name'] })
    world.target.sandbox.store.change(world.target.pid, (project) => {
      project.tasks = project.tasks.filter(({ tid }) => !tid.startsWith('own'))
      project.archived_tasks = []
    })
    expect(await restore({ entries: ['by-name'] })).toMatchObject(WHOLE)
    expect(restoredGroups()).toEqual(BY_NAME)
  })

  test.each([
    ['a pair', { entries: ['by-name'] }, { entries: ['OLD1=N2'] }, '"Ideas" (OLD1) in N1, not N2'],
    ['another fallback', { entries: ['OLD3=N3'], entry: 'N1' }, { entry: 'N2' }, '"Ideas" (OLD1) in N1, not N2'],
    ['names after one group', { entry: 'N2' }, { entries: ['by-name'] }, '"Ideas" (OLD1) in N2, not N1'],
  ])('refuses %s that would split a group, and creates nothing', async (_, first, second, message) => {
    targetHas({ N1: 'Ideas', N2: 'Doing', N3: 'Done' })
    await restoreUntil(4, first)
    world.target.sandbox.clearRequests()
    await expect(restore(second)).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining(message) })
    expect(created()).toEqual([])
    expect(await restore(first)).toMatchObject(WHOLE)
  })
})

describe('collab-export restore --entries', () => {
  test('the example of docs/restore.md shows the mapping, then follows it', async () => {
    targetHas({ N1: 'Ideas', N2: 'Doing', N3: 'Done' })
    const page = await readFile(join(import.meta.dirname, '../../../docs/restore.md'), 'utf8')
    const script = /<!-- run: restore-entries -->\n```sh\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
    const own = script
      .replaceAll('./backups', world.bag)
      .replaceAll(/\bP2\b/g, world.target.pid)
      .replaceAll('NEW1', 'N1')
    const env = { COLLAB_BASE_URL: world.target.sandbox.baseUrl, COLLAB_TOKEN: world.target.sandbox.token }
    const stdout = await runScript(own, { cwd: await scratch(), env })
    const [dry = '', done = ''] = stdout.split(/^(?=Restored)/m)
    expect(dry).toMatch(/OLD1 +Ideas +3 +N1 +by its name\n *OLD2 +Doing +3 +N2 +by its name/)
    expect(dry).toContain('the project was only read')
    expect(dry).not.toContain('Not checked')
    expect(done).toMatch(/^Restored\n/)
    expect(done).toMatch(/OLD1 +Ideas +3 +N1 +given as a pair/)
    expect(restoredGroups()).toEqual(BY_NAME)
  })

  test('--dry-run writes nothing, and needs no service for pairs', async () => {
    const args = ['restore', world.bag, '--to-project', 'P', '--dry-run', '--json', '--entries', 'OLD1=N1']
    const { code, stdout } = await run('collab-export', args, { cwd: await scratch() })
    expect(code).toBe(0)
    const { entries, to_create, plan } = JSON.parse(stdout)
    expect(to_create.task).toBe(3)
    expect(entries[0]).toEqual({ from: 'OLD1', name: 'Ideas', tasks: 3, to: 'N1', by: 'pair', named_in_target: null })
    expect(entries[1]).toEqual({ from: 'OLD2', name: 'Doing', tasks: 3, to: null, by: null, named_in_target: null })
    expect(plan.filter(({ what }: { what: string }) => what === 'left out: no --entry')).toHaveLength(6)
    const shown = await run(
      'collab-export',
      args.filter((word) => word !== '--json'),
      { cwd: await scratch() },
    )
    expect(shown.stdout).toContain('Not checked: whether project P has task group N1')
    const refused = await run('collab-export', [...args, '--entries', 'by-name'], { cwd: await scratch() })
    expect(refused).toMatchObject({ code: 2, stdout: expect.stringContaining('--base-url') })
    expect(await readdir(dirname(world.bag))).toEqual([NAME])
  })
})
