import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cleanEnvironment } from '@collab-etl/harness/commands'
import { scratch } from '@collab-etl/harness/scratch'
import { runScript } from '@collab-etl/harness/scripts'
import { startSandbox } from '@collab-etl/sandbox'
import { parse } from 'csv-parse/sync'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { CsvOptions } from '../src/csv/writer.ts'
import { OPTIONS, writeBag } from './backup-in.ts'
import { handMadeSource, projectRow, taskRow } from './rows.ts'
import { hasTool } from './tools.ts'

const PAGE = await readFile(join(import.meta.dirname, '../../../docs/import-tasks.md'), 'utf8')

/** The columns of the documentation of each tool. */
const TODOIST = 'TYPE CONTENT DESCRIPTION PRIORITY INDENT AUTHOR RESPONSIBLE DATE DATE_LANG TIMEZONE'.split(' ')
const GITLAB = ['title', 'description', 'due_date']

type Row = Record<string, string>

/** The rows of a file, without the header, which must be `columns`. Throws if a row has more or fewer cells. */
function rowsOf(file: string, columns: readonly string[]): Row[] {
  const [header, ...rows] = parse(file, { record_delimiter: '\r\n' }) as string[][]
  expect(header).toEqual(columns)
  return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index] ?? ''])))
}

function expectTodoist(rows: readonly Row[]): void {
  for (const row of rows) {
    expect(row['TYPE']).toMatch(/^(?:task|section)$/)
    expect(row['CONTENT']).not.toBe('')
    if (row['TYPE'] === 'task') expect(row).toMatchObject({ PRIORITY: '4', INDENT: expect.stringMatching(/^[12]$/) })
    expect(row['DATE']).toMatch(/^(?:\d{4}-\d\d-\d\d)?$/)
  }
}

function expectGitLab(rows: readonly Row[]): void {
  for (const { title = '', description = '', due_date } of rows) {
    expect(title).toMatch(/^.{1,255}$/u)
    expect(due_date).toMatch(/^(?:\d{4}-\d\d-\d\d)?$/)
    // GitLab drops carriage returns before it looks for commands. Only the first line may be one.
    const commands = description.replaceAll('\r', '').match(/^\s*\/.*$/gm) ?? []
    expect(commands.filter((line, index) => index > 0 || !/^\/label(?: ~"[^"]+")+$/.test(line))).toEqual([])
    if (commands.length > 0) expect(description.startsWith('/label ')).toBe(true)
  }
}

/** The script of the page in a new directory. */
async function withScript(): Promise<string> {
  const [, script = ''] = /<!-- file: import-tasks\.py -->\n```python\n([\s\S]*?)```/.exec(PAGE) ?? []
  const folder = await scratch()
  await writeFile(join(folder, 'import-tasks.py'), script)
  return folder
}

const importTasks = (cwd: string, ...args: string[]) =>
  promisify(execFile)('python3', ['import-tasks.py', ...args], { cwd, env: { ...cleanEnvironment(), TZ: 'UTC' } })

const NAMES = [
  ...['=1+1', '+1', '-2', '@SUM(A1)', "'=kept", "''=two", "'plain", '\t=1', ' =1', '＝1', '\u200b=1', '\u{e0001}@x'],
  ...['\ufeff-', 'say "hi"', 'a,b;c\td|e', 'two\nlines', 'two\r\nlines\n\n', '\r', '"', '', '/close', 'x\n\r/close'],
  ...['産品 😀 مرحبا', 'null'],
]

/** More than Python's csv module reads in a cell by default. */
const LARGE = 'text '.repeat(40_000)

/** Tasks with hostile names, each with a description, label, checklist and member of the same text. */
function hostileSource() {
  const tid = (index: number) => `t${String(index).padStart(3, '0')}`
  const each = <T>(of: (name: string, tid: string, index: number) => T) => NAMES.map((name, i) => of(name, tid(i), i))
  return handMadeSource({
    tables: {
      projects: [projectRow('-1', '=Plan'), projectRow('2', 'Other')],
      entries: [{ pid: '-1', entry_id: '=g', name: '=Doing, "now"', extra: null }],
      tasks: [
        ...each((name, id, i) =>
          taskRow('-1', id, name, { description: name, position: i, entry_id: i % 2 ? '=g' : null }),
        ),
        taskRow('-1', 'x1', 'Long', { name: 'long '.repeat(100), due_at: null, position: 900 }),
        taskRow('-1', 'x2', 'Far away', { due_at: '+010000-01-01T00:00:00.000Z', position: 901, description: LARGE }),
        taskRow('-1', 'x3', 'Done', { completed: true }),
        taskRow('-1', 'x4', 'Archived', { archived: true }),
        taskRow('2', 'x5', 'Of another project'),
      ],
      task_labels: each((name, id) => ({ pid: '-1', tid: id, name, description: null, extra: null })),
      task_members: each((_, id, i) => ({ pid: '-1', tid: id, uid: `u${i}`, extra: null })),
      task_todos: each((name, id, i) => ({
        pid: '-1',
        tid: id,
        todo_id: `o${i}`,
        name,
        checked: i % 3 === 0,
        position: 1,
        extra: null,
      })),
      users: each((name, _, i) => ({ uid: `u${i}`, name: null, display_name: name, extra: null })),
    },
  })
}

async function hostileBackup(csv: Partial<CsvOptions> = {}) {
  const cwd = await withScript()
  await mkdir(join(cwd, 'backup'))
  await writeBag(join(cwd, 'backup'), hostileSource(), {
    formats: new Set(['csv']),
    content: new Set(['tasks', 'users']),
    csv: { ...OPTIONS.csv, ...csv },
  })
  return cwd
}

describe.skipIf(!hasTool('python3'))('docs/import-tasks.md', () => {
  test('its example makes files with the documented columns of both tools', async () => {
    const sandbox = await startSandbox({ seed: 5, projects: 2, tasks: 30, archived: 5, pages: 1, posts: 1, events: 1 })
    onTestFinished(() => sandbox.close())
    const [pid = ''] = sandbox.pids
    const { tasks } = sandbox.store.truth(pid)
    const open = tasks.filter(({ completed }) => completed === 0)
    const [, script = ''] = /<!-- run: import-tasks -->\n```sh\n([\s\S]*?)```/.exec(PAGE) ?? []
    const cwd = await withScript()
    const env = { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token, TZ: 'UTC' }
    await runScript(script.replaceAll(/\bP1\b/g, pid), { cwd, env })

    const gitlab = rowsOf(await readFile(join(cwd, 'gitlab.csv'), 'utf8'), GITLAB)
    expectGitLab(gitlab)
    expect(gitlab.map(({ title }) => title)).toEqual(open.map(({ name }) => name))
    const dates = open.map(({ expire_date }) => (expire_date.startsWith('1970') ? '' : expire_date.slice(0, 10)))
    expect(gitlab.map(({ due_date }) => due_date)).toEqual(dates)
    expect(new Set(dates).size).toBeGreaterThan(3)

    const todoist = rowsOf(await readFile(join(cwd, 'todoist.csv'), 'utf8'), TODOIST)
    expectTodoist(todoist)
    const items = open.flatMap(({ todos }) => todos.filter(({ checked }) => checked === 0))
    expect(todoist.filter(({ INDENT }) => INDENT === '2')).toHaveLength(items.length)
    expect(todoist.filter(({ INDENT }) => INDENT === '1')).toHaveLength(open.length)
    const grouped = new Map<string, string[]>()
    for (const { TYPE, CONTENT = '', INDENT } of todoist) {
      if (TYPE === 'section') grouped.set(CONTENT, [])
      else if (INDENT === '1') [...grouped.values()].at(-1)?.push(CONTENT.replace(/ @.*/, ''))
    }
    const expected = Map.groupBy(open, ({ entry_name }) => entry_name)
    for (const [group, names] of grouped)
      expect(names, group).toEqual((expected.get(group) ?? []).map(({ name }) => name))
    expect([...grouped.keys()]).toEqual(expect.arrayContaining([...expected.keys()]))
  })

  test.each<Partial<CsvOptions>>([{}, { rawCells: true }, { bom: true, delimiter: '\t' }])(
    'hostile names arrive unchanged from a backup with %j',
    async (csv) => {
      const cwd = await hostileBackup(csv)
      const { stdout, stderr } = await importTasks(cwd, 'todoist', 'backup', '-1')
      expect(stderr.trim()).toBe(`${NAMES.length + 2} open tasks; 2 completed or archived ones left out`)
      const rows = rowsOf(stdout, TODOIST)
      expectTodoist(rows)
      const names = rows.filter(({ INDENT }) => INDENT === '1').map(({ CONTENT = '' }) => CONTENT)
      for (const name of NAMES.filter((text) => text !== '')) {
        expect(
          names.filter((text) => text === name || text.startsWith(`${name} @`)),
          JSON.stringify(name),
        ).toHaveLength(1)
        expect(
          rows.some(({ DESCRIPTION = '' }) => DESCRIPTION.startsWith(name)),
          JSON.stringify(name),
        ).toBe(true)
      }
      expect(rows.filter(({ TYPE }) => TYPE === 'section').map(({ CONTENT }) => CONTENT)).toEqual(['=Doing, "now"'])
      const items = rows.filter(({ INDENT }) => INDENT === '2').map(({ CONTENT }) => CONTENT)
      const openItems = NAMES.filter((_, index) => index % 3 !== 0).map((name) => name || 'Untitled')
      expect(items.toSorted()).toEqual(openItems.toSorted())
    },
  )

  test('no text of a task is a command to GitLab, and a long name is kept whole', async () => {
    const cwd = await hostileBackup()
    const { stdout } = await importTasks(cwd, 'gitlab', 'backup', '-1')
    const rows = rowsOf(stdout, GITLAB)
    expectGitLab(rows)
    expect(rows).toHaveLength(NAMES.length + 2)
    expect(rows.map(({ title }) => title)).toEqual(
      expect.arrayContaining(['say "hi"', 'a,b;c d|e', '/close', 'two lines']),
    )
    expect(rows.find(({ title }) => title?.startsWith('long'))?.['description']).toContain('long '.repeat(100).trim())
    expect(rows.filter(({ due_date }) => due_date === '')).toHaveLength(2)
    expect(rows.find(({ title }) => title === 'Far away')).toHaveProperty('description', LARGE)
    expect(rows.find(({ title }) => title === '/close')?.['description']).toBe(
      '/label ~"/close"\n\nMembers: /close\n\n- [ ] /close\n\n\\/close',
    )
  })
})
