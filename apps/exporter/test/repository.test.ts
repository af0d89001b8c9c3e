import { cp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ListedBackup, listBackups, openPreviousBackup, readMark, sampleOf } from '@collab-etl/backups/repository'
import { scratch } from '@collab-etl/harness/scratch'
import { describe, expect, test } from 'vitest'
import { list } from '../src/commands/list.ts'
import { prune } from '../src/commands/prune.ts'
import { verify } from '../src/commands/verify.ts'
import { backupAt } from './backup-at.ts'
import { inProcess } from './in-process.ts'
import { handMadeSource, pageRow, projectRow } from './rows.ts'
import { CAN_MOUNT, tmpfs } from './tmpfs.ts'

async function flip(path: string): Promise<void> {
  const bytes = await readFile(path)
  bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0)
  await writeFile(path, bytes)
}

const states = (backups: readonly ListedBackup[]) => backups.map(({ name, state }) => `${name.slice(6, 8)} ${state}`)

describe('list', () => {
  test('shows size, new data, formats and completeness', async () => {
    const directory = await scratch()
    const first = await backupAt(directory, '2026-01-01T00:00Z')
    const whole = handMadeSource({
      tables: { projects: [projectRow('P1', 'Road Map')], pages: [pageRow('P1', 'a1', 'Guide')] },
      scopes: [{ pid: 'P1', stream: 'pages', status: 'complete', error: null }],
    })
    await backupAt(directory, '2026-01-02T00:00Z')
    await backupAt(directory, '2026-01-03T00:00Z', whole)
    const [a, b, c] = await listBackups(directory)
    expect(a).toMatchObject({
      name: first,
      state: 'unverified',
      verifiedAt: null,
      problem: null,
      sharesWith: null,
      isLatest: false,
      manifest: { formats: ['csv', 'markdown'], data: 'partial' },
    })
    expect(a?.fresh?.bytes).toBeGreaterThan(a?.oxum?.bytes ?? 0) // the manifest counts too
    expect(b).toMatchObject({ fresh: { bytes: 0, files: 0 }, oxum: a?.oxum, sharesWith: expect.any(String) })
    expect(c).toMatchObject({ isLatest: true, manifest: { data: 'whole' } })
    expect(c?.begun.toISOString()).toBe('2026-01-03T00:00:00.000Z')
  })

  test('shows damaged and unreadable backups, and archives', async () => {
    const directory = await scratch()
    for (const day of [1, 2, 3, 4]) await backupAt(directory, `2026-01-0${day}T00:00Z`)
    await rm(join(directory, '20260101T000000Z/manifest-sha256.txt'))
    await rm(join(directory, '20260102T000000Z'), { recursive: true })
    await mkdir(join(directory, '20260102T000000Z'))
    const info = join(directory, '20260103T000000Z/bag-info.txt')
    await writeFile(info, `${await readFile(info, 'utf8')}More: 1\n`)
    for (const name of [
      '20260104T000000Z.tar.zst.age',
      '20260105T000000Z.zip',
      '20260105T000000Z.txt',
      '20260231T000000Z.zip',
    ])
      await writeFile(join(directory, name), 'archive')
    for (const name of ['20260106T000000Zx', '20261306T000000Z', '.collab-export-0123456789abcdef.tmp'])
      await mkdir(join(directory, name))
    const listed = await listBackups(directory)
    expect(states(listed)).toEqual(['01 unreadable', '02 foreign', '03 damaged', '04 unverified', '05 archive'])
    expect(listed.map(({ problem }) => problem)).toEqual([
      'manifest-sha256.txt is missing',
      'it lacks bagit.txt or a data/backup.json of collab-export',
      ...['bag-info.txt is changed', null, null],
    ])
    expect(listed.map(({ archives }) => archives.map(({ name, bytes }) => `${name.slice(17)} ${bytes}`))).toEqual([
      ...[[], [], [], ['tar.zst.age 7'], ['zip 7']],
    ])
  })

  test('prints a table or one document; an empty directory has no backups', async () => {
    const directory = await scratch()
    expect(await inProcess(list, { directory })).toMatchObject({ code: 0, stdout: `No backups in ${directory}\n` })
    await backupAt(directory, '2026-01-01T00:00Z')
    await inProcess(verify, { backup: directory })
    await backupAt(directory, '2026-01-02T00:00Z')
    const shown = await inProcess(list, { directory })
    expect(shown.stdout).toMatch(/^backup +size +age +state +data +notes +projects +formats +new data\n/)
    expect(shown.stdout).toMatch(
      /20260101T000000Z .* kB +\d+ days +verified moments ago +partial +all, without 1 stream +csv,markdown .* kB\n/,
    )
    expect(shown.stdout).toMatch(
      /20260102T000000Z .* +\d+ days +unverified +partial +latest +all, without 1 stream +csv,markdown +0 B\n2 backups\n/,
    )
    expect(shown.document['backups']).toMatchObject([
      { state: 'verified', verified_at: expect.stringMatching(/Z$/), data: 'partial', latest: false, archives: [] },
      { state: 'unverified', verified_at: null, new_bytes: 0, begun_at: '2026-01-02T00:00:00.000Z', latest: true },
    ])
    const nowhere = await inProcess(list, { directory: join(directory, 'nowhere') })
    expect(nowhere).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/cannot be listed: there is no such directory/),
    })
  })
})

describe('verify records beside the backups', () => {
  test('a full verification without damage, but not fast ones or samples', async () => {
    const directory = await scratch()
    const name = await backupAt(directory, '2026-01-01T00:00Z')
    const place = { directory, name }
    for (const flags of [{ fast: true }, { sample: '1/7' }]) {
      const { code, document } = await inProcess(verify, { backup: directory, ...flags })
      expect({ code, ...document }).toMatchObject({ code: 0, status: 'whole', recorded: false })
    }
    expect(await readMark(place)).toEqual({ full: null, damage: null })
    const full = await inProcess(verify, { backup: join(directory, 'latest') })
    expect(full.document).toMatchObject({ mode: 'full', sample: null, recorded: true })
    expect((await readMark(place)).full).toMatchObject({ mode: 'full', damaged: 0 })
    const marks = join(directory, '.collab-export/verified')
    expect(await readdir(marks)).toEqual([`${name}.json`])
    expect((await stat(join(marks, `${name}.json`))).mode & 0o777).toBe(0o600)
    expect((await stat(marks)).mode & 0o777).toBe(0o700)
  })

  test('damage of any mode, until a full one finds none', async () => {
    const directory = await scratch()
    const name = await backupAt(directory, '2026-01-01T00:00Z')
    const csv = join(directory, name, 'data/csv/pages.csv')
    const whole = await readFile(csv)
    await inProcess(verify, { backup: directory })
    await writeFile(csv, '')
    expect((await inProcess(verify, { backup: directory, fast: true })).code).toBe(5)
    const [damaged] = await listBackups(directory)
    expect(damaged).toMatchObject({ state: 'damaged', problem: expect.stringMatching(/^verify found 1 damaged on /) })
    await writeFile(csv, whole)
    expect((await inProcess(verify, { backup: directory, fast: true })).code).toBe(0)
    expect(states(await listBackups(directory))).toEqual(['01 damaged'])
    expect((await inProcess(verify, { backup: directory })).code).toBe(0)
    expect(states(await listBackups(directory))).toEqual(['01 verified'])
  })

  test('nothing for a copy elsewhere or other files under its name', async () => {
    const directory = await scratch()
    const name = await backupAt(directory, '2026-01-01T00:00Z')
    const elsewhere = await scratch()
    await cp(join(directory, name), join(elsewhere, name), { recursive: true })
    const { document } = await inProcess(verify, { backup: join(elsewhere, name) })
    expect(document).toMatchObject({ status: 'whole', recorded: false })
    expect(await readdir(elsewhere)).toEqual([name])
    await inProcess(verify, { backup: directory })
    await flip(join(directory, name, 'tagmanifest-sha256.txt'))
    expect(await readMark({ directory, name })).toEqual({ full: null, damage: null })
  })
})

test.skipIf(!CAN_MOUNT)('a read-only directory is verified without a record and listed, but not pruned', async () => {
  const { path, makeReadOnly } = await tmpfs(2 ** 21)
  for (const day of [1, 2]) await backupAt(path, `2026-01-0${day}T00:00Z`)
  await makeReadOnly()
  const verified = await inProcess(verify, { backup: path })
  expect(verified).toMatchObject({ code: 0, document: { status: 'whole', recorded: false } })
  expect(verified.stderr).toMatch(/could not be recorded/)
  const inTurn = await inProcess(verify, { backup: path, 'in-turn': true })
  expect(inTurn).toMatchObject({ code: 0, document: { problem: null }, stderr: verified.stderr })
  expect(await inProcess(prune, { directory: path, 'keep-last': '1' })).toMatchObject({
    code: 2,
    stderr: `nothing can be removed from ${path}: the file system is read-only`,
  })
  expect((await inProcess(list, { directory: path })).stdout).toMatch(/2 backups\n$/)
})

describe('verify --sample', () => {
  test('finds a damaged file within as many nights as there are parts', async () => {
    const directory = await scratch()
    const damaged = 'data/markdown/road-map~1--P1/posts/quiet--2.md'
    await backupAt(directory, '2026-01-01T00:00Z')
    const same: number[] = []
    await flip(join(directory, 'latest', damaged))
    for (let night = 1; night <= 3; night++) {
      const { code, document } = await inProcess(verify, { backup: directory, sample: '1/3' })
      expect(document).toMatchObject({ mode: 'sample', sample: { part: night, of: 3 } })
      if (code === 5) same.push(night)
    }
    expect(same).toHaveLength(1)
    // Later backups link undamaged files; one file of the last backup is damaged.
    const successive: number[] = []
    for (let night = 1; night <= 3; night++) {
      const name = await backupAt(directory, `2026-02-0${night}T00:00Z`)
      await flip(join(directory, name, damaged))
      if ((await inProcess(verify, { backup: directory, sample: '1/3' })).code === 5) successive.push(night)
    }
    expect(successive).toEqual(same)
  })

  test('selects the part by the day without a repository', async () => {
    const parts = await Promise.all(
      Array.from({ length: 7 }, (_, day) => sampleOf(null, 7, new Date(Date.UTC(2026, 1, 25 + day)))),
    )
    expect(new Set(parts.map(({ part }) => part)).size).toBe(7)
  })

  test.each(['2/7', '1/1', '1/0', '7', '1/1001', ''])('%j is rejected', async (text) => {
    const refused = await inProcess(verify, { backup: '.', sample: text })
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--sample') })
  })
})

describe('prune', () => {
  async function fiveDays(): Promise<string> {
    const directory = await scratch()
    for (const day of [1, 2, 3, 4, 5]) {
      await backupAt(directory, `2026-01-0${day}T00:00Z`)
      if (day === 2) await inProcess(verify, { backup: directory })
    }
    await writeFile(join(directory, '20260101T000000Z.tar.gz'), 'archive')
    await writeFile(join(directory, 'mine.txt'), '')
    return directory
  }

  /** What a killed run leaves behind. */
  async function leaveBehind(directory: string): Promise<void> {
    const abandoned = join(directory, '.collab-export-0123456789abcdef.tmp')
    await mkdir(abandoned)
    await writeFile(join(abandoned, 'owner.json'), '')
  }

  test('gives a reason for each, and removes backups with archives and records', async () => {
    const directory = await fiveDays()
    const whole = (await readdir(directory)).sort()
    const dry = await inProcess(prune, { directory, 'keep-daily': '2', 'dry-run': true })
    expect(
      dry.stdout
        .trim()
        .split('\n')
        .map((line) => line.replace(/ {2,}/g, ' ').replace(/ \d+ days /, ' ')),
    ).toEqual([
      'backup age state action why',
      expect.stringMatching(/^─/),
      '20260101T000000Z unverified remove no rule keeps it',
      '20260102T000000Z verified keep last verified',
      '20260103T000000Z unverified remove no rule keeps it',
      '20260104T000000Z unverified keep daily 2 of 2',
      '20260105T000000Z unverified keep latest points to it, newest undamaged one, daily 1 of 2',
      '3 backups kept, 2 would be removed (--dry-run)',
    ])
    expect((await readdir(directory)).sort()).toEqual(whole)
    await leaveBehind(directory)
    const done = await inProcess(prune, { directory, 'keep-daily': '2' })
    const table = (text: string) => text.split('\n').slice(0, -2)
    expect(table(done.stdout)).toEqual(table(dry.stdout))
    expect(done.stdout).toMatch(/3 backups kept, 2 removed, .* freed\n$/)
    expect((await readdir(directory)).sort()).toEqual([
      ...['.collab-export', '20260102T000000Z', '20260104T000000Z', '20260105T000000Z', 'latest', 'mine.txt'],
    ])
    for (const name of ['20260102T000000Z', '20260104T000000Z', 'latest']) {
      expect((await inProcess(verify, { backup: join(directory, name) })).code, name).toBe(0)
    }
  })

  test('after a killed run, the next one clears the temporary directory', async () => {
    const directory = await fiveDays()
    const whole = await readdir(directory)
    await leaveBehind(directory)
    await inProcess(prune, { directory, 'keep-last': '5', 'dry-run': true })
    expect(await readdir(directory)).toHaveLength(whole.length + 1)
    const { stdout } = await inProcess(prune, { directory, 'keep-last': '5' })
    expect(stdout).toMatch(/5 backups kept, 0 removed/)
    expect((await readdir(directory)).sort()).toEqual(whole.sort())
  })

  test('prints one document with --json', async () => {
    const directory = await fiveDays()
    const { document } = await inProcess(prune, { directory, 'keep-last': '4' })
    expect(document).toMatchObject({ dry_run: false, kept: 4, removed: ['20260101T000000Z'] })
    expect((document['backups'] as unknown[])[1]).toEqual({
      name: '20260102T000000Z',
      state: 'verified',
      action: 'keep',
      reasons: ['last verified', 'last 4 of 4'],
    })
    const again = await inProcess(prune, { directory, 'keep-last': '4' })
    expect(again.document).toMatchObject({ kept: 4, removed: [], freed_bytes: 0 })
  })

  test.each([
    [{}, /no rule keeps any backup/],
    [{ 'keep-daily': '0' }, /no rule keeps any backup/],
    [{ 'keep-daily': '-1' }, /--keep-daily must be a number/],
    [{ 'keep-last': 'all' }, /--keep-last must be a number/],
    [{ 'keep-within': '30' }, /--keep-within must be a duration/],
  ])('with %j is rejected, and removes nothing', async (flags, message) => {
    const directory = await scratch()
    await symlink('20260101T000000Z', join(directory, 'latest'))
    await mkdir(join(directory, '20250101T000000Z'))
    const refused = await inProcess(prune, { directory, ...flags })
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) })
    expect(await readdir(directory)).toHaveLength(2)
  })
})

describe('latest is recognised as', () => {
  const NAME = '20260101T000000Z'
  type Point = (directory: string, latest: string) => Promise<void>
  const link = (target: (directory: string) => string): Point => {
    return (directory, latest) => symlink(target(directory), latest)
  }

  test.each<[form: string, point: Point]>([
    ['an absolute path', link((directory) => join(directory, NAME))],
    ['an absolute path from before the directory was moved', link(() => `/mnt/away/${NAME}`)],
    ['./NAME', link(() => `./${NAME}`)],
    ['NAME/', link(() => `${NAME}/`)],
    ['.//NAME//.', link(() => `.//${NAME}//.`)],
    ['a file with ./NAME', (_directory, latest) => writeFile(latest, `./${NAME}\r\n`)],
    [
      'a link to another link',
      async (directory, latest) => {
        await symlink(NAME, join(directory, 'current'))
        await symlink('current', latest)
      },
    ],
  ])('%s', async (_form, point) => {
    const directory = await scratch()
    await backupAt(directory, '2026-01-01T00:00Z')
    await backupAt(directory, '2026-01-02T00:00Z')
    await rm(join(directory, 'latest'))
    await point(directory, join(directory, 'latest'))
    const verified = await inProcess(verify, { backup: directory })
    expect(verified.document).toMatchObject({ backup: expect.stringContaining(NAME), recorded: true })
    expect((await listBackups(directory)).map(({ isLatest }) => isLatest)).toEqual([true, false])
    await using previous = await openPreviousBackup(directory, 'hard', 'http://localhost')
    expect(previous.previous).toBe(NAME)
    const pruned = await inProcess(prune, { directory, 'keep-last': '1' })
    expect(pruned.stdout).toMatch(/20260101T000000Z .* keep +latest points to it/)
    expect(await readdir(directory)).toContain(NAME)
  })
})
