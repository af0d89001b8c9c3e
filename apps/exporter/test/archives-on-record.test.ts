import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { damagedCopies, listArchives, listBackups } from '@collab-etl/backups/repository'
import { scratch } from '@collab-etl/harness/scratch'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { expect, onTestFinished, test } from 'vitest'
import { archive } from '../src/commands/archive.ts'
import { prune } from '../src/commands/prune.ts'
import { verify } from '../src/commands/verify.ts'
import { backupAt } from './backup-at.ts'
import { inProcess } from './in-process.ts'
import { handMadeSource, pageRow, projectRow } from './rows.ts'

async function flip(path: string): Promise<void> {
  const bytes = await readFile(path)
  bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0)
  await writeFile(path, bytes)
}

const WHOLE = handMadeSource({
  tables: { projects: [projectRow('P1', 'Road Map')], pages: [pageRow('P1', 'a1', 'Guide')] },
  scopes: [{ pid: 'P1', stream: 'pages', status: 'complete', error: null }],
})

const PARTIAL = handMadeSource({
  tables: { projects: [projectRow('P1', 'Road Map')], pages: [] },
  scopes: [{ pid: 'P1', stream: 'pages', status: 'failed', error: { code: 'HTTP_500', message: 'it failed' } }],
})

/** Five backups, the second of which was verified. */
async function fiveDays(): Promise<string> {
  const directory = await scratch()
  for (const day of [1, 2, 3, 4, 5]) {
    await backupAt(directory, `2026-01-0${day}T00:00Z`)
    if (day === 2) await inProcess(verify, { backup: directory })
  }
  return directory
}

/** Five days, each with an archive elsewhere, and files beside them that are not of these backups. */
async function fiveArchives(): Promise<{ directory: string; elsewhere: string; names: () => Promise<string[]> }> {
  const [directory, elsewhere] = [await fiveDays(), await scratch()]
  for (const day of [1, 2, 3, 4, 5]) {
    const [backup, out] = [join(directory, `2026010${day}T000000Z`), join(elsewhere, `2026010${day}T000000Z.zip`)]
    expect(await inProcess(archive, { backup, as: 'zip', out })).toMatchObject({ code: 0, stderr: '' })
  }
  for (const name of ['20250101T000000Z.zip', 'mine.zip']) await writeFile(join(elsewhere, name), 'of another')
  return { directory, elsewhere, names: async () => (await readdir(elsewhere)).sort() }
}

testThoroughly('prune removes archives elsewhere that it wrote of these backups, and no other file', async () => {
  const { directory, elsewhere, names } = await fiveArchives()
  const backups = await readdir(directory)
  // something else has its name by now
  await writeFile(join(elsewhere, '20260102T000000Z.zip'), 'replaced')
  const dry = await inProcess(prune, { directory, archives: elsewhere, 'keep-daily': '2', 'dry-run': true })
  expect(dry.stdout).toMatch(
    /^Not on record, and kept: 20250101T000000Z\.zip\narchive .*\n.*\n20260101T000000Z\.zip .* remove /,
  )
  expect(await names()).toHaveLength(7)
  const { document } = await inProcess(prune, { directory, archives: elsewhere, 'keep-daily': '2' })
  expect(document).toMatchObject({ kept: 2, removed: ['20260101T000000Z.zip', '20260103T000000Z.zip'] })
  const kept = ['20260102T000000Z.zip', '20260104T000000Z.zip', '20260105T000000Z.zip']
  expect(await names()).toEqual(['20250101T000000Z.zip', ...kept, 'mine.zip'])
  expect(await readdir(directory)).toEqual(backups)
  // another repository wrote none of them
  const other = await fiveDays()
  expect(await inProcess(prune, { directory: other, archives: elsewhere, 'keep-last': '1' })).toMatchObject({
    document: { archives: [], removed: [] },
  })
  expect(await names()).toHaveLength(5)
})

test('an archive covers the same where a library gives sets a JSON of its own', async () => {
  onTestFinished(() => void Reflect.deleteProperty(Set.prototype, 'toJSON'))
  const [directory, elsewhere] = [await scratch(), await scratch()]
  for (const day of [1, 2]) {
    const name = await backupAt(directory, `2026-01-0${day}T00:00Z`)
    await inProcess(archive, { backup: join(directory, name), as: 'zip', out: join(elsewhere, `${name}.zip`) })
    Object.defineProperty(Set.prototype, 'toJSON', { value: () => 'Set', configurable: true })
  }
  const { document } = await inProcess(prune, { directory, archives: elsewhere, 'keep-last': '1' })
  expect(document).toMatchObject({ kept: 1, removed: ['20260101T000000Z.zip'] })
})

test('verify --in-turn reads the older backup and the archive that were verified longest ago', async () => {
  const { directory, elsewhere } = await fiveArchives()
  const next = async () => {
    const { code, document } = await inProcess(verify, { backup: directory, 'in-turn': true, archives: elsewhere })
    const day = (name: unknown) => String(name).slice(6, 8)
    return [code, day(document['backup']), day(document['archive']), document['problem']]
  }
  // the second day was verified before, and latest has its own verification
  expect(await next()).toEqual([0, '01', '01', null])
  const rules = { directory, archives: elsewhere, 'keep-daily': '1', 'dry-run': true }
  const { document } = await inProcess(prune, rules)
  // a verification in turn shows, and keeps none
  expect(document['archives']).toMatchObject([
    { state: 'verified', action: 'remove' },
    { state: 'unverified' },
    {},
    {},
    {},
  ])
  await rm(join(elsewhere, '20260102T000000Z.zip'))
  await writeFile(join(directory, '20260103T000000Z/data/further.txt'), '')
  const damaged = 'of the backup 20260103T000000Z damaged'
  expect(await next()).toEqual([5, '03', '03', expect.stringMatching(`^\\d files? ${damaged}$`)])
  await flip(join(elsewhere, '20260104T000000Z.zip'))
  const other = 'the archive 20260104T000000Z.zip has other bytes than were written'
  expect(await next()).toEqual([5, '04', '04', other])
  expect(await next()).toEqual([0, '02', '05', null])
  // from the beginning; the archive is still damaged
  expect((await next()).slice(0, 3)).toEqual([0, '01', '01'])
  expect(await listBackups(directory)).toMatchObject([{}, {}, { state: 'damaged' }, { state: 'verified' }, {}])
  // those of the next nights wait for their turn
  for (const day of [6, 7]) {
    const name = await backupAt(directory, `2099-01-0${day}T00:00Z`)
    await inProcess(archive, { backup: join(directory, name), as: 'zip', out: join(elsewhere, `${name}.zip`) })
  }
  expect(await next()).toEqual([0, '05', '03', null])
  expect(await damagedCopies(directory)).toEqual(['20260103T000000Z', '20260104T000000Z.zip'])
  // found before: a warning, and again an error if more of it is damaged
  expect(await next()).toEqual([0, '03', '04', expect.stringContaining(`${damaged}; ${other}`)])
  await rm(join(directory, '20260103T000000Z/data/further.txt'))
  await flip(join(elsewhere, '20260104T000000Z.zip'))
  await inProcess(verify, { backup: join(directory, '20260103T000000Z') })
  expect(await damagedCopies(directory)).toEqual(['20260104T000000Z.zip'])
  await rm(join(elsewhere, '20260104T000000Z.zip'))
  expect(await damagedCopies(directory)).toEqual([])
})

test('prune names a missing archive once, forgets it by its rules, and lists unrecorded ones', async () => {
  const { directory, elsewhere } = await fiveArchives()
  const gone = async (days: number) => {
    const { document } = await inProcess(prune, { directory, archives: elsewhere, 'keep-last': `${days}` })
    return [document['warning'], document['not_on_record']]
  }
  const others = ['20250101T000000Z.zip']
  expect(await gone(9)).toEqual([null, others])
  await rm(join(elsewhere, '20260102T000000Z.zip'))
  expect(await gone(9)).toEqual([expect.stringContaining('20260102T000000Z.zip'), others])
  expect(await gone(9)).toEqual([null, others])
  const onRecord = async () => (await listArchives(directory, elsewhere)).map(({ name }) => name.slice(6, 8))
  expect(await onRecord()).toEqual(['01', '02', '03', '04', '05'])
  expect(await gone(2)).toEqual([null, others])
  expect(await onRecord()).toEqual(['04', '05'])
})

test('verify --in-turn reads latest while the newer backups are partial', async () => {
  const directory = await scratch()
  const latest = await backupAt(directory, '2026-01-01T00:00Z', WHOLE)
  await backupAt(directory, '2026-01-02T00:00Z', PARTIAL)
  await rm(join(directory, 'latest'))
  await symlink(latest, join(directory, 'latest'))
  const { document } = await inProcess(verify, { backup: directory, 'in-turn': true })
  expect(document).toMatchObject({ backup: latest })
})

test('prune keeps the archive written last, and one of a partial backup displaces no whole one', async () => {
  const [directory, elsewhere] = [await scratch(), await scratch()]
  const backups = [
    await backupAt(directory, '2026-01-01T01:00Z', WHOLE),
    await backupAt(directory, '2026-01-01T02:00Z', PARTIAL),
    await backupAt(directory, '2026-01-01T03:00Z', PARTIAL),
  ]
  // the oldest backup is archived last
  for (const name of backups.toReversed()) {
    const out = join(elsewhere, `${name}.zip`)
    await inProcess(archive, { backup: join(directory, name), as: 'zip', out })
  }
  const rules = { directory, archives: elsewhere, 'keep-daily': '1' }
  const { document, stdout } = await inProcess(prune, rules)
  expect(stdout).toContain('\nA rule counts each archive among those that hold what it holds')
  expect(document).toMatchObject({
    archives: [
      { action: 'keep', reasons: ['last written', 'daily 1 of 1'] },
      { action: 'remove' },
      { action: 'keep', reasons: ['newest undamaged one', 'daily 1 of 1'] },
    ],
  })
})
