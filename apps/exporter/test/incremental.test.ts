import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { verifyBag } from '@collab-etl/bagit'
import { freshDatabase } from '@collab-etl/harness/postgres'
import { scratch } from '@collab-etl/harness/scratch'
import { rounds, testEveryNth, testThoroughly } from '@collab-etl/harness/thorough'
import { filesOf } from '@collab-etl/harness/trees'
import { startSandbox } from '@collab-etl/sandbox'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { BackupJob, MadeBackup } from '../src/backup/make-backup.ts'
import type { BackupOptions, Format } from '../src/backup/options.ts'
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
import { CHANGES } from './row-changes.ts'
import { writtenIn } from './written-files.ts'

dropTemplateAfterAll()

const INPUTS = 'document-inputs.jsonl'

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
  naming: fc.constantFrom('id-suffix' as const, 'plain' as const, 'docusaurus' as const),
})

describe.runIf(SERVER !== '')('a backup after any changes', () => {
  test('has the bytes of one without a previous backup, and the report of --rehash', {
    tags: 'thorough',
    timeout: 1_200_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(forms, fc.array(changes, { minLength: 1, maxLength: 4 }), async (form, nightly) => {
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
      { numRuns: rounds(2, 40) },
    )
  })
})

describe.runIf(SERVER !== '')('the report of a backup that reuses files of the previous one', () => {
  const nightly = [
    ['pages', ['renamePage', 'linkFromPage', 'deletePage', 'addPage', 'rewritePage', 'movePage']],
    ['posts and comments', ['renamePost', 'deletePost', 'addPost', 'comment', 'deleteComment', 'addComment']],
    ['lists', ['renameTask', 'moveTask', 'deleteTodo', 'labelTask', 'renameEvent', 'invite', 'addFile', 'deleteFile']],
    ['a project that is gone', ['deleteWholeProject', 'renamePage']],
  ] as const

  testEveryNth(nightly, 2)('names the changes that comparing all rows finds: %s', async (_what, kinds) => {
    const nights = await Nights.begin()
    await nights.backup()
    await nights.change(...kinds.map((kind, index) => ({ kind, a: index + 2, b: 7 - index })))
    const report = await nights.reportByReading()
    expect(report).toContain('Changes since the previous backup')
    expect(await reportIn(await nights.backup())).toBe(report)
  })
})

describe.runIf(SERVER !== '')('lists that no format is made of', () => {
  test('are no inputs: a watcher that is removed leaves a CSV backup the same', async () => {
    const nights = await Nights.begin()
    const options = { formats: new Set<Format>(['csv']) }
    await nights.backup(options)
    await nights.sql('UPDATE collab.page_watchers SET deleted_at = now()')
    await expectSameAsFull(nights, options, await nights.backup(options))
  })
})

const REWRITTEN = /^(?:csv|html\/assets)\/|^(?:backup\.json|report\.html)$|README\.md$/

describe.runIf(SERVER !== '')('after a change, a backup writes', () => {
  test('no file if nothing changed', async () => {
    const { nights, first } = await linkedPages()
    const again = await nights.backup()
    expect(await writtenIn(again, first)).toEqual([])
    expect(again.links).toMatchObject({ previous: first.name, newData: { files: 2 } })
  })

  test.each([
    ['moved', "UPDATE collab.pages SET parent_id = 'near' WHERE page_id = 'target'", 'near/target--target'],
    ['renamed', "UPDATE collab.pages SET name = 'Goal' WHERE page_id = 'target'", 'goal--target'],
  ])('a page that was %s, and the pages that link to it', async (_what, statement, path) => {
    const { nights, first } = await linkedPages()
    await nights.sql(statement)
    const again = await nights.backup()
    const written = (await writtenIn(again, first)).filter((name) => !REWRITTEN.test(name))
    const target = `markdown/project-1/pages/${path.replace('near/', 'near--near/')}.md`
    expect(written).toEqual(
      ['markdown/project-1/pages/near--near.md', target, 'markdown/project-2/pages/far--far.md'].sort(),
    )
    await expectSameAsFull(nights, {}, again)
  })

  test('a page whose content changed, and no page that links to it', async () => {
    const { nights, first } = await linkedPages()
    await nights.sql("UPDATE collab.pages SET content = 'more' WHERE page_id = 'target'")
    const again = await nights.backup()
    const written = (await writtenIn(again, first)).filter((name) => name.startsWith('markdown/project-'))
    expect(written.filter((name) => !REWRITTEN.test(name))).toEqual(['markdown/project-1/pages/target--target.md'])
    expect(written.filter((name) => name.includes('project-2'))).toEqual([])
    await expectSameAsFull(nights, {}, again)
  })

  test('of a project with other changes, a page whose link leads elsewhere', async () => {
    const { nights, first } = await linkedPages()
    await nights.sql(`
      UPDATE collab.pages SET name = 'Goal' WHERE page_id = 'target';
      UPDATE collab.posts SET content = 'more' WHERE pid = (SELECT pid FROM collab.pages WHERE page_id = 'far')`)
    const again = await nights.backup()
    const written = (await writtenIn(again, first)).filter((name) => name.startsWith('markdown/project-2/pages/'))
    expect(written).toEqual(['markdown/project-2/pages/far--far.md'])
    await expectSameAsFull(nights, {}, again)
  })

  test('the pages that link to one that was deleted, or that is new', async () => {
    const { nights } = await linkedPages()
    for (const change of ['deleted_at = now()', 'deleted_at = NULL']) {
      await nights.sql(`UPDATE collab.pages SET ${change} WHERE page_id = 'target'`)
      await expectSameAsFull(nights, {}, await nights.backup())
    }
  })

  test('in HTML, the index of a project whose description links to a page that was renamed', async () => {
    const options = { formats: new Set<Format>(['html']) }
    const { nights } = await linkedPages(options)
    await nights.sql(`
      UPDATE collab.pages SET content = 'no links' WHERE page_id = 'far';
      UPDATE collab.projects SET description = '[it](/projects/' || (SELECT pid FROM collab.pages WHERE page_id = 'target') || '/pages/target)'
        WHERE name = 'Project 2'`)
    await nights.backup(options)
    await nights.sql("UPDATE collab.pages SET name = 'Goal' WHERE page_id = 'target'")
    await expectSameAsFull(nights, options, await nights.backup(options))
  })

  test('the pages of a user who was renamed', async () => {
    const { nights, first } = await linkedPages()
    await nights.sql("UPDATE collab.users SET name = 'New Name' WHERE uid = (SELECT min(uid) FROM collab.users)")
    const again = await nights.backup()
    expect(await writtenIn(again, first)).toContain('markdown/project-2/pages/far--far.md')
    expect(await writtenIn(again, first)).not.toContain('markdown/project-1/pages/near--near.md')
    await expectSameAsFull(nights, {}, again)
  })

  test('a project that was renamed, and the pages that link to it', async () => {
    const { nights, first } = await linkedPages()
    await nights.sql("UPDATE collab.projects SET name = 'Elsewhere' WHERE name = 'Project 1'")
    const again = await nights.backup()
    const written = (await writtenIn(again, first)).filter((name) => !REWRITTEN.test(name))
    expect(written.filter((name) => name.includes('project-2'))).toEqual(['markdown/project-2/pages/far--far.md'])
    await expectSameAsFull(nights, {}, again)
  })

  test('in all formats, the files of a page that changed, and those made of all pages', async () => {
    const options = { formats: new Set<Format>(['markdown', 'csv', 'html', 'jsonl']) }
    const { nights, first } = await linkedPages(options)
    await nights.sql("UPDATE collab.pages SET content = 'more' WHERE page_id = 'near'")
    const again = await nights.backup(options)
    const written = (await writtenIn(again, first)).map((name) => name.replace(/(?<=\/search\/)\w+/, 'segment'))
    expect(written).toEqual([
      'csv/pages.csv',
      'html/project-1/pages/near--near.html',
      'html/project-1/search/segment-d0.js',
      'html/project-1/search/segment-t0.js',
      'jsonl/project-1/pages.jsonl',
      'markdown/project-1/pages/near--near.md',
      'report.html',
    ])
    await expectSameAsFull(nights, options, again)
  })
})

describe.runIf(SERVER !== '')('no file is reused unread from a previous backup', () => {
  /** Backs up in a second form, and expects what a backup without a previous one has. */
  async function expectAllWritten(options: Partial<BackupOptions>, job: Partial<BackupJob> = {}): Promise<void> {
    const { nights } = await linkedPages()
    const again = await nights.backup(options, job)
    expect((await verifyBag(again.path, { fast: false })).damage).toEqual([])
    if (job.software === undefined) await expectSameAsFull(nights, options, again)
    expect((await readFile(join(again.path, INPUTS), 'utf8')).split('\n')[0]).not.toBe(
      (await readFile(join(nights.directory, '20240101T000000Z', INPUTS), 'utf8')).split('\n')[0],
    )
  }

  test('that another version of the program made', () => expectAllWritten({}, { software: 'test 1' }))

  test('with other links', () => expectAllWritten({ linkStyle: 'wiki' }))

  testThoroughly('with other names', () => expectAllWritten({ naming: 'plain' }))

  testThoroughly('with other cells', () => expectAllWritten({ csv: { rawCells: true, bom: true, delimiter: ';' } }))

  testThoroughly('with other formats', () => expectAllWritten({ formats: new Set<Format>(['markdown', 'html']) }))

  test('with other forms of links', () => expectAllWritten({ links: [{ kind: 'page', pattern: /it(?<id>)/ }] }))

  test('if the warehouse is another one', async () => {
    const { nights } = await linkedPages()
    await nights.sql("UPDATE collab.runs SET run_id = 'another'")
    await expectSameAsFull(nights, {}, await nights.backup())
  })
})

describe.runIf(SERVER !== '')('a previous backup that was damaged', () => {
  async function damagedIn(path: string, damage: (file: string) => Promise<void>): Promise<Nights> {
    const { nights, first } = await linkedPages()
    const file = [...(await filesOf(first.path)).keys()].find((name) => name.replace(/--[0-9a-f]{24}/g, '') === path)
    if (file === undefined) throw new Error(`no ${path}`)
    await damage(join(first.path, file))
    return nights
  }

  /** Another byte in the place of the first, which changes nothing but the time of modification. */
  async function flip(file: string): Promise<void> {
    const bytes = await readFile(file)
    bytes[0] = (bytes[0] ?? 0) ^ 1
    await writeFile(file, bytes)
    const later = new Date(Date.now() + 60_000)
    await utimes(file, later, later)
  }

  const damaged = [
    'data/markdown/project-1/pages/near--near.md',
    'data/markdown/project-2/README.md',
    'data/csv/pages.csv',
    'data/backup.json',
    'manifest-sha256.txt',
    'payload-sizes.txt',
    INPUTS,
  ]

  testEveryNth(damaged, 3)('gives none of its damage to the next one: %s', async (path) => {
    const nights = await damagedIn(path, flip)
    const again = await nights.backup()
    expect((await verifyBag(again.path, { fast: false })).damage).toEqual([])
    await expectSameAsFull(nights, {}, again)
  })

  testEveryNth(['data/markdown/project-1/pages/near--near.md', 'data/csv/pages.csv', INPUTS], 3)(
    'lacks a file, which the next one has: %s',
    async (path) => {
      const nights = await damagedIn(path, (file) => rm(file))
      await expectSameAsFull(nights, {}, await nights.backup())
    },
  )

  test('is found by verify if its size and time hide it, or repaired with --rehash', async () => {
    const path = 'data/markdown/project-1/pages/near--near.md'
    const hidden = async (file: string) => {
      const { atime, mtime } = await stat(file)
      await flip(file)
      await utimes(file, atime, mtime)
    }
    const nights = await damagedIn(path, hidden)
    const again = await nights.backup()
    const found = (await verifyBag(again.path, { fast: false })).damage
    expect(found.map(({ kind, path }) => [kind, path.replace(/--[0-9a-f]{24}/g, '')])).toEqual([['changed', path]])
    await expectSameAsFull(nights, {}, await nights.backup({}, { rehash: true }))
  })

  test.each([
    ['rows of a table', 'csv', /\/csv\/pages\.csv$/],
    ['texts of the search', 'html', /\/project-1\/search\/\w+-d0\.js$/],
  ] as const)('does not spread changed %s whose time hides them', async (_what, format, path) => {
    const options = { formats: new Set<Format>([format]) }
    const { nights, first } = await linkedPages(options)
    const [name = ''] = [...(await filesOf(first.path)).keys()].filter((name) =>
      path.test(name.replace(/--[0-9a-f]{24}/g, '')),
    )
    const file = join(first.path, name)
    const { atime, mtime } = await stat(file)
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace('Target', 'Tergat'))
    await utimes(file, atime, mtime)
    await nights.sql("UPDATE collab.pages SET content = 'more' WHERE page_id = 'near'")
    await expectSameAsFull(nights, options, await nights.backup(options))
  })
})

describe('a backup after a snapshot', () => {
  // The embedded one takes several seconds.
  testEveryNth([...(SERVER === '' ? [] : ['postgres']), 'embedded'], 2)(
    'takes the records that it has read again: %s',
    async (backend) => {
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
        const backup = await backupOf(warehouse, directory)
        await warehouse.close()
        made.push(backup)
        expect((await verifyBag(backup.path, { fast: false })).damage).toEqual([])
      }
      const [first, again, changed] = made as [MadeBackup, MadeBackup, MadeBackup]
      // The report and the index say when the data was read, the index to the minute. The others list the files: manifests and bag-info.txt.
      const written = await writtenIn(again, first)
      expect(written.filter((name) => name !== 'markdown/README.md')).toEqual(['report.html'])
      expect(again.links.newData.files - written.length).toBe(4)
      expect(changed.links.newData.files).toBeLessThan(first.links.newData.files)
    },
  )
})
