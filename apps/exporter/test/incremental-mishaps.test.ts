import { readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { verifyBag } from '@collab-etl/bagit'
import { run, type Started } from '@collab-etl/harness/commands'
import { freshDatabase, onServer } from '@collab-etl/harness/postgres'
import { scratch } from '@collab-etl/harness/scratch'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { filesOf } from '@collab-etl/harness/trees'
import { openWarehouse } from '@collab-etl/warehouse'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { MadeBackup } from '../src/backup/make-backup.ts'
import type { BackupOptions, Format } from '../src/backup/options.ts'
import { extentOf } from '../src/source/backup-rows.ts'
import { openWarehouseSource } from '../src/source/warehouse-source.ts'
import { decrypterFor, encrypterFor, verifyArchive, writeArchive } from './archives.ts'
import { OPTIONS } from './backup-in.ts'
import {
  backupOf,
  dropTemplateAfterAll,
  expectSameAsFull,
  linkedPages,
  type Nights,
  SERVER,
} from './changing-warehouse.ts'
import { contentOf } from './written-files.ts'

dropTemplateAfterAll()

/** A change of one page that others link to, and of a comment. */
const CHANGE = "UPDATE collab.pages SET name = 'Goal' || clock_timestamp() WHERE page_id = 'target'"

/** Expects that a backup is intact and has the bytes of one without a previous backup. */
async function expectWhole(nights: Nights, made: MadeBackup, options: Partial<BackupOptions> = {}) {
  expect((await verifyBag(made.path, { fast: false })).damage).toEqual([])
  await expectSameAsFull(nights, options, made)
}

describe.runIf(SERVER !== '')('an incremental backup has the bytes of a full one', () => {
  test('after one as of an earlier time, which does not become the latest', async () => {
    const { nights, first } = await linkedPages()
    const { warehouse } = nights
    const [lastRun] = [await warehouse.log.lastFinishedRun()]
    if (lastRun === null) throw new Error('no run')
    const asOf = new Date(lastRun.finished_at ?? '')
    const openSource = () => openWarehouseSource(warehouse, lastRun, asOf, extentOf(OPTIONS))
    const earlier = await nights.make({}, { openSource })
    expect(earlier.notLatest).toMatchObject({ latest: first.name })
    await nights.sql(CHANGE)
    await expectWhole(nights, await nights.make())
    // even if the earlier state is the latest backup
    await nights.make({}, { openSource, asLatest: true })
    await expectWhole(nights, await nights.make())
  })

  test('after a verification found damage that changed neither size nor time of a file', async () => {
    const { nights, first } = await linkedPages()
    const [name = ''] = [...(await filesOf(first.path)).keys()].filter((path) => path.endsWith('.md'))
    const file = join(first.path, name)
    const { atime, mtime } = await stat(file)
    await writeFile(
      file,
      (await readFile(file, 'latin1')).replace(/[a-z]/, (letter) => (letter === 'q' ? 'x' : 'q')),
      'latin1',
    )
    await utimes(file, atime, mtime)
    expect(await run('collab-export', ['verify', first.path])).toMatchObject({ code: 5 })
    await expectWhole(nights, await nights.make())
  })

  test('after the clock was set back by a day', async () => {
    const { nights, first } = await linkedPages()
    const ahead = new Date(Date.now() + 86_400_000)
    for (const file of (await filesOf(first.path)).keys()) await utimes(join(first.path, file), ahead, ahead)
    await rename(first.path, join(nights.directory, '20990101T000000Z'))
    await rm(join(nights.directory, 'latest'))
    await symlink('20990101T000000Z', join(nights.directory, 'latest'))
    await nights.sql(
      `${CHANGE}; UPDATE collab.pages SET content = 'back', valid_from = '2001-01-01' WHERE page_id = 'near'`,
    )
    const made = await nights.make()
    expect(made.links).toMatchObject({ previous: '20990101T000000Z' })
    await expectWhole(nights, made)
    await nights.sql(CHANGE)
    await expectWhole(nights, await nights.make())
  })

  testThoroughly('if files are copied, linked or cloned in turn', async () => {
    const { nights } = await linkedPages()
    for (const link of ['none', 'hard', 'reflink', 'hard'] as const) {
      await nights.sql(CHANGE)
      await expectWhole(nights, await nights.backup({}, { link }))
    }
  })

  test.each([
    ['before it is opened', 'open'],
    ['while records are read', 'record'],
  ])('if the previous backup is pruned %s', async (_, when) => {
    const { nights, first } = await linkedPages()
    await nights.sql(CHANGE)
    const run = await nights.warehouse.log.lastFinishedRun()
    if (run === null) throw new Error('no run')
    let isPruned = false
    const prune = async () => {
      isPruned = true
      await rename(first.path, join(await scratch(), 'pruned'))
    }
    const made = await nights.make(
      {},
      {
        openSource: async () => {
          const source = await openWarehouseSource(nights.warehouse, run, undefined, extentOf(OPTIONS))
          const rows = source.rows.bind(source)
          source.rows = async function* (table, options) {
            const isTime = when === 'open' ? table === 'users' : table === 'pages' && options?.columns === undefined
            if (isTime && !isPruned) await prune()
            yield* rows(table, options)
          }
          return source
        },
      },
    )
    expect(isPruned).toBe(true)
    await expectWhole(nights, made)
  })

  testThoroughly('with options that change and change back, and for some projects', async () => {
    const { nights } = await linkedPages()
    const projects = await nights.warehouse.rows.projectVersions(['projects'])
    const html: Partial<BackupOptions> = { formats: new Set<Format>(['html', 'markdown']) }
    const variants: Partial<BackupOptions>[] = [
      ...[{ serviceHosts: ['elsewhere.example'] }, {}, { pids: [...projects.projects.keys()].slice(0, 2) }],
      ...[{}, { links: [{ kind: 'page' as const, pattern: /it(?<id>)/ }] }, html, {}],
    ]
    for (const options of variants) {
      await nights.sql(CHANGE)
      await expectWhole(nights, await nights.backup(options), options)
    }
  })

  test('after the warehouse was bound to another service', async () => {
    const { nights } = await linkedPages()
    await nights.sql("UPDATE collab.runs SET base_url = 'https://other.example'")
    const made = await nights.make()
    expect(made.links.previous).toBeNull()
    await expectWhole(nights, made)
    await nights.sql(`${CHANGE}; UPDATE collab.runs SET base_url = 'https://collab.example.com'`)
    await expectWhole(nights, await nights.make())
  })

  testThoroughly('after the database was restored to an older state under its name', async () => {
    const { nights } = await linkedPages()
    await nights.warehouse.close()
    const name = new URL(nights.url).pathname.slice(1)
    const saved = await freshDatabase(SERVER, { name })
    const open = async () => openWarehouse({ databaseUrl: nights.url, dataDir: '', schema: 'collab' })
    const later = await open()
    await nights.sql(CHANGE)
    await nights.sql("UPDATE collab.pages SET content = 'lost' WHERE page_id = 'near'")
    await backupOf(later, nights.directory)
    await later.close()
    await onServer(SERVER, `DROP DATABASE ${name}`)
    await onServer(SERVER, `ALTER DATABASE ${saved.name} RENAME TO ${name}`)
    const older = await open()
    onTestFinished(() => older.close())
    await nights.sql(CHANGE)
    const [made, full] = [await backupOf(older, nights.directory), await backupOf(older, await scratch())]
    expect(made.links.previous).not.toBeNull()
    expect(await contentOf(made)).toEqual(await contentOf(full))
  })

  testThoroughly('when two are made at once', async () => {
    const { nights } = await linkedPages()
    await nights.sql(CHANGE)
    const second = await openWarehouse({ databaseUrl: nights.url, dataDir: '', schema: 'collab' })
    onTestFinished(() => second.close())
    const ended = await Promise.allSettled([nights.make(), backupOf(second, nights.directory)])
    const made = ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    expect(made).not.toEqual([])
    for (const one of made) await expectWhole(nights, one)
    expect((await readdir(nights.directory)).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  testThoroughly('in an encrypted archive of it', async () => {
    const { nights } = await linkedPages()
    await nights.sql(CHANGE)
    const made = await nights.backup()
    const key = join(await scratch(), 'key')
    await writeFile(key, 'a long passphrase\n', { mode: 0o600 })
    const out = `${made.path}.tar.gz.age`
    const signal = new AbortController().signal
    const encrypter = await encrypterFor({ recipients: undefined, passphraseFile: key })
    await writeArchive({ bag: made.path, out, format: 'tar.gz', encrypter, signal, onFile: () => {} })
    const decrypter = await decrypterFor({ identityFile: undefined, passphraseFile: key })
    expect((await verifyArchive(out, { decrypter, signal, onProgress: () => {} })).damage).toEqual([])
    await nights.sql(CHANGE)
    await expectWhole(nights, await nights.backup())
  })

  testThoroughly('after one that was killed while it linked files', async () => {
    const { nights, first } = await linkedPages()
    const env = { DATABASE_URL: nights.url, COLLAB_SCHEMA: 'collab' }
    const args = ['backup', '--out', nights.directory, '--from', 'warehouse']
    expect((await run('collab-export', args, { env })).code).toBe(0)
    for (let round = 0; round < 6; round++) {
      await nights.sql(CHANGE)
      let command: Started | undefined
      const running = run('collab-export', args, {
        env,
        onStart: (started) => {
          command = started
        },
      })
      setTimeout(() => command?.kill('SIGKILL'), 400 + 120 * round)
      await running
    }
    expect((await verifyBag(first.path, { fast: false })).damage).toEqual([])
    await expectWhole(nights, await nights.make())
  })
})
