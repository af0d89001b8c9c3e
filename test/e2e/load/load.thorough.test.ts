/** @module-tag thorough */

import { randomInt } from 'node:crypto'
import { readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Backend, backends } from '@collab-etl/harness/backends'
import { run } from '@collab-etl/harness/commands'
import { rounds } from '@collab-etl/harness/thorough'
import { drawsNewCases } from '@collab-etl/harness/thorough-tag'
import { startSandbox } from '@collab-etl/sandbox'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changeWorld } from '../worlds/changes.ts'
import { planNight } from '../worlds/plan.ts'
import { makeWorld, type World } from '../worlds/world.ts'
import { edit, type Lines, LoadPlace, lastRun, linesOf, load } from './place.ts'

/*
 * Random services, of which each night makes a backup. What is loaded from the backups is compared with the warehouse that they are of.
 * COLLAB_TEST_WORLD=SEED runs one world, COLLAB_TEST_ROUNDS=N so many.
 */

const ONE = process.env['COLLAB_TEST_WORLD']
const FIRST = Number(ONE ?? (drawsNewCases() ? randomInt(1e9) : 1))
const NIGHTS = 12
const WITH_RECORDS = { projects: 3, barred: 1, tasks: 40, archived: 30, pages: 12, posts: 8, events: 8, extended: true }

/** What a partial scope of posts or files keeps although it was found not to exist: a backup does not say so. */
const OF_ITEMS = /^(?:post|file|comment_file)/

test('twelve nights are loaded as they were, from JSON lines', { timeout: 3_600_000 }, async () => {
  const [backend] = backends()
  if (backend === undefined) throw new Error('no warehouse')
  for (let index = 0; index < (ONE === undefined ? rounds(1, 6) : 1); index++) {
    const seed = FIRST + index
    expect(await nightsOf(seed, backend), `COLLAB_TEST_WORLD=${seed}`).toEqual([])
  }
})

/** The differences between a warehouse and what was loaded from its backups. */
async function nightsOf(seed: number, backend: Backend): Promise<string[]> {
  const world = await makeWorld(seed)
  try {
    await using place = await LoadPlace.open(backend, world.sandbox)
    const times: { at: string; isWhole: boolean }[] = []
    let isWhole = true
    for (let night = 0; night < NIGHTS; night++) {
      if (night > 0) changeWorld(world)
      const code = await readNight(world, place, night)
      if (code !== 0 && code !== 3) continue
      await place.backup('jsonl')
      // what a partial night lost comes back with the next whole one
      isWhole = code === 0
      times.push({ at: await lastRun(place.source), isWhole })
      await sleep(1000) // names of backups have seconds
    }
    const env = await place.empty()
    const { code, stderr } = await load(env, place.backups)
    if (code !== 0) return [`load ended with ${code}: ${stderr}`]
    const problems: string[] = []
    for (const [night, { at, isWhole: isSure }] of times.entries()) {
      const [loaded, read] = [await linesOf(env, at), await linesOf(place.source, at)]
      problems.push(...differences(`night ${night}`, loaded, read, isSure))
    }
    return problems
  } finally {
    await world.sandbox.close()
  }
}

async function readNight(world: World, place: LoadPlace, night: number): Promise<number | null> {
  const { sandbox } = world
  const { args, faults, quirks, stop, damage } = planNight(world, night)
  sandbox.setExtended([...world.offers])
  sandbox.setQuirks([...quirks])
  const isPlain = stop === undefined && damage === undefined && !args.includes('--workers') && !args.includes('--full')
  if (isPlain) for (const fault of faults) sandbox.faults.add(fault)
  try {
    return (await place.snapshot('--archived-page-size', '4', ...(isPlain ? args : []))).code
  } finally {
    sandbox.faults.clear()
  }
}

function differences(what: string, loaded: Lines, read: Lines, isSure: boolean): string[] {
  return Object.keys(read).flatMap((table) => {
    const [ours, theirs] = [new Set(loaded[table]), new Set(read[table])]
    const missing = [...theirs].filter((line) => !ours.has(line))
    const extra = [...ours].filter((line) => !theirs.has(line))
    const excess = !isSure && OF_ITEMS.test(table) ? [] : extra
    return [
      ...missing.map((line) => `${what}: ${table} lacks ${line}`),
      ...excess.map((line) => `${what}: ${table} has ${line}`),
    ]
  })
}

describe.each(backends())('a warehouse from one backup ($name)', (backend) => {
  test('holds from each format all that the format holds', { timeout: 600_000 }, async () => {
    const seeds = fc.sample(fc.integer({ min: 1, max: 1e6 }), {
      numRuns: rounds(1, 3),
      ...(drawsNewCases() ? {} : { seed: 7 }),
    })
    for (const seed of seeds) {
      const sandbox = await startSandbox({ ...WITH_RECORDS, seed })
      try {
        await using place = await LoadPlace.open(backend, sandbox)
        await place.snapshot()
        const read = await linesOf(place.source)
        for (const format of ['jsonl', 'csv', 'markdown', 'markdown,csv']) {
          const env = await place.empty()
          const backup = await place.backup(format)
          const { code, stdout, stderr } = await load(env, backup)
          expect(code, stderr).toBe(0)
          const { missing } = JSON.parse(stdout) as { missing: readonly { table: string; fields: string[] | null }[] }
          const loaded = await linesOf(env)
          for (const table of IN[format] ?? Object.keys(read))
            expect(loaded[table], `${seed}, ${format}: ${table}`).toEqual(read[table])
          expect(missing.length, format).toBe({ jsonl: 1, csv: 7, 'markdown,csv': 7 }[format] ?? 9)
          await rm(place.backups, { recursive: true })
        }
      } finally {
        await sandbox.close()
      }
    }
  })

  test('is the same after kills at any moment', { timeout: 600_000 }, async () => {
    const sandbox = await startSandbox({ ...WITH_RECORDS, seed: 11 })
    try {
      await using place = await LoadPlace.open(backend, sandbox)
      for (let night = 0; night < 3; night++) {
        if (night > 0) sandbox.store.change(sandbox.pids[night] ?? '', (project) => void project.tasks.splice(0, 3))
        await place.snapshot()
        await place.backup('jsonl')
        await sleep(1000)
      }
      const [whole, env] = [await place.empty(), await place.empty()]
      const begun = performance.now()
      expect((await load(whole, place.backups, { ownProcess: true })).code).toBe(0)
      const took = performance.now() - begun
      let killed = 0
      let isDone = false
      for (let part = 1; part < 8; part++) {
        const { signal } = await load(env, place.backups, {
          onStart: (started) => setTimeout(() => started.kill('SIGKILL'), (took * part) / 6),
        })
        isDone = signal === null
        if (isDone) break
        killed += 1
        const refused = await run('collab-extract', ['runs'], { env })
        if (refused.code !== 0) {
          expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('is not whole') })
          continue
        }
        // before the mark there is nothing, after it everything
        isDone = (await linesOf(env))['tasks']?.length !== 0
        if (isDone) break
      }
      expect(killed).toBeGreaterThan(0)
      if (!isDone) expect((await load(env, place.backups)).code).toBe(0)
      expect(await rowsWithTimes(env)).toEqual(await rowsWithTimes(whole))
    } finally {
      await sandbox.close()
    }
  })

  test('comes from an archive, encrypted or not, and never from one that is cut', { timeout: 600_000 }, async () => {
    const sandbox = await startSandbox({ ...WITH_RECORDS, seed: 3 })
    try {
      await using place = await LoadPlace.open(backend, sandbox)
      await place.snapshot()
      await place.backup('jsonl')
      const read = await linesOf(place.source)
      const passphrase = join(place.path, 'passphrase')
      await writeFile(passphrase, 'correct horse battery staple\n')
      for (const [as, ...keys] of [['tar.zst'], ['zip'], ['tar.zst', '--passphrase-file', passphrase]] as const) {
        const out = join(place.path, `${as}-${keys.length}`)
        const archived = await run('collab-export', [
          'archive',
          place.backups,
          '--as',
          as,
          '--out',
          out,
          ...keys.map((key) => key.replace('--', '--encrypt-')),
        ])
        expect(archived.code, archived.stderr).toBe(0)
        const env = await place.empty()
        const loaded = await run('collab-extract', ['load', out, ...keys, '--json'], { env })
        expect(loaded.code, loaded.stderr).toBe(0)
        expect(await linesOf(env)).toEqual(read)
        if (keys.length > 0) expect((await load(await place.empty(), out)).code).toBe(2)
        const bytes = (await readFile(out)).length
        await truncate(out, Math.floor(bytes * 0.6))
        const other = await place.empty()
        expect((await run('collab-extract', ['load', out, ...keys], { env: other })).code).toBe(5)
        expect((await linesOf(other))['tasks']).toEqual([])
      }
    } finally {
      await sandbox.close()
    }
  })
})

/** The tables that come back from a format as they were; of users, Markdown has the names alone. */
const IN: Readonly<Record<string, readonly string[]>> = {
  csv: [
    ...[
      'projects',
      'project_members',
      'teams',
      'users',
      'entries',
      'tasks',
      'task_labels',
      'task_todos',
      'task_members',
    ],
    ...['task_comments', 'pages', 'posts', 'post_comments', 'events', 'event_attendees', 'files'],
  ],
  'markdown,csv': ['users', 'tasks', 'task_comments', 'pages', 'posts', 'events', 'files'],
  markdown: ['page_watchers', 'post_watchers'],
}

/** The rows and their history with the times of their versions. */
async function rowsWithTimes(env: Readonly<Record<string, string>>): Promise<unknown> {
  const sql = ['tasks', 'task_comments', 'pages', 'users', 'projects', 'task_labels'].flatMap((table) => [
    `SELECT to_jsonb(t)::text FROM collab.${table} t`,
    `SELECT to_jsonb(t)::text FROM collab_history.${table} t`,
  ])
  const { code, stdout, stderr } = await run(
    'collab-extract',
    ['query', `${sql.join(' UNION ALL ')} ORDER BY 1`, '--json', '--allow-superuser'],
    { env },
  )
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

test('a backup deletes only what it covers and read completely', { timeout: 300_000 }, async () => {
  const [backend] = backends()
  if (backend === undefined) throw new Error('no warehouse')
  const sandbox = await startSandbox({ ...WITH_RECORDS, seed: 8 })
  try {
    await using place = await LoadPlace.open(backend, sandbox)
    const [first = '', second = ''] = sandbox.pids
    const pages = (pid: string) => sandbox.store.truth(pid).pages.length
    await place.snapshot()
    await place.backup('jsonl')
    const before = await linesOf(place.source)
    const [ofFirst, ofSecond] = [pages(first), pages(second)]
    for (const pid of [first, second])
      sandbox.store.change(pid, (project) => {
        project.tasks.splice(0, 2)
        project.pages.splice(-1, 1)
      })
    await place.snapshot()
    await sleep(1000)
    await place.backup('csv', '--project', first, '--content', 'pages')
    const subset = await place.empty()
    expect((await load(subset, place.backups)).code).toBe(0)
    const covered = await linesOf(subset)
    expect(covered['tasks']).toEqual(before['tasks'])
    expect(covered['page_watchers']?.filter((line) => !line.includes(first))).toEqual(
      before['page_watchers']?.filter((line) => !line.includes(first)),
    )
    const ofProject = (lines: readonly string[] = [], pid: string) =>
      lines.filter((line) => line.includes(`"${pid}"`)).length
    expect([ofProject(covered['pages'], first), ofProject(covered['pages'], second)]).toEqual([ofFirst - 1, ofSecond])
    // the list of tasks fails in a later night: what it lacks stays
    sandbox.store.change(first, (project) => void project.tasks.splice(0, 1))
    sandbox.faults.add({ kind: 'error', operation: 'tasks.list', where: { pid: first }, times: 'always' })
    expect((await place.snapshot()).code).toBe(3)
    await sleep(1000)
    await place.backup('jsonl')
    const partial = await place.empty()
    expect((await load(partial, place.backups)).code).toBe(0)
    expect((await linesOf(partial))['tasks']?.filter((line) => line.includes(first))).toEqual(
      before['tasks']?.filter((line) => line.includes(first)),
    )
  } finally {
    await sandbox.close()
  }
})

test('tables that are not as the backup states them are named, and refused', { timeout: 300_000 }, async () => {
  const [backend] = backends()
  if (backend === undefined) throw new Error('no warehouse')
  const sandbox = await startSandbox({ ...WITH_RECORDS, seed: 9 })
  try {
    await using place = await LoadPlace.open(backend, sandbox)
    await place.snapshot()
    const backup = await place.backup('jsonl')
    await edit(backup, 'data/backup.json', 'manifest-sha256.txt', (text) =>
      text.replace(/("page_watchers": .*?"hash":")(.)/, (_, before, digit) => `${before}${digit === '0' ? '1' : '0'}`),
    )
    const env = await place.empty()
    const refused = await load(env, backup)
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('page_watchers (other values)') })
    expect(refused.stderr).toContain(`the tables are not as ${basename(backup)} states`)
    expect(await run('collab-extract', ['runs'], { env })).toMatchObject({ code: 2 })
    expect(await load(env, backup)).toMatchObject({ code: 5 })
  } finally {
    await sandbox.close()
  }
})
