import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Format } from '@collab-etl/backups'
import { CONTENT, type Content } from '@collab-etl/backups'
import { run } from '@collab-etl/harness/commands'
import { scratch } from '@collab-etl/harness/scratch'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { isThorough } from '@collab-etl/harness/thorough-tag'
import { filesOf } from '@collab-etl/harness/trees'
import { withoutReading } from '@collab-etl/harness/without-reading'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BackupOptions } from '../src/backup/options.ts'
import { csvTables } from '../src/csv/tables.ts'
import { apiBackup } from './api-backup.ts'
import { writeBag } from './backup-in.ts'
import { dropTemplateAfterAll, expectSameAsFull, linkedPages, SERVER } from './changing-warehouse.ts'
import { goldenSource } from './golden-source.ts'

dropTemplateAfterAll()

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox({ projects: 2, tasks: 8, archived: 4, pages: 6, posts: 4, events: 4 })
})

afterAll(() => sandbox.close())

const only = (formats: readonly Format[], ...content: readonly Content[]): Partial<BackupOptions> => ({
  formats: new Set(formats),
  content: new Set(content),
})

const payloadOf = async (bag: string) => Object.fromEntries(withoutReading(await filesOf(join(bag, 'data'))))

const manifestOf = async (bag: string) => JSON.parse(await readFile(join(bag, 'data/backup.json'), 'utf8'))

describe('--content', () => {
  test.each(CONTENT)('%s alone gives the CSV files of that kind and of projects, with the same bytes', async (kind) => {
    const [all, one] = [await scratch(), await scratch()]
    await writeBag(all, goldenSource(), { formats: new Set(['csv']) })
    await writeBag(one, goldenSource(), only(['csv'], kind))
    const names = csvTables(new Set([kind])).map((name) => `${name}.csv`)
    expect((await readdir(join(one, 'data/csv'))).sort()).toEqual(names.toSorted())
    for (const name of names) {
      const [a, b] = [all, one].map((bag) => readFile(join(bag, 'data/csv', name), 'utf8'))
      expect(await b, name).toBe(await a)
    }
    expect(await manifestOf(one)).toMatchObject({ content: [kind] })
  })

  test('leaves out the JSON lines of other kinds, and their links and lists in Markdown', async () => {
    const bag = await scratch()
    await writeBag(bag, goldenSource(), only(['markdown', 'jsonl'], 'posts', 'tasks'))
    const payload = await payloadOf(bag)
    const names = Object.keys(payload).filter((path) => path.startsWith('jsonl/road-map'))
    const files = ['archived_tasks', 'posts', 'project', 'tasks', 'webhooks']
    expect(names.map((path) => path.split('/').at(-1)).sort()).toEqual(files.map((name) => `${name}.jsonl`))
    expect(Object.keys(payload).filter((path) => path.includes('/pages/'))).toEqual([])
    expect(payload['markdown/road-map~1--P1/README.md']).not.toMatch(/Guide|## Events/)
    expect(Object.keys(payload).filter((path) => /\/events\./.test(path))).toEqual([])
    expect(payload['backup.json']).toContain('"kind":"link_target_missing"')
    expect(await manifestOf(bag)).toMatchObject({
      content: ['posts', 'tasks'],
      counts: { pages: 0, posts: 2, tasks: 3 },
    })
  })

  test('names in the manifest what the formats can hold', async () => {
    for (const [formats, content] of [
      [['markdown'], ['events', 'files', 'pages', 'posts', 'tasks']],
      [['jsonl'], ['events', 'files', 'pages', 'posts', 'tasks']],
      [['markdown', 'csv'], CONTENT.toSorted()],
    ] as const) {
      const bag = await scratch()
      await writeBag(bag, goldenSource(), { formats: new Set(formats) })
      expect((await manifestOf(bag)).content).toEqual(content)
    }
  })

  test('reads from the service only the streams that it needs', async () => {
    const { bag, contents } = await apiBackup(sandbox, only(['csv'], 'tasks', 'pages'))
    const streams = new Set(contents.scopes.map(({ stream }) => stream))
    expect(streams).toEqual(new Set(['projects', 'tasks', 'archived_tasks', 'pages']))
    const whole = await payloadOf((await apiBackup(sandbox, { formats: new Set(['csv']) })).bag)
    for (const [path, text] of Object.entries(await payloadOf(bag))) {
      if (path.startsWith('csv/')) expect(text, path).toBe(whole[path])
    }
  })
})

test('restore of a CSV backup without pages and posts is refused with what to add', async () => {
  const bag = await scratch()
  await writeBag(bag, goldenSource(), only(['csv'], 'tasks', 'users'))
  const env = { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token }
  const args = ['restore', bag, '--project', 'P1', '--to-project', sandbox.pids[0] ?? '']
  const { code, stderr } = await run('collab-export', args, { cwd: await scratch(), env })
  expect({ code, lines: stderr.trim().split('\n').length }).toEqual({ code: 2, lines: 1 })
  expect(stderr).toMatch(/made with --content tasks, users\. Add --format jsonl to restore tasks/)
})

describe.runIf(SERVER !== '' && isThorough())('the next backup after another --content', () => {
  testThoroughly('has exactly what it names, and latest stays at the one with more', async () => {
    const { nights, first } = await linkedPages()
    const csv = ['markdown', 'csv'] as const
    for (const options of [only(csv, 'pages', 'tasks'), only(csv, 'tasks', 'users'), {}]) {
      await nights.sql(`UPDATE collab.tasks SET name = name || '!'; UPDATE collab.pages SET content = content || '!'`)
      const made = await nights.make(options)
      await expectSameAsFull(nights, options, made)
      const lack = 'content' in options ? expect.stringMatching(/^it was made without .*posts/) : null
      expect(made.notLatest).toEqual(lack && { latest: first.name, lack })
    }
  })
})
