import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { onBackendsInTurn } from '../support/backends.ts'
import { analysisData, values } from './data.ts'

const page = await readFile(join(import.meta.dirname, '../../../../docs/warehouse.md'), 'utf8')
const questions = [...page.matchAll(/^### \d+\. (.*)\n\n```sql\n([\s\S]*?)```/gm)].map(
  ([, question = '', sql = '']) => ({ question, sql }),
)

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Noon of a Monday. Runs are on that day and the three days after; answers do not depend on the present time. */
const MONDAY = Date.parse('2024-03-04T12:00:00Z')
const at = (days: number) => new Date(MONDAY + days * DAY).toISOString()
const ago = (hours: number) => new Date(Date.now() - hours * HOUR).toISOString()

onBackendsInTurn('models', (backend) => {
  const given = analysisData(backend)

  /**
   * Four runs. t1 moves from To do to Doing, gets Ben and another due date, is completed; t2 is open and overdue; t3 was completed before
   * the first run; t4 is deleted by the third; t5 is new in project p2.
   */
  beforeEach(async () => {
    const { data } = given
    await data.addRuns([0, 1, 2, 3].map(at))
    await data.addReadings([0, 1, 2, 3].map(at))
    await data.add('projects', [
      { pid: 'p1', name: 'One', created_by_uid: 'u1', valid_from: at(0) },
      { pid: 'p2', name: 'Two', valid_from: at(1) },
    ])
    await data.add('users', [
      { uid: 'u1', name: 'Ann', valid_from: at(0) },
      { uid: 'u2', name: 'Ben', display_name: 'Benny', valid_from: at(0) },
    ])
    await data.add('entries', [
      { entry_id: 'e1', name: 'To do', valid_from: at(0) },
      { entry_id: 'e2', name: 'Doing', valid_from: at(0) },
    ])
    const t1 = {
      tid: 't1',
      name: 'First',
      entry_id: 'e1',
      completed: false,
      created_at: at(-3),
      due_at: at(5),
      updated_at: at(-3),
    }
    await data.addPast('tasks', [
      { ...t1, valid_from: at(0), valid_to: at(1) },
      { ...t1, entry_id: 'e2', due_at: at(9), valid_from: at(1), valid_to: at(3) },
      { tid: 't4', name: 'Fourth', completed: false, created_at: at(-2), valid_from: at(0), valid_to: at(2) },
    ])
    await data.add('tasks', [
      { ...t1, entry_id: 'e2', due_at: at(9), completed: true, completed_at: at(2.5), valid_from: at(3) },
      { tid: 't2', name: 'Second', completed: false, created_at: at(-1), due_at: at(-1), valid_from: at(0) },
      { tid: 't3', name: 'Third', completed: true, created_at: at(-3), completed_at: at(-2), valid_from: at(0) },
      { tid: 't4', name: 'Fourth', completed: false, created_at: at(-2), valid_from: at(0), deleted_at: at(2) },
      { pid: 'p2', tid: 't5', name: 'Fifth', completed: false, created_at: at(1), valid_from: at(1) },
    ])
    await data.addPast('task_members', [{ tid: 't1', uid: 'u1', valid_from: at(0), valid_to: at(1) }])
    await data.add('task_members', [
      { tid: 't1', uid: 'u1', valid_from: at(0), deleted_at: at(1) },
      { tid: 't1', uid: 'u2', valid_from: at(1) },
      { tid: 't2', uid: 'u1', valid_from: at(0) },
      { tid: 't2', uid: 'u2', valid_from: at(0) },
    ])
    await data.add('task_labels', [{ tid: 't2', name: 'red', valid_from: at(0) }])
    await data.add('pages', [
      { page_id: 'g1', name: 'Old page', owner_uid: 'u1', created_at: at(-30), updated_at: at(-20), valid_from: at(0) },
      {
        page_id: 'g2',
        name: 'New page',
        owner_uid: 'u9',
        created_at: ago(30),
        updated_at: ago(20),
        valid_from: ago(2),
      },
    ])
    await data.add('posts', [
      { post_id: 'o1', name: 'Post', owner_uid: 'u2', created_at: at(-3), updated_at: at(-3), valid_from: at(0) },
    ])
    await data.add('post_comments', [
      { post_id: 'o1', cid: 'c1', created_at: at(-1), valid_from: at(0) },
      { post_id: 'o1', cid: 'c2', created_at: at(-2), valid_from: at(0), deleted_at: at(1) },
    ])
  })

  const answers: unknown[][][] = [
    [
      ['One', 1, 1],
      ['Two', 0, 1],
    ],
    [
      ['Ann', 1, 1],
      ['Ben', 1, 1],
    ],
    [['2024-02-26', '3', '1']],
    [['2024-03-01', '5', '2', true]],
    [['One', 2, 78, 36]],
    [['One', 'To do', 1, 24]],
    [['One', 'First', 1, at(9)]],
    [['pages', 'added', 1]],
    [['One', 'Old page', 'Ann', at(-20)]],
    [['Ben', 'One', 'First', at(1)]],
  ]

  test('the page has ten questions, each one statement of at most eight lines', () => {
    expect(questions).toHaveLength(10)
    for (const { question, sql } of questions) expect(sql.trim().split('\n').length, question).toBeLessThanOrEqual(8)
  })

  test.each(questions.map((each, index) => ({ ...each, expected: answers[index] })))(
    '$question',
    async ({ sql, expected }) => {
      const { rows } = await given.data.warehouse.rows.query(
        sql.replaceAll(/\bcollab\./g, `${given.data.warehouse.schema}.`),
      )
      expect(rows).toEqual(expected)
    },
  )

  test('each task has one row with its history, deleted ones too', async () => {
    const rows = await given.data.select('SELECT * FROM SCHEMA.fct_task ORDER BY tid')
    expect(
      values(
        rows,
        'tid',
        'project_name',
        'entry_name',
        'status',
        'is_overdue',
        'members',
        'labels',
        'group_changes',
        'due_changes',
      ),
    ).toEqual([
      ['t1', 'One', 'Doing', 'completed', false, ['Ben'], [], 1, 1],
      ['t2', 'One', null, 'open', true, ['Ann', 'Ben'], ['red'], 0, 0],
      ['t3', 'One', null, 'completed', false, [], [], 0, 0],
      ['t4', 'One', null, 'deleted', false, [], [], 0, 0],
      ['t5', 'Two', null, 'open', false, [], [], 0, 0],
    ])
    expect(
      values(rows, 'first_seen_at', 'started_at', 'completed_at', 'lead_hours', 'cycle_hours', 'reopened_count')[0],
    ).toEqual([...[at(0), at(1), at(2.5), 132, 36, 0]])
  })

  test('transitions have old and new values with names; what was there at first is none', async () => {
    expect(
      await given.data.read(
        'fct_task_transition ORDER BY seen_at, tid, kind',
        'tid',
        'kind',
        'seen_at',
        'sent_at',
        'from_name',
        'to_name',
        'hours_before',
      ),
    ).toEqual([
      ...['t1', 't2', 't3', 't4'].map((tid) => [tid, 'added', at(0), null, null, null, null]),
      ['t1', 'assigned', at(1), null, null, 'Ben', null],
      ['t1', 'due', at(1), null, '2024-03-09T12:00:00Z', '2024-03-13T12:00:00Z', null],
      ['t1', 'group', at(1), null, 'To do', 'Doing', 24],
      ['t1', 'unassigned', at(1), null, 'Ann', null, null],
      ['t5', 'added', at(1), null, null, null, null],
      ['t4', 'deleted', at(2), null, null, null, null],
      ['t1', 'completed', at(3), at(2.5), null, null, null],
    ])
  })

  test('deleted and restored, reopened, archived; a new version of a member is no assignment', async () => {
    const { data } = given
    const task = { pid: 'p3', tid: 't9', completed: true, archived: false }
    await data.addPast('tasks', [
      { ...task, valid_from: at(0), valid_to: at(1) },
      { ...task, completed: false, archived: true, valid_from: at(2), valid_to: at(3) },
    ])
    await data.add('tasks', [{ ...task, valid_from: at(3) }])
    await data.addPast('task_members', [{ pid: 'p3', tid: 't9', uid: 'u1', valid_from: at(0), valid_to: at(2) }])
    await data.add('task_members', [{ pid: 'p3', tid: 't9', uid: 'u1', extra: { role: 1 }, valid_from: at(2) }])
    expect(
      await data.read("fct_task_transition WHERE pid = 'p3' ORDER BY seen_at, kind", 'kind', 'seen_at', 'hours_before'),
    ).toEqual([
      ['added', at(0), null],
      ['deleted', at(1), null],
      ['archived', at(2), null],
      ['reopened', at(2), null],
      ['restored', at(2), 24],
      ['completed', at(3), null],
      ['unarchived', at(3), null],
    ])
    expect(await data.read("fct_task WHERE pid = 'p3'", 'reopened_count', 'project_name')).toEqual([[1, null]])
  })

  test('days before the first run follow from the dates of tasks, and join those after it', async () => {
    const rows = await given.data.select("SELECT * FROM SCHEMA.fct_task_daily WHERE pid = 'p1' ORDER BY day")
    expect(
      values(rows, 'day', 'open', 'completed', 'archived', 'overdue', 'created', 'completed_that_day', 'is_backfilled'),
    ).toEqual([
      ['2024-03-01', 2, 0, null, 0, 2, 0, true],
      ['2024-03-02', 2, 1, null, 0, 1, 1, true],
      ['2024-03-03', 3, 1, null, 1, 1, 0, true],
      ['2024-03-04', 3, 1, 0, 1, 0, 0, false],
      ['2024-03-05', 3, 1, 0, 1, 0, 0, false],
      ['2024-03-06', 2, 1, 0, 1, 0, 0, false],
      ['2024-03-07', 1, 2, 0, 1, 0, 1, false],
    ])
    expect(new Set(rows.map((row) => row['project_name']))).toEqual(new Set(['One']))
  })

  test('each day counts the tasks as of its end, in all views of days, for any history of tasks', async () => {
    const { data } = given
    const time = fc.constantFrom(...[-4, -2.2, -1, -0.5, 0, 0.3, 1, 2.5, 5].map(at))
    const version = fc.record({
      completed: fc.constantFrom(true, false, null),
      archived: fc.constantFrom(true, false, false),
      due_at: fc.option(time),
      created_at: fc.option(time, { freq: 9 }),
      completed_at: fc.option(time),
      updated_at: time,
    })
    // two runs on the first day: a task may be first seen by the second one, or be changed by it
    const seen = fc.subarray([0, 0.2, 1, 2, 3].map(at), { minLength: 1, maxLength: 4 })
    const task = fc.tuple(seen, fc.array(version, { minLength: 4, maxLength: 4 }), fc.boolean())
    for (const [number, [times, versions, isDeleted]] of fc.sample(task, { numRuns: 120, seed: 1 }).entries()) {
      const rows = times.map((from, index) => ({
        pid: `r${number % 4}`,
        tid: `t${number}`,
        valid_from: from,
        ...versions[index],
        // of one project, no time of creation is known
        ...(number % 4 === 3 && { created_at: null }),
      }))
      const last = rows.at(-1) ?? {}
      const end = isDeleted ? at(3.1) : null
      await data.addPast('tasks', [
        ...rows.slice(0, -1).map((row, index) => ({ ...row, valid_to: String(times[index + 1]) })),
        ...(end === null ? [] : [{ ...last, valid_to: end }]),
      ])
      await data.add('tasks', [{ ...last, deleted_at: end }])
    }
    const daily = await data.select(`SELECT pid, day::text, open, overdue FROM SCHEMA.fct_task_daily ORDER BY pid, day`)
    expect(daily.length).toBeGreaterThan(30)
    for (const [first, last] of [
      ['2001-01-01', '2030-01-01'],
      ['2024-03-02', '2024-03-05'],
      ['2024-03-04', '2024-03-04'],
      ['2024-03-06', '2024-03-09'],
    ] as const) {
      const counts = `SELECT pid, day::text, open, overdue FROM SCHEMA.task_counts('${first}', '${last}') ORDER BY pid, day`
      const expected = daily.filter(({ day }) => String(day) >= first && String(day) <= last)
      expect(await data.select(counts)).toEqual(expected)
    }
    // of the others, archived tasks were never read
    for (const pid of ['r0', 'r1']) await data.addReadings([0, 1, 2, 3].map(at), pid)
    const ofState = (condition: string) => `count(*) FILTER (WHERE ${condition})::int`
    const states = await data.select(
      `SELECT s.open, s.completed, s.archived, s.overdue, (
         SELECT jsonb_build_object(
           'open', ${ofState('NOT is_done AND NOT is_archived')}, 'completed', ${ofState('is_done AND NOT is_archived')},
           'archived', CASE WHEN s.archived IS NOT NULL THEN ${ofState('is_archived')} END,
           'overdue', ${ofState('NOT is_done AND NOT is_archived AND t.due_at < until')})
         FROM SCHEMA.tasks_as_of(until - interval '1 microsecond') AS t,
           LATERAL (SELECT t.completed IS TRUE AS is_done, t.archived IS TRUE AS is_archived) AS flags
         WHERE t.pid = s.pid) AS by_rows
       FROM SCHEMA.task_status_daily AS s, LATERAL (SELECT (s.day + 1)::timestamp AT TIME ZONE 'UTC' AS until) AS ends`,
    )
    expect(states.length).toBeGreaterThan(12)
    expect(states.map(({ by_rows }) => by_rows)).toEqual(states.map(({ by_rows: _, ...counts }) => counts))
    for (const days of ["NULL, '2024-03-05'", "'2024-03-02', NULL", "'2024-03-05', '2024-03-04'"])
      expect(await data.select(`SELECT * FROM SCHEMA.task_counts(${days})`), days).toEqual([])
  })

  test('documents with their activity; projects, users and days', async () => {
    const documents = await given.data.select('SELECT * FROM SCHEMA.fct_document ORDER BY kind, id')
    expect(
      values(documents, 'kind', 'id', 'project_name', 'owner_name', 'updates', 'comments', 'last_comment_at').map(
        String,
      ),
    ).toEqual(['page,g1,One,Ann,1,0,', 'page,g2,One,,1,0,', `post,o1,One,Ben,0,1,${at(-1)}`])
    expect(
      await given.data.read(
        'dim_project ORDER BY pid',
        'pid',
        'name',
        'created_by_name',
        'first_seen_at',
        'is_archived',
      ),
    ).toEqual([
      ['p1', 'One', 'Ann', at(0), false],
      ['p2', 'Two', null, at(1), false],
    ])
    expect(await given.data.read('dim_user ORDER BY uid', 'uid', 'label')).toEqual([
      ['u1', 'Ann'],
      ['u2', 'Benny'],
    ])
    const [day = {}] = await given.data.select("SELECT * FROM SCHEMA.dim_date WHERE day = '2024-12-30'")
    expect(day).toEqual({
      day: '2024-12-30',
      week: '2024-12-30',
      month: '2024-12-01',
      quarter: '2024-10-01',
      year: 2024,
      iso_week: 1,
      iso_year: 2025,
      weekday: 1,
      is_weekend: false,
    })
  })
})
