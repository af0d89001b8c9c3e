import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratch } from '@collab-etl/harness/scratch'
import { times } from '@collab-etl/harness/thorough'
import { filesOf } from '@collab-etl/harness/trees'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Target } from '../src/convert/target.ts'
import { TARGET_NAMES, TARGETS, type TargetName } from '../src/convert/targets.ts'
import { writeBag } from './backup-in.ts'
import { type Cells, converted, rowsOf } from './conversions.ts'
import { commentRow, eventRow, fileRow, handMadeSource, pageRow, postRow, projectRow, taskRow } from './rows.ts'
import { hasTool, shell } from './tools.ts'

/** A value of a source. The files must have all of `found`, or the list of values left out must have one of `listed`. */
interface Sent {
  readonly is: string
  readonly found: readonly string[]
  readonly listed: readonly string[]
}

const AROUND = [
  '',
  ' ',
  '\n',
  '"',
  "'",
  '/',
  '=',
  ', ',
  ' @',
  '\t',
  '~"x" ',
  '```\n',
  '産 ',
  '😀',
  '\r\n/close\n',
  '\u0001',
  'long '.repeat(60),
  'x'.repeat(3000),
]
/** Records of the service have only these; CSV also has `FURTHER_DAYS`. */
const DAYS = ['0500-01-02', '1999-12-31', '2026-03-04', '9999-12-30']
const FURTHER_DAYS = ['-000400-03-04', '+012345-05-06']
const HOURS = ['T00:00:00.000Z', 'T11:22:33.444Z', 'T23:59:59.999Z']

/** One record of each kind, and some tasks; no two values are the same. */
function world(format: 'jsonl' | 'csv', pick: (length: number) => number, tasks: number) {
  const sent: Sent[] = []
  const one = <T>(of: readonly T[]) => of[pick(of.length)] as T
  const value = (is: string, ...listed: string[]) => around(AROUND, is, listed)
  /** A key is short, because backups shorten long ones. */
  const key = (is: string, ...listed: string[]) =>
    around(
      AROUND.filter((text) => text.length < 50),
      is,
      listed,
    )
  const around = (texts: readonly string[], is: string, listed: readonly string[]) => {
    const [begin, end] = [`Q${sent.length}a`, `Q${sent.length}z`]
    sent.push({ is, found: [begin, end], listed })
    return `${one(texts)}${begin}${one(texts)}${end}${one(texts)}`
  }
  const id = (is: string, ...listed: string[]) => {
    sent.push({ is, found: [`Q${sent.length}z`], listed })
    return `Q${sent.length - 1}z`
  }
  /** A time, which a field may write in a form of its own. */
  const time = (is: string, ...listed: string[]) => {
    const at = `${one(format === 'csv' ? [...DAYS, ...FURTHER_DAYS] : DAYS)}${one(HOURS)}`
    sent.push({ is, found: [at], listed })
    return at
  }
  const extra = (kind: string, ...listed: string[]) => ({ more: id(`${kind} extra`, `${kind} extra`, kind, ...listed) })
  const [pid, left] = ['P1', ['tasks archived', 'tasks completed']]
  const of = (tid: string) => ({ pid, tid })
  const tids = Array.from({ length: tasks }, (_, index) => `t${String(index).padStart(3, '0')}`)
  const each = <T>(make: (tid: string) => T) => tids.map(make)
  const comment = (kind: string, at: string, ...listed: string[]) =>
    commentRow(pid, at, `c${at}`, {
      raw_message: value(`${kind} message`, kind, ...listed),
      message: null,
      created_at: time(`${kind} time`, kind, ...listed),
      extra: extra(kind, ...listed),
    })
  const attached = (parent_kind: string, parent_id: string, ...listed: string[]) => ({
    ...{ pid, parent_kind, parent_id, cid: `c${parent_id}`, fid: id('attached id', ...listed), folder_id: null },
    name: value('attached name', ...listed),
    description: value('attached description', 'comment_files description', ...listed),
    size_bytes: '77',
    path: value('attached path', 'comment_files path', ...listed),
    extra: null,
  })
  const written = (kind: 'pages' | 'posts') => ({
    name: value(`${kind} name`, kind, `${kind} title`),
    summary: value(`${kind} summary`, kind, `${kind} summary`),
    content: value(`${kind} content`, kind),
    created_at: time(`${kind} created`, kind, `${kind} created_at`),
    updated_at: time(`${kind} updated`, kind, `${kind} updated_at`),
    owner_uid: 'u1',
    extra: extra(kind),
  })
  const source = handMadeSource({
    tables: {
      projects: [
        projectRow(pid, value('project name', 'projects name'), {
          description: value('project description', 'projects description'),
          pic: value('picture', 'projects settings'),
          extra: extra('projects'),
        }),
      ],
      // CSV does not have them
      project_labels:
        format === 'csv'
          ? []
          : [{ pid, name: key('project label', 'projects labels'), description: null, extra: null }],
      users: [1, 2].map((n) => ({ uid: `u${n}`, name: `Person${n}`, email: `u${n}@example.com`, extra: null })),
      entries: ['g1', 'g2'].map((entry_id) => ({
        ...{ pid, entry_id, position: 1, name: value('group', 'entries'), extra: extra('entries') },
        created_at: time('group created', 'entries created_at', 'entries'),
        updated_at: null,
      })),
      tasks: each((tid) =>
        taskRow(pid, tid, value('task name', ...left), {
          description: value('task description', ...left),
          entry_id: one(['g1', 'g2', null]),
          completed: one([true, false]),
          archived: one([true, false, false]),
          completed_at: one([true, false]) ? time('completed', ...left) : null,
          due_at: time('due', ...left),
          created_at: time('created', ...left),
          updated_at: time('updated', ...left),
          extra: { more: id('task extra', 'tasks extra', ...left) },
        }),
      ),
      task_labels: each((tid) => ({
        ...of(tid),
        name: key('colour', 'tasks colour of labels', ...left),
        description: value('label', ...left),
        extra: null,
      })),
      task_todos: each((tid) => ({
        ...{ ...of(tid), todo_id: 'o1', position: 1, extra: null },
        name: value('item', ...left),
        checked: one([true, false]),
      })),
      task_members: each((tid) => ({ ...of(tid), uid: one(['u1', 'u2']), extra: null })),
      task_comments: each((tid) => ({ ...comment('task_comments', tid, ...left), tid, post_id: undefined })),
      pages: [pageRow(pid, 'a1', null, written('pages'))],
      posts: [postRow(pid, 'b1', null, written('posts'))],
      post_comments: [comment('post_comments', 'b1')],
      events: [
        eventRow(pid, 'v1', time('event start', 'events'), value('event', 'events'), {
          summary: value('event summary', 'events'),
          location: value('event place', 'events'),
          extra: extra('events'),
        }),
      ],
      files: [
        fileRow(pid, 'f1', value('file', 'files'), { description: value('file text', 'files'), extra: extra('files') }),
      ],
      comment_files: [...each((tid) => attached('task', tid, ...left)), attached('post', 'b1', 'post_comments')],
    },
  })
  return { format, source, sent }
}

/** All texts of a conversion, without the escapes of their formats. */
async function textOf(out: string): Promise<string> {
  if (hasTool('unzip')) await shell(out, 'test ! -e pages.zip || unzip -q pages.zip -d unpacked')
  const texts: string[] = []
  for (const [name, text] of await filesOf(out)) {
    if (name === 'not-converted.csv') continue
    texts.push(name)
    if (name.endsWith('.csv')) texts.push((parse(text) as string[][]).flat().join('\n'))
    else if (name.endsWith('.jsonl'))
      texts.push(
        ...text
          .trimEnd()
          .split('\n')
          .map((line) => strings(JSON.parse(line))),
      )
    else if (!name.endsWith('.zip')) texts.push(text)
  }
  return texts.join('\n')
}

function strings(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Object.values(value).map(strings).join('\n')
  return String(value)
}

/** Whether a text has a value; a time also without its milliseconds, and midnight also as a day. */
function isIn(text: string, part: string): boolean {
  const second = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.exec(part)?.[0]
  if (text.includes(part)) return true
  if (second === undefined) return false
  const day = second.endsWith('T00:00:00') ? second.slice(0, 10) : second
  return [second, second.replace('T', ' '), day].some((form) => text.includes(form))
}

async function lostOf({ format, source, sent }: ReturnType<typeof world>, targets: readonly TargetName[]) {
  const bag = join(await scratch(), 'bag')
  await mkdir(bag)
  await writeBag(bag, source, { formats: new Set([format]) })
  const lost: string[] = []
  for (const target of targets) {
    const { out, summary } = await converted(bag, target)
    const text = await textOf(out)
    const listed = new Set(
      summary.not_converted
        .filter(({ where }: Cells) => where === 'left out')
        .map(({ kind, field }: Cells) => `${kind} ${field}`.trim()),
    )
    for (const { is, found, listed: as } of sent)
      if (!found.every((part) => isIn(text, part)) && !as.some((each) => listed.has(each)))
        lost.push(`${target}: ${is} ${found.join(' … ')}`)
  }
  return lost
}

async function tasksOf(out: string, target: TargetName, project: string): Promise<Cells[]> {
  const { tasks }: Target = TARGETS[target]
  return await rowsOf(join(out, `${project}.csv`), tasks?.columns ?? [])
}

describe('what a conversion cannot hold', () => {
  test('each value is in a file, or listed as left out', { timeout: 600_000, tags: 'thorough' }, async () => {
    const worlds = fc.noShrink(fc.infiniteStream(fc.nat()))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('jsonl', 'csv'), worlds, async (format, draws) => {
        const made = world(format, (length) => (draws.next().value ?? 0) % length, 4)
        expect(await lostOf(made, TARGET_NAMES)).toEqual([])
      }),
      { numRuns: times(1, 20), endOnFailure: true },
    )
  })

  test('texts and labels keep to the limits of each tool, and different labels stay different', async () => {
    const [pid, extra, at] = ['P1', null, 'x'.repeat(49)]
    const names = [`${at}1`, `${at}12`, `${at}13`, 'a b', 'a_b', 'a,b', 'urgent', 'Later', 'group']
    const label = (tid: string, description: string, n: number) => ({ pid, tid, name: `c${n}`, description, extra })
    const source = handMadeSource({
      tables: {
        projects: [projectRow(pid, 'Limits')],
        entries: [{ pid, entry_id: 'g1', name: 'group', position: 1, created_at: null, updated_at: null, extra }],
        tasks: [
          ...names.map((name, n) => taskRow(pid, `t${n}`, name, { entry_id: 'g1' })),
          taskRow(pid, 't9', 'Long', { entry_id: 'g1', description: 'd'.repeat(1_100_000) }),
        ],
        task_labels: [
          ...names.map((name, n) => label(`t${n}`, name, n)),
          ...names.map((name, n) => label('t9', name, n)),
        ],
      },
    })
    const bag = join(await scratch(), 'bag')
    await mkdir(bag)
    await writeBag(bag, source, { formats: new Set(['jsonl']) })
    const rows = async (target: TargetName) => await tasksOf((await converted(bag, target)).out, target, 'Limits')

    const github = await converted(bag, 'github')
    const lines = (await readFile(join(github.out, 'Limits.jsonl'), 'utf8')).trimEnd().split('\n')
    for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThan(1024 * 1024)
    const labels: readonly string[][] = lines.map((line) => JSON.parse(line).issue.labels)
    for (const name of labels.flat()) expect(name.length).toBeLessThanOrEqual(50)
    // no two labels are the same, and none is the same as its group
    expect(new Set(labels.slice(0, names.length).map((of) => of.at(-1))).size).toBe(names.length)
    expect(labels.slice(0, names.length).map((of) => of.length)).toEqual(names.map(() => 2))
    const entry = { pid, project: 'Limits', kind: 'tasks' }
    expect(github.summary.not_converted).toContainEqual({ ...entry, field: 'labels', where: 'in the text', records: 4 })
    expect(github.summary.not_converted).toContainEqual({
      ...entry,
      field: 'end of the text',
      where: 'left out',
      records: 1,
    })

    const jira = await rows('jira')
    expect(new Set(jira.map((row) => row['Labels'])).size).toBe(names.length + 1)
    for (const { Description = '', Comment = '' } of jira)
      for (const text of [Description, ...Comment.split('\0')]) expect(text.length).toBeLessThanOrEqual(32_767)
    const todoist = await rows('todoist')
    for (const { TYPE, CONTENT = '', DESCRIPTION = '' } of todoist)
      expect([CONTENT.length <= (TYPE === 'note' ? 15_000 : 500), DESCRIPTION.length <= 16_383]).toEqual([true, true])
    const linear = await rows('linear')
    for (const { Labels = '' } of linear) expect(Labels.split(/, (?=[A-Z])/)).toHaveLength(Labels.split(', ').length)
  })

  test('groups of finished tasks and misleading statuses of open ones are in the text', async () => {
    const [pid, extra] = ['P1', null]
    const of = (tid: string, more: Cells | { completed: true } | { archived: true }) =>
      taskRow(pid, tid, tid, { entry_id: 'g1', ...more })
    const group = { pid, position: 1, created_at: null, updated_at: null, extra }
    const source = handMadeSource({
      tables: {
        projects: [projectRow(pid, 'Groups')],
        entries: [
          { ...group, entry_id: 'g1', name: 'Ideas' },
          { ...group, entry_id: 'g2', name: 'Done' },
        ],
        tasks: [
          of('finished', { completed: true }),
          of('kept', { archived: true }),
          of('open', {}),
          of('unclear', { entry_id: 'g2' }),
          of('early', { due_at: '0999-05-01T00:00:00.000Z' }),
        ],
      },
    })
    const bag = join(await scratch(), 'bag')
    await mkdir(bag)
    await writeBag(bag, source, { formats: new Set(['jsonl']) })
    for (const target of ['jira', 'linear'] as const) {
      const { out, summary } = await converted(bag, target)
      const rows = await tasksOf(out, target, 'Groups')
      const text = (title: string) =>
        rows.find((row) => [row['Summary'], row['Title']].includes(title))?.['Description']
      for (const title of ['finished', 'kept']) expect(text(title), target).toContain('- Task group: Ideas')
      expect(text('open'), target).not.toContain('Task group')
      expect(text('unclear'), target).toContain('- Open')
      expect(text('early'), target).toContain('- Due: 0999-05-01T00:00:00.000Z')
      expect(summary.not_converted, target).toContainEqual({
        pid,
        project: 'Groups',
        kind: 'tasks',
        field: 'group',
        where: 'in the text',
        records: 2,
      })
    }
  })
})
