import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '@collab-etl/harness/commands'
import { scratch } from '@collab-etl/harness/scratch'
import { parse } from 'csv-parse/sync'
import { expect } from 'vitest'
import type { TargetName } from '../src/convert/targets.ts'
import { OPTIONS, writeBag } from './backup-in.ts'
import { commentRow, eventRow, handMadeSource, pageRow, postRow, projectRow, taskRow } from './rows.ts'

/** Titles that spreadsheets would run, that look like commands, or that CSV has to quote. */
export const NAMES = [
  ...[
    '=1+1',
    '+1',
    '-2',
    '@SUM(A1)',
    "'=kept",
    '＝1',
    'say "hi"',
    'a,b;c\td|e',
    'two\nlines',
    '"',
    '/close',
    '産品 😀 مرحبا',
  ],
  ...['null', ''],
]

export const LARGE = 'text '.repeat(40_000)

const tid = (index: number) => `t${String(index).padStart(3, '0')}`

/** Tasks with hostile names, each with a description, a label, a checklist and a member; and one record of every other kind. */
export function source() {
  const each = <T>(of: (name: string, id: string, index: number) => T) => NAMES.map((name, i) => of(name, tid(i), i))
  const [pid, extra] = ['P1', null]
  return handMadeSource({
    tables: {
      projects: [projectRow(pid, '=Plan: 1/2'), projectRow('P2', 'not-converted')],
      entries: [
        { pid, entry_id: 'g1', name: 'To do', position: 2, created_at: null, updated_at: null, extra },
        { pid, entry_id: 'g2', name: '=Doing, "now"', position: 1, created_at: null, updated_at: null, extra },
        { pid, entry_id: 'g3', name: 'Empty', position: 3, created_at: null, updated_at: null, extra },
      ],
      tasks: [
        ...each((name, id, i) =>
          taskRow(pid, id, name, {
            description: i === 1 ? '```\nopen' : name,
            position: 1000 - i,
            entry_id: i % 2 ? 'g1' : 'g2',
            due_at: '2026-03-04T11:00:00.000Z',
          }),
        ),
        taskRow(pid, 'x1', 'Long', { name: 'long '.repeat(600), due_at: null, position: 1 }),
        taskRow(pid, 'x2', 'Far away', { due_at: '+010000-01-01T00:00:00.000Z', position: 2, description: LARGE }),
        taskRow(pid, 'x3', 'Done', { completed: true, completed_at: '2025-01-02T03:04:05.678Z', position: 3 }),
        taskRow(pid, 'x4', 'Archived', { archived: true, position: null }),
        taskRow('P2', 'x5', 'Of another project'),
      ],
      task_labels: each((name, id) => ({ pid, tid: id, name: 'red', description: name || 'urgent', extra })),
      task_members: [
        ...each((_, id, i) => ({ pid, tid: id, uid: `u${i % 3}`, extra })),
        { pid, tid: 'x3', uid: 'u0', extra },
      ],
      task_todos: each((name, id, i) => ({
        pid,
        tid: id,
        todo_id: `o${i}`,
        name,
        checked: i % 3 === 0,
        position: 1,
        extra,
      })),
      task_comments: [
        { ...commentRow(pid, '', 'c1'), tid: 'x3', post_id: undefined, raw_message: '/close this', owner_uid: 'u1' },
      ],
      pages: [pageRow(pid, 'a1', 'Guide'), pageRow(pid, 'a2', 'Child', { parent_id: 'a1', content: 'see /pages/a1' })],
      events: [eventRow(pid, 'e1', '2026-03-04T11:00:00.000Z', 'Meeting')],
      posts: [postRow(pid, 'b1', 'News', { content: '[guide](/pages/a1)' })],
      post_comments: [commentRow(pid, 'b1', 'c2')],
      users: [0, 1, 2].map((i) => ({
        uid: `u${i}`,
        name: `User ${i}`,
        display_name: null,
        email: i === 2 ? 'u2@example.com' : null,
        extra,
      })),
    },
  })
}

export const FORMATS = {
  jsonl: {},
  csv: { csv: { ...OPTIONS.csv, delimiter: ';' } },
  markdown: { taskFiles: 'one' },
} as const

export async function backupIn(format: keyof typeof FORMATS): Promise<string> {
  const bag = join(await scratch(), 'bag')
  await mkdir(bag)
  await writeBag(bag, source(), { formats: new Set([format]), ...FORMATS[format] })
  return bag
}

export async function converted(backup: string, target: TargetName, ...more: string[]) {
  const out = join(await scratch(), 'out')
  const { code, stdout, stderr } = await run(
    'collab-export',
    ['convert', backup, '--for', target, '--out', out, '--json', ...more],
    {
      env: { TZ: 'UTC' },
    },
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return { out, summary: JSON.parse(stdout), names: await readdir(out) }
}

export type Cells = Record<string, string>

/** The rows of a file with exactly these columns. Throws if a row has more or fewer cells. */
export async function rowsOf(path: string, columns: readonly string[]): Promise<Cells[]> {
  const [header = [], ...rows] = parse(await readFile(path, 'utf8'), { record_delimiter: '\r\n' }) as string[][]
  expect([...new Set(header)]).toEqual(columns)
  return rows.map((row) =>
    Object.fromEntries(
      header
        .map((column, at) => [column, [row[at]]] as const)
        .reduce(
          (found, [column, cells]) => found.set(column, [found.get(column), ...cells].filter(Boolean).join('\0')),
          new Map<string, string>(),
        ),
    ),
  )
}
