import { join } from 'node:path'
import { scratch } from '@collab-etl/harness/scratch'
import { filesOf } from '@collab-etl/harness/trees'
import { rowsBy } from '@collab-etl/harness/warehouse-rows'
import { startSandbox } from '@collab-etl/sandbox'
import type { Warehouse } from '@collab-etl/warehouse'
import { describe, expect, onTestFinished, test } from 'vitest'
import { extentOf } from '../src/source/backup-rows.ts'
import { openWarehouseSource } from '../src/source/warehouse-source.ts'
import { OPTIONS, writeBag } from './backup-in.ts'
import { fillWarehouse } from './fill-warehouse.ts'
import { warehouseInTurn } from './warehouse-in-turn.ts'

type Values = Readonly<Record<string, unknown>>

const TABLES = [
  ...['tasks', 'entries', 'task_todos', 'task_labels', 'task_members', 'task_watchers', 'events', 'event_attendees'],
  ...['files', 'file_comments', 'pages', 'posts', 'post_comments', 'users'],
] as const

async function filledWarehouse(): Promise<Warehouse> {
  const sandbox = await startSandbox({ projects: 2, tasks: 30, archived: 15, pages: 10, posts: 6, events: 12 })
  onTestFinished(() => sandbox.close())
  const warehouse = await fillWarehouse(sandbox, await warehouseInTurn())
  onTestFinished(() => warehouse.close())
  return warehouse
}

async function siteOf(warehouse: Warehouse): Promise<readonly string[]> {
  const run = await warehouse.log.lastFinishedRun()
  if (run === null) throw new Error('no run')
  await using source = await openWarehouseSource(warehouse, run, undefined, extentOf(OPTIONS))
  const bag = await scratch()
  await writeBag(bag, source, { formats: new Set(['html']) })
  const files = await filesOf(join(bag, 'data/html'))
  return [...files].filter(([path]) => path.endsWith('.html')).map(([, html]) => html)
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  '#x27': "'",
  '#x3C': '<',
  '#x26': '&',
  '#x22': '"',
}

/** HTML with its character references resolved, in one line. */
const decoded = (html: string) =>
  html.replace(/&([a-z]+|#x?[0-9a-f]+);/gi, (whole, name: string) => ENTITIES[name] ?? whole).replace(/\s+/g, ' ')

/** The words of Markdown that a reader sees: no addresses, no HTML. */
const words = (markdown: unknown) =>
  String(markdown ?? '')
    .replace(/\]\([^)]*\)|https?:\S+|<[^>]*>/g, ' ')
    .match(/[\p{L}\p{N}]{2,}/gu) ?? []

describe('an HTML backup of a warehouse', () => {
  test('shows every record of every table, with each field that people read', { tags: 'thorough' }, async () => {
    const warehouse = await filledWarehouse()
    const rows = await rowsBy(async (sql) => (await warehouse.rows.query(sql)).rows, [...TABLES])
    const all = (table: (typeof TABLES)[number]): readonly Values[] => rows[table] ?? []
    const pages = (await siteOf(warehouse)).map(decoded)
    const names = new Map(all('users').map(({ uid, name }) => [uid, String(name)]))
    const of = (table: (typeof TABLES)[number], row: Values, columns: readonly string[]) =>
      all(table).filter((item) => ['pid', ...columns].every((column) => item[column] === row[column]))
    const people = (items: readonly Values[]) => items.map(({ uid }) => names.get(uid))
    const oneLine = (text: unknown) =>
      String(text ?? '')
        .replace(/\s+/g, ' ')
        .trim() || 'Untitled'
    /** Expects one piece of HTML that holds a mark to hold all of these too. */
    const expectShown = (pieces: readonly string[], mark: string, held: readonly unknown[]) => {
      const [piece = '', ...more] = pieces.filter((candidate) => candidate.includes(mark))
      expect([piece.length > 0, more.length], mark).toEqual([true, 0])
      const missing = held.filter((text) => text !== null && text !== undefined && !piece.includes(String(text)))
      expect(missing, mark).toEqual([])
    }
    const at = (time: unknown) => (time === null ? null : `datetime="${new Date(String(time)).toISOString()}"`)
    const records = pages.filter((html) => html.includes('<article class="record'))

    for (const row of all('tasks')) {
      const [entry] = of('entries', row, ['entry_id'])
      expectShown(records, `<dt>Task id</dt><dd><code>${row['tid']}</code>`, [
        ...[oneLine(row['name']), entry?.['name'], ...words(row['description'])],
        ...[at(row['created_at']), at(row['updated_at']), at(row['due_at']), at(row['completed_at'])],
        ...of('task_todos', row, ['tid']).map(({ name }) => oneLine(name)),
        ...of('task_labels', row, ['tid']).map(({ name }) => name),
        ...people([...of('task_members', row, ['tid']), ...of('task_watchers', row, ['tid'])]),
        ...[row['completed'] === true ? 'done' : 'open', row['archived'] === true ? 'archived' : null],
      ])
    }
    const events = pages.flatMap((html) => html.split('<article class="event"').slice(1))
    expect(events.length).toBe(all('events').length)
    for (const row of all('events')) {
      const own = events.filter(
        (html) => html.includes(String(at(row['starts_at']))) && html.includes(`>${oneLine(row['name'])}<`),
      )
      const held = [
        ...[row['location'], row['email'], ...words(row['summary']), at(row['ends_at'])],
        ...people(of('event_attendees', row, ['event_id', 'starts_at'])),
      ].filter((text) => text !== null && text !== undefined && text !== '')
      expect(
        own.some((html) => held.every((text) => html.includes(oneLine(text)))),
        String(row['event_id']),
      ).toBe(true)
    }
    const files = pages.flatMap((html) => html.split('<li class="file"').slice(1))
    expect(files.length).toBe(all('files').length)
    for (const row of all('files')) {
      expectShown(files, `<code>${row['fid']}</code></p>`, [
        ...[oneLine(row['name']), row['path'], names.get(row['owner_uid']), ...words(row['description'])],
        ...[at(row['created_at']), at(row['updated_at'])],
        ...(row['type'] === 0 ? [`${BigInt(String(row['size_bytes'])).toLocaleString('en')} byte`] : []),
        ...of('file_comments', row, ['fid']).flatMap((comment) => [
          ...[names.get(comment['owner_uid']), at(comment['created_at']), ...words(comment['raw_message'])],
        ]),
      ])
    }
    for (const [table, key, word] of [
      ['pages', 'page_id', 'Page'],
      ['posts', 'post_id', 'Post'],
    ] as const) {
      for (const row of all(table)) {
        expectShown(records, `<dt>${word} id</dt><dd><code>${row[key]}</code>`, [
          ...[oneLine(row['name']), names.get(row['owner_uid']), at(row['created_at']), ...words(row['content'])],
          ...(table === 'posts' ? of('post_comments', row, [key]) : []).flatMap((comment) => [
            ...[names.get(comment['owner_uid']), at(comment['created_at']), ...words(comment['raw_message'])],
          ]),
        ])
      }
    }
    const persons = pages.filter((html) => html.includes('<span>id <code>'))
    for (const row of all('users')) {
      expectShown(persons, `<span>id <code>${row['uid']}</code>`, [
        row['name'],
        row['display_name'],
        row['description'],
      ])
    }
  })
})
