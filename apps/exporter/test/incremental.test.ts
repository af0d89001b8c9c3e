import { readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Format } from '@collab-etl/backups'
import { freshDatabase, onServer } from '@collab-etl/harness/postgres'
import { scratch } from '@collab-etl/harness/scratch'
import { everyNth, rounds, testEveryNth, testThoroughly, times } from '@collab-etl/harness/thorough'
import { filesOf } from '@collab-etl/harness/trees'
import { startSandbox } from '@collab-etl/sandbox'
import { openWarehouse } from '@collab-etl/warehouse'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { BackupRequest, MadeBackup } from '../src/backup/make-backup.ts'
import type { BackupOptions } from '../src/backup/options.ts'
import { verify } from '../src/commands/verify.ts'
import { extentOf } from '../src/source/backup-rows.ts'
import { openWarehouseSource } from '../src/source/warehouse-source.ts'
import { OPTIONS } from './backup-in.ts'
import {
  backupOf,
  dropTemplateAfterAll,
  expectSameAsFull,
  linkedPages,
  Nights,
  reportIn,
  SERVER,
} from './changing-warehouse.ts'
import { fillWarehouse } from './fill-warehouse.ts'
import { inProcess } from './in-process.ts'
import { CHANGES } from './row-changes.ts'
import { contentOf, fileIn, writtenIn } from './written-files.ts'

dropTemplateAfterAll()

const ALL: Partial<BackupOptions> = { formats: new Set<Format>(['markdown', 'csv', 'html', 'jsonl']) }

/** A change of one page that others link to. */
const CHANGE = "UPDATE collab.pages SET name = 'Goal' || clock_timestamp() WHERE page_id = 'target'"

const changes = fc.array(
  fc.record({
    kind: fc.constantFrom(...(Object.keys(CHANGES) as (keyof typeof CHANGES)[])),
    a: fc.nat(40),
    b: fc.nat(40),
  }),
  { maxLength: 4 },
)

const forms = fc.record({
  formats: fc.constantFrom<Format[]>(
    ...([['markdown', 'csv'], ['markdown', 'csv'], ['markdown'], ['csv'], ['html'], ['jsonl', 'csv']] as Format[][]),
    ['markdown', 'csv', 'html', 'jsonl'],
  ),
  linkStyle: fc.constantFrom('relative' as const, 'wiki' as const),
  titleHeading: fc.constantFrom('auto' as const, 'never' as const),
  taskFiles: fc.constantFrom('group' as const, 'one' as const),
  naming: fc.constantFrom('id-suffix' as const, 'plain' as const, 'docusaurus' as const),
})

describe.runIf(SERVER !== '')('a backup after any changes', () => {
  test('has the bytes of one without a previous backup, and the report of --rehash', {
    tags: 'thorough',
    timeout: 1_200_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(forms, fc.array(changes, { minLength: 1, maxLength: times(2, 4) }), async (form, nightly) => {
        const options = { ...form, formats: new Set(form.formats) }
        const nights = await Nights.begin()
        await nights.backup(options)
        for (const night of nightly) {
          await nights.change(...night)
          const report = await nights.reportByReading(options)
          const made = await nights.backup(options)
          await expectSameAsFull(nights, options, made)
          expect(await reportIn(made)).toBe(report)
        }
      }),
      { numRuns: rounds(1, 40) },
    )
  })
})

/** Each project has rows in every table. A task of the first one links to a page of it, and names a person. */
const FILLED = `
  INSERT INTO collab.tasks (pid, tid, name, valid_from) SELECT pid, 'task', 'Task', now() FROM collab.projects;
  INSERT INTO collab.task_todos (pid, tid, todo_id, name, valid_from) SELECT pid, 'task', 'd', 'Todo', now() FROM collab.projects;
  INSERT INTO collab.events (pid, event_id, starts_at, name, valid_from) SELECT pid, 'event', now(), 'Event', now() FROM collab.projects;
  INSERT INTO collab.files (pid, fid, name, valid_from) SELECT pid, 'file', 'File', now() FROM collab.projects;
  DELETE FROM collab.task_members; DELETE FROM collab.task_watchers; DELETE FROM collab.event_attendees;
  UPDATE collab.tasks SET description = ''; UPDATE collab.files SET owner_uid = NULL;
  INSERT INTO collab.users (uid, name, valid_from) VALUES ('member', 'Member', now()), ('idle', 'Idle', now());
  UPDATE collab.tasks SET description = '[it](/pages/target) and [gone](/pages/gone)'
    WHERE tid = 'task' AND pid = (SELECT pid FROM collab.pages WHERE page_id = 'target');
  INSERT INTO collab.task_members (pid, tid, uid, valid_from)
    SELECT pid, 'task', 'member', now() FROM collab.pages WHERE page_id = 'target'`

const page = (set: string, id = 'target') => `UPDATE collab.pages SET ${set} WHERE page_id = '${id}'`

/** A change, how many projects are read because of it, and the files that are written, without the report and CSV files. */
type Step = readonly [what: string, change: string, projects: number, written: readonly string[]]

const NEAR = 'markdown/project-1/pages/near--near.md'
const FAR = 'markdown/project-2/pages/far--far.md'
const INDEX = 'markdown/project-1/README.md'
const TARGET = 'markdown/project-1/pages/target--target.md'
const TASKS = 'markdown/project-1/tasks/no-group.md'

const below = (name: string) => `${NEAR.replace('.md', '')}/${name}--target.md`
/** It has hashes of the rows. */
const MANIFEST = 'backup.json'
/** It counts the pages. */
const COUNTS = 'markdown/README.md'

const STEPS: readonly Step[] = [
  ['nothing', 'SELECT 1', 0, []],
  ['a person whom no record names', "UPDATE collab.users SET name = 'N' WHERE uid = 'idle'", 0, []],
  ['the content of a page', page("content = 'more'"), 1, [MANIFEST, TARGET]],
  ['the place of a page', page("parent_id = 'near'"), 2, [MANIFEST, INDEX, NEAR, below('target'), TASKS, FAR]],
  ['the name of a page', page("name = 'Goal'"), 2, [MANIFEST, INDEX, NEAR, below('goal'), TASKS, FAR]],
  ['a page, deleted', page('deleted_at = now()'), 2, [MANIFEST, COUNTS, INDEX, NEAR, TASKS, FAR]],
  ['a page, new', page('deleted_at = NULL'), 2, [MANIFEST, COUNTS, INDEX, NEAR, below('goal'), TASKS, FAR]],
  [
    'the name of a page, and a post of the other project that links to it',
    `${page("name = 'Aim'")}; UPDATE collab.posts SET content = 'more' WHERE pid = (SELECT pid FROM collab.pages WHERE page_id = 'far')`,
    2,
    [MANIFEST, INDEX, NEAR, below('aim'), TASKS, FAR],
  ],
  [
    'an item of a task',
    "UPDATE collab.task_todos SET name = '=1' WHERE pid = (SELECT min(pid) FROM collab.task_todos)",
    1,
    [MANIFEST, TASKS],
  ],
  ['a person whom a task names', "UPDATE collab.users SET name = 'N' WHERE uid = 'member'", 1, [MANIFEST, TASKS]],
  [
    'a person who owns a page and a post',
    'UPDATE collab.users SET name = $$New$$ WHERE uid = (SELECT min(uid) FROM collab.users)',
    2,
    [MANIFEST, 'markdown/project-1/files.md', 'markdown/project-1/posts/proposal-one-deploy-a-day.md', FAR],
  ],
]

describe.runIf(SERVER !== '')('after a change, a backup', () => {
  test('reads and writes what depends on it, and has the bytes of a full one', { tags: 'thorough' }, async () => {
    const checked = times(0, 1) === 1 ? STEPS.map(([what]) => what) : ['a page, deleted', 'an item of a task']
    const { nights, first } = await linkedPages()
    await nights.sql(FILLED)
    let before = await nights.backup()
    for (const [what, change, projects, written] of STEPS) {
      await nights.sql(change)
      const read: (string | undefined)[] = []
      const source = await nights.sourceWith((table, pid, areColumns) => {
        if (table === 'tasks' && !areColumns) read.push(pid)
      })
      const made = await nights.backup({}, source)
      const changed = (await writtenIn(made, before)).filter((path) => !/^csv|^report/.test(path))
      expect({ what, read: read.length, changed }).toEqual({ what, read: projects, changed: written })
      if (checked.includes(what)) await expectSameAsFull(nights, {}, made)
      before = made
    }
    await nights.sql("UPDATE collab.projects SET name = 'Elsewhere' WHERE name = 'Project 1'")
    const made = await nights.backup()
    expect((await writtenIn(made, before)).filter((path) => /project-[23]/.test(path))).toEqual([FAR])
    await expectSameAsFull(nights, {}, made)
    for (const { path } of [first, made]) expect((await inProcess(verify, { backup: path })).code).toBe(0)
  })

  testThoroughly('in all formats writes the files of the record, and those made of all records', async () => {
    const { nights } = await linkedPages()
    await nights.sql(`
      ${FILLED};
      UPDATE collab.pages SET content = 'no links' WHERE page_id = 'far';
      UPDATE collab.projects SET description = '[it](/projects/' || (SELECT pid FROM collab.pages WHERE page_id = 'target') || '/pages/target)'
        WHERE name = 'Project 2'`)
    const before = await nights.backup(ALL)
    await nights.sql(page("content = 'more'", 'near'))
    const made = await nights.backup(ALL)
    const written = (await writtenIn(made, before)).map((name) => name.replace(/(?<=\/search\/)\w+/, 'segment'))
    expect(written).toEqual([
      MANIFEST,
      'csv/pages.csv',
      'html/project-1/pages/near--near.html',
      'html/project-1/search/segment-d0.js',
      'html/project-1/search/segment-t0.js',
      'jsonl/project-1/pages.jsonl',
      'markdown/project-1/pages/near--near.md',
      'report.html',
    ])
    await expectSameAsFull(nights, ALL, made)
    for (const change of [page("name = 'Goal'"), "UPDATE collab.users SET name = 'N' WHERE uid = 'member'"]) {
      await nights.sql(change)
      await expectSameAsFull(nights, ALL, await nights.backup(ALL))
    }
  })

  test('in CSV, which has no watchers, stays as it is if one is removed', async () => {
    const nights = await Nights.begin()
    const options = { formats: new Set<Format>(['csv']) }
    const before = await nights.backup(options)
    await nights.sql('UPDATE collab.page_watchers SET deleted_at = now()')
    expect(await writtenIn(await nights.backup(options), before)).toEqual([])
  })
})

const INPUTS = 'document-inputs.jsonl'

describe.runIf(SERVER !== '')('no file is reused unread from a previous backup', () => {
  /** How a next backup differs. */
  const others: readonly (readonly [what: string, options: Partial<BackupOptions>, job?: Partial<BackupRequest>])[] = [
    ['another version of the program', {}, { software: 'test 1' }],
    ['other links', { linkStyle: 'wiki' }],
    ['other names', { naming: 'plain' }],
    ['other cells', { csv: { rawCells: true, bom: true, delimiter: ';' } }],
    ['other formats', { formats: new Set<Format>(['markdown', 'html']) }],
    ['other forms of links', { links: [{ kind: 'page', pattern: /it(?<id>)/ }] }],
    ['other content', { content: new Set(['pages', 'events']) }],
  ]

  testEveryNth(others, 7)('of another form: %s', async (...other) => {
    const [, options, job] = other
    const { nights } = await linkedPages()
    const different = await nights.backup(options, { asLatest: true, ...job })
    if (job === undefined) await expectSameAsFull(nights, options, different)
    const again = await nights.backup({}, { asLatest: true })
    await expectSameAsFull(nights, {}, again)
    const inputs = [different, again].map(({ path }) => readFile(join(path, INPUTS), 'utf8'))
    const [one, two] = (await Promise.all(inputs)).map((text) => text.split('\n')[0])
    expect(one).not.toBe(two)
  })

  testThoroughly('of all projects in one of some of them', async () => {
    const { nights } = await linkedPages()
    const pids = [...(await nights.warehouse.rows.projectVersions(['projects'])).projects.keys()].slice(0, 2)
    await nights.sql(CHANGE)
    await expectSameAsFull(nights, { pids }, await nights.backup({ pids }))
  })

  testThoroughly('of another warehouse or service', async () => {
    const { nights } = await linkedPages()
    await nights.sql("UPDATE collab.runs SET run_id = 'another'")
    await expectSameAsFull(nights, {}, await nights.backup())
    await nights.sql("UPDATE collab.runs SET base_url = 'https://other.example'")
    const made = await nights.make()
    expect(made.links.previous).toBeNull()
    await expectSameAsFull(nights, {}, made)
    await nights.sql(`${CHANGE}; UPDATE collab.runs SET base_url = 'https://collab.example.com'`)
    await expectSameAsFull(nights, {}, await nights.make())
  })
})

/** Another byte in the place of the first; size and time of modification hide it if asked to. */
async function flip(file: string, isHidden = false): Promise<void> {
  const [bytes, { atime, mtime }] = [await readFile(file), await stat(file)]
  bytes[0] = (bytes[0] ?? 0) ^ 1
  await writeFile(file, bytes)
  const later = new Date(Date.now() + 60_000)
  await (isHidden ? utimes(file, atime, mtime) : utimes(file, later, later))
}

describe.runIf(SERVER !== '')('damage of the previous backup', () => {
  const described = ['data/backup.json', 'manifest-sha256.txt', 'payload-sizes.txt', INPUTS]

  testThoroughly('does not reach the next one, whichever file was changed or removed', async () => {
    const { nights, first } = await linkedPages()
    const full = await contentOf(await nights.full())
    let latest = first
    const files = [`data/${NEAR}`, 'data/markdown/project-2/README.md', 'data/csv/pages.csv', ...described]
    for (const path of everyNth(files, 4)) {
      for (const damage of [flip, rm]) {
        await damage(await fileIn(latest, path))
        latest = await nights.backup()
        expect(await contentOf(latest), path).toEqual(full)
      }
    }
  })

  testThoroughly('that size and time hide is found by verify, and repaired then or with --rehash', async () => {
    const { nights, first } = await linkedPages()
    await flip(await fileIn(first, `data/${NEAR}`), true)
    const again = await nights.backup()
    const { document } = await inProcess(verify, { backup: again.path })
    expect(document['damage']).toMatchObject([{ kind: 'changed', path: expect.stringMatching(/near--near\.md$/) }])
    const repaired = await nights.backup()
    await expectSameAsFull(nights, {}, repaired)
    await flip(await fileIn(repaired, `data/${NEAR}`), true)
    await expectSameAsFull(nights, {}, await nights.backup({}, { rehash: true }))
  })

  const hidden = [
    ['rows of a table', 'csv', /\/csv\/pages\.csv$/],
    ['texts of the search', 'html', /\/project-1\/search\/\w+-d0\.js$/],
  ] as const

  testEveryNth(hidden, 2)('does not spread by %s whose time hides it', async (_what, format, path) => {
    const options = { formats: new Set<Format>([format]) }
    const { nights, first } = await linkedPages(options)
    const file = await fileIn(first, path)
    const { atime, mtime } = await stat(file)
    await writeFile(file, (await readFile(file, 'utf8')).replace('Target', 'Tergat'))
    await utimes(file, atime, mtime)
    await nights.sql(page("content = 'more'", 'near'))
    await expectSameAsFull(nights, options, await nights.backup(options))
  })
})

describe.runIf(SERVER !== '')('an incremental backup has the bytes of a full one', () => {
  testThoroughly('after one as of an earlier time, which does not become the latest', async () => {
    const { nights, first } = await linkedPages()
    const { warehouse } = nights
    const lastRun = await warehouse.log.lastFinishedRun()
    if (lastRun === null) throw new Error('no run')
    const asOf = new Date(lastRun.finished_at ?? '')
    const openSource = () => openWarehouseSource(warehouse, lastRun, asOf, extentOf(OPTIONS))
    const earlier = await nights.make({}, { openSource })
    expect(earlier.notLatest).toMatchObject({ latest: first.name })
    await nights.sql(CHANGE)
    await expectSameAsFull(nights, {}, await nights.make())
    await nights.make({}, { openSource, asLatest: true })
    await expectSameAsFull(nights, {}, await nights.make())
  })

  testThoroughly('after the clock was set back by a day', async () => {
    const { nights, first } = await linkedPages()
    const ahead = new Date(Date.now() + 86_400_000)
    for (const file of (await filesOf(first.path)).keys()) await utimes(join(first.path, file), ahead, ahead)
    await rename(first.path, join(nights.directory, '20990101T000000Z'))
    await rm(join(nights.directory, 'latest'))
    await symlink('20990101T000000Z', join(nights.directory, 'latest'))
    await nights.sql(`${CHANGE}; ${page("content = 'back', valid_from = '2001-01-01'", 'near')}`)
    const made = await nights.make()
    expect(made.links).toMatchObject({ previous: '20990101T000000Z' })
    await expectSameAsFull(nights, {}, made)
    await nights.sql(CHANGE)
    await expectSameAsFull(nights, {}, await nights.make())
  })

  const pruned = [
    ['before it is opened', 'users', true],
    ['while records are read', 'page_watchers', false],
  ] as const
  testEveryNth(pruned, 2)('if the previous backup is pruned %s', async (_, prunedAt, evenColumns) => {
    const { nights, first } = await linkedPages()
    await nights.sql(CHANGE)
    let isPruned = false
    const source = await nights.sourceWith(async (table, _pid, areColumns) => {
      if (isPruned || table !== prunedAt || (areColumns && !evenColumns)) return
      isPruned = true
      await rename(first.path, join(await scratch(), 'pruned'))
    })
    const made = await nights.make({}, source)
    expect(isPruned).toBe(true)
    await expectSameAsFull(nights, {}, made)
  })

  testThoroughly('after the database was restored to an older state under its name', async () => {
    const { nights } = await linkedPages()
    await nights.warehouse.close()
    const name = new URL(nights.url).pathname.slice(1)
    const saved = await freshDatabase(SERVER, { name })
    const open = async () => openWarehouse({ databaseUrl: nights.url, dataDir: '', schema: 'collab' })
    const later = await open()
    await nights.sql(CHANGE)
    await nights.sql(page("content = 'lost'", 'near'))
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
})

for (const backend of [...(SERVER === '' ? [] : ['postgres']), 'embedded']) {
  testThoroughly(`a backup after a snapshot takes the records that it has read again: ${backend}`, async () => {
    const database = backend === 'postgres' ? await freshDatabase(SERVER) : null
    if (database) onTestFinished(() => database.drop())
    const [databaseUrl, dataDir] = [database?.url, await scratch()]
    const sandbox = await startSandbox({ projects: 2, tasks: 2, archived: 0, pages: 6, posts: 3, events: 0 })
    onTestFinished(() => sandbox.close())
    const [pid = ''] = sandbox.pids
    const directory = await scratch()
    const made: MadeBackup[] = []
    for (const name of [null, null, 'Renamed']) {
      sandbox.store.change(pid, ({ pages }) => name !== null && Object.assign(pages[0] ?? {}, { name }))
      const warehouse = await fillWarehouse(sandbox, { databaseUrl, dataDir, schema: 'collab' })
      made.push(await backupOf(warehouse, directory))
      await warehouse.close()
    }
    const [first, again, changed] = made as [MadeBackup, MadeBackup, MadeBackup]
    // The report and the index say when the data was read, the index to the minute. The others list the files: manifests and bag-info.txt.
    const written = await writtenIn(again, first)
    expect(written.filter((name) => name !== 'markdown/README.md')).toEqual(['report.html'])
    expect(again.links.newData.files - written.length).toBe(4)
    expect(changed.links.newData.files).toBeLessThan(first.links.newData.files)
    expect((await inProcess(verify, { backup: changed.path })).code).toBe(0)
  })
}
