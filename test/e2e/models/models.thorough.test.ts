/** @module-tag thorough */

import { run } from '@collab-etl/harness/commands'
import { freshDatabase, postgresServer, type TestDatabase } from '@collab-etl/harness/postgres'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expandedQuery, readDashboard } from '../../deploy/support/dashboards.ts'
import { hoursOff } from '../../faults/machine/support/clocks.ts'
import { median, mondayOf, sorted } from './figures.ts'
import { type Cast, NIGHTS, writeLog } from './script.ts'
import { dayOf, Truth } from './truth.ts'
import { applyTo, DAY, EMPTY, HOUR, type LogEvent, levelProjects, show, type TaskState } from './world.ts'

type Row = Record<string, unknown>

const SEED = Number(process.env['COLLAB_TEST_SEED'] ?? 1)
/** 02:00 of a day sixteen days ago. */
const FIRST = Math.floor(Date.now() / DAY) * DAY - (NIGHTS + 1) * DAY + 2 * HOUR

const server = postgresServer()

describe.skipIf(server === null)('models and panels against a log of what happened', () => {
  let sandbox: Sandbox
  let database: TestDatabase
  let client: pg.Client
  let cast: Cast
  let truth: Truth
  let log: LogEvent[]
  /** Numbers of runs, by when they began. */
  let runs: Map<string, number>

  beforeAll(async () => {
    sandbox = await startSandbox({ ...EMPTY, seed: SEED })
    database = await freshDatabase(server ?? '')
    const [a = '', b = '', c = '', late = '', closed = '', old = '', lost = '', gone = '', empty = ''] = sandbox.pids
    cast = { plain: [a, b, c], late, closed, old, lost, gone, empty }
    const uids = sandbox.store.users.slice(0, 4).map(({ uid }) => uid)
    log = writeLog(cast, uids, FIRST, SEED)
    const pids = [...sandbox.pids]
    truth = new Truth(log, pids, (pid) => pid !== late, FIRST)
    const start = [
      { at: 0, tid: '', kind: 'access lost', pid: late },
      { at: 0, tid: '', kind: 'project archived', pid: old },
    ] as const
    const tasks = new Map<string, TaskState>()
    levelProjects(sandbox)
    show(sandbox, tasks, start)
    for (let night = 0; night < NIGHTS; night += 1) {
      const until = truth.timeOf(night)
      const events = log.filter(({ at }) => at < until && at >= (night === 0 ? 0 : truth.timeOf(night - 1)))
      for (const event of events) applyTo(tasks, event)
      show(sandbox, tasks, events)
      const ran = await run('collab-extract', ['snapshot', '--json', '--allow-shrink', '--accept-clock'], {
        env: {
          ...hoursOff((until - Date.now()) / HOUR),
          DATABASE_URL: database.url,
          COLLAB_BASE_URL: sandbox.baseUrl,
          COLLAB_TOKEN: 'sandbox-token',
        },
      })
      expect([0, 3], ran.stderr).toContain(ran.code)
      expect(ran.code === 3, `night ${night}: ${ran.stderr}`).toBe(night >= 10)
    }
    client = new pg.Client({ connectionString: database.url, options: '-c search_path=collab -c timezone=UTC' })
    await client.connect()
    pg.types.setTypeParser(20, Number)
    pg.types.setTypeParser(1082, String)
    const started = await rows('SELECT started_at FROM runs ORDER BY 1')
    runs = new Map(started.map(({ started_at }, number) => [(started_at as Date).toISOString(), number]))
    expect(runs.size).toBe(NIGHTS)
  }, 600_000)

  afterAll(async () => {
    await client?.end()
    await database?.drop()
    await sandbox?.close()
  })

  const rows = async (sql: string): Promise<Row[]> => (await client.query(sql)).rows
  const runOf = (time: unknown) => (time instanceof Date ? (runs.get(time.toISOString()) ?? null) : null)
  /** A time of the service as it is, that of a run as its number. */
  const timeOrRun = (time: unknown) => runOf(time) ?? (time instanceof Date ? time.toISOString() : null)
  const knownDays = (pid: string) => {
    const from = truth.readFrom.get(pid) ?? NIGHTS
    return Array.from({ length: NIGHTS - from }, (_, index) => ({
      run: from + index,
      day: dayOf(truth.timeOf(from + index)),
    }))
  }
  const last = NIGHTS - 1

  test('the counts of each project at the end of each day, and what is known of them', async () => {
    const expected = truth.pids.flatMap((pid) =>
      knownDays(pid).map(({ run: number, day }) => {
        const seen = truth.seen(pid, number)
        return {
          pid,
          day,
          ...truth.counts(pid, number),
          created: truth.createdOn(pid, day),
          completed_that_day: truth.completedOn(pid, day),
          is_carried: !seen.isFresh && !seen.isDeleted,
          project_is_archived: !seen.isDeleted && (pid === cast.old || seen.isArchived),
        }
      }),
    )
    const found =
      await rows(`SELECT pid, day, open, completed, archived, overdue, created, completed_that_day, is_carried, project_is_archived
      FROM fct_task_daily WHERE NOT is_backfilled`)
    expect(sorted(found)).toEqual(sorted(expected))
    const status = expected.map(({ is_carried: _, project_is_archived: __, ...row }) => row)
    const older = await rows(
      'SELECT pid, day, open, completed, archived, overdue, created, completed_that_day FROM task_status_daily',
    )
    expect(sorted(older)).toEqual(sorted(status))
  })

  test('days before the first reading are marked, and calculated from the tasks that it found', async () => {
    const found = await rows('SELECT * FROM fct_task_daily WHERE is_backfilled ORDER BY pid, day')
    expect(new Set(found.map(({ pid }) => pid))).toEqual(new Set(truth.pids))
    for (const row of found) {
      const [pid, day] = [String(row['pid']), String(row['day'])]
      expect(day < dayOf(truth.timeOf(truth.readFrom.get(pid) ?? 0))).toBe(true)
      const { open, completed, archived, overdue, created, completed_that_day } = row
      expect({ pid, day, open, completed, archived, overdue, created, completed_that_day }).toEqual({
        pid,
        day,
        ...truth.countsBefore(pid, day),
        archived: null,
        created: truth.createdOn(pid, day),
        completed_that_day: truth.completedOn(pid, day),
      })
    }
  })

  test('task_counts has the open and overdue tasks of the same days', async () => {
    const all = await rows('SELECT pid, day, open, overdue FROM fct_task_daily')
    const day = (number: number) => dayOf(truth.timeOf(number))
    for (const [from, to] of [
      ['2001-01-01', '2100-01-01'],
      [day(-30), day(2)],
      [day(3), day(9)],
      [day(last), day(last)],
    ] as const) {
      const found = await rows(`SELECT * FROM task_counts('${from}', '${to}')`)
      const expected = all.filter((row) => String(row['day']) >= from && String(row['day']) <= to)
      expect(sorted(found)).toEqual(sorted(expected))
    }
  })

  test('each completion and each creation counts once, in the project in which it was first seen', async () => {
    const found = await rows('SELECT * FROM task_completions')
    expect(
      sorted(
        found.map(({ pid, tid, completed_at, counted_at, shown_at }) => ({
          pid,
          tid,
          completed: timeOrRun(completed_at),
          counted: timeOrRun(counted_at),
          shown: runOf(shown_at),
        })),
      ),
    ).toEqual(
      sorted(
        truth.completions.map(({ pid, tid, completedAt, countedAt, shownIn }) => {
          const known = (time: number) => (time === truth.timeOf(shownIn) ? shownIn : new Date(time).toISOString())
          const completed = completedAt === null ? null : known(completedAt)
          return { pid, tid, completed, counted: known(countedAt), shown: shownIn }
        }),
      ),
    )
    const created = await rows('SELECT pid, tid, created_at FROM task_creations')
    const expected = [...truth.created].map(([tid, { pid, at }]) => ({ pid, tid, created_at: new Date(at) }))
    expect(sorted(created)).toEqual(sorted(expected))
    const activity = await rows('SELECT pid, day, tasks_created, tasks_completed FROM project_activity')
    for (const { pid, day, tasks_created, tasks_completed } of activity)
      expect([pid, day, tasks_created, tasks_completed]).toEqual([
        ...[pid, day, truth.createdOn(String(pid), String(day)), truth.completedOn(String(pid), String(day))],
      ])
    const sums = (name: string) => activity.reduce((sum, row) => sum + Number(row[name]), 0)
    expect([sums('tasks_created'), sums('tasks_completed')]).toEqual([truth.created.size, truth.completions.length])
  })

  test('each task with its state, times and members', async () => {
    const found = await rows('SELECT * FROM fct_task WHERE moved_to_pid IS NULL')
    expect(new Set(found.map(({ tid }) => tid)).size).toBe(truth.created.size)
    const times = new Map(
      (await rows('SELECT * FROM task_cycle_times')).map((row) => [`${row['pid']} ${row['tid']}`, row]),
    )
    const people = new Map((await rows('SELECT uid, name FROM users')).map(({ uid, name }) => [uid, name]))
    for (const row of found) {
      const tid = String(row['tid'])
      const present = truth.last.filter((task) => task.tid === tid && task.pid === row['pid'])
      const [task = null] = present
      const completion = truth.completions.findLast((each) => each.tid === tid)
      const state =
        task === null ? 'deleted' : task.isArchived ? 'archived' : task.completedAt === null ? 'open' : 'completed'
      expect([tid, row['status']]).toEqual([tid, state])
      if (task === null) continue
      expect(row['members']).toEqual([...task.members].map((uid) => people.get(uid)).sort())
      const completedAt = task.completedAt === null ? null : (completion?.completedAt ?? null)
      // of a task that was moved away from a project without access, two rows are left
      if (task.pid !== cast.lost)
        expect([tid, timeOrRun(row['completed_at'])]).toEqual([
          tid,
          completedAt !== null && completedAt === truth.timeOf(completion?.shownIn ?? -1)
            ? (completion?.shownIn ?? null)
            : completedAt === null
              ? null
              : new Date(completedAt).toISOString(),
        ])
      expect(row['cycle_hours'] === null || Number(row['cycle_hours']) > 0, `cycle time of ${tid}`).toBe(true)
      expect(row['project_is_archived']).toBe(row['pid'] === cast.old || row['pid'] === cast.closed)
      const older = times.get(`${row['pid']} ${tid}`)
      expect(older).toMatchObject({ completed_at: row['completed_at'], cycle_hours: row['lead_hours'] })
    }
  })

  test('transitions are those between the readings of a project', async () => {
    const expected: Row[] = []
    for (const tid of truth.created.keys())
      for (const pid of truth.pids) {
        let before: Readonly<TaskState> | null = null
        let wasSeen = false
        for (let number = 0; number < NIGHTS; number += 1) {
          const seen = truth.seen(pid, number)
          if (!seen.isFresh && !seen.isDeleted) continue
          const task = seen.tasks.get(tid) ?? null
          const add = (kind: string, value: string | null = null) =>
            expected.push({ pid, tid, kind, run: number, value })
          if (before === null && task !== null) add(wasSeen ? 'restored' : 'added')
          if (before !== null && task === null) add('deleted')
          if (before !== null && task !== null) {
            const [was, is] = [before.completedAt !== null, task.completedAt !== null]
            if (was !== is) add(is ? 'completed' : 'reopened')
            if (before.isArchived !== task.isArchived) add('archived')
            if (before.group !== task.group) add('group', task.group)
            if (before.due !== task.due) add('due')
            for (const uid of task.members) if (!before.members.has(uid)) add('assigned', uid)
            for (const uid of before.members) if (!task.members.has(uid)) add('unassigned', uid)
          }
          if (task !== null) wasSeen = true
          before = task
        }
      }
    const found = await rows('SELECT * FROM fct_task_transition')
    const names = new Set([
      'added',
      'restored',
      'deleted',
      'completed',
      'reopened',
      'archived',
      'group',
      'due',
      'assigned',
      'unassigned',
    ])
    const restored = new Set(expected.filter(({ kind }) => kind === 'restored').map(({ pid, tid }) => `${pid} ${tid}`))
    const isPlain = ({ pid, tid, kind }: Row) => names.has(String(kind)) && !restored.has(`${pid} ${tid}`)
    const shown = found.map(({ pid, tid, kind, seen_at, from_value, to_value }) => ({
      pid,
      tid,
      kind,
      run: runOf(seen_at),
      value: kind === 'unassigned' ? from_value : kind === 'due' ? null : to_value,
    }))
    expect(sorted(shown.filter(isPlain))).toEqual(sorted(expected.filter(isPlain)))
    expect(new Set(found.filter(({ kind }) => kind === 'restored').map(({ pid, tid }) => `${pid} ${tid}`))).toEqual(
      restored,
    )
  })

  test('projects say what is archived, gone, without access, and how old their tasks are', async () => {
    const found = await rows('SELECT * FROM dim_project')
    const expected = truth.pids.map((pid) => ({
      pid,
      archived: pid === cast.old || pid === cast.closed,
      deleted: pid === cast.gone ? 12 : null,
      permission: pid === cast.lost ? 0 : 31,
      first: truth.readFrom.get(pid),
      read: pid === cast.lost ? 9 : pid === cast.gone ? null : last,
    }))
    expect(
      sorted(
        found.map(({ pid, is_archived, deleted_at, permission, tasks_first_read_at, tasks_read_at }) => ({
          ...{
            pid,
            archived: is_archived,
            deleted: runOf(deleted_at),
            permission: pid === cast.gone ? 31 : permission,
          },
          first: runOf(tasks_first_read_at),
          read: runOf(tasks_read_at),
        })),
      ),
    ).toEqual(sorted(expected))
  })

  test('views of the present show what the last runs saw', async () => {
    const isOpen = ({ completedAt, isArchived }: TaskState) => completedAt === null && !isArchived
    const open = truth.last.filter(isOpen)
    const overdue = open.filter(({ due }) => due !== null && due < Date.now())
    const found = await rows('SELECT pid, tid FROM overdue_tasks')
    expect(sorted(found)).toEqual(sorted(overdue.map(({ pid, tid }) => ({ pid, tid }))))
    const members = truth.last.flatMap(({ pid, tid, members: uids }) => [...uids].map((uid) => ({ pid, tid, uid })))
    expect(sorted(await rows('SELECT pid, tid, uid FROM fct_task_member'))).toEqual(sorted(members))
    const workload = await rows(
      'SELECT sum(open) AS open, sum(overdue) AS overdue, sum(completed_in_30_days) AS completed FROM member_workload',
    )
    const assigned = (tasks: readonly TaskState[]) => tasks.reduce((sum, { members: { size } }) => sum + size, 0)
    const recent = truth.last.filter(({ tid, completedAt }) => {
      const at = truth.completions.findLast((each) => each.tid === tid)?.completedAt ?? null
      return completedAt !== null && at !== null && at >= Date.now() - 30 * DAY
    })
    expect(workload).toEqual([
      { open: String(assigned(open)), overdue: String(assigned(overdue)), completed: String(assigned(recent)) },
    ])
  })

  test('each panel of the dashboard says the same', async () => {
    const { panels } = await readDashboard<{ readonly rawSql: string }>('grafana/dashboards/collab-warehouse.json')
    const [from, to] = [truth.timeOf(-40), truth.timeOf(last) + 12 * HOUR]
    const panel = async (title: string) => {
      const sql = panels.find((each) => each.title === title)?.targets[0]?.rawSql ?? ''
      return await rows(expandedQuery(sql, { from: new Date(from).toISOString(), to: new Date(to).toISOString() }))
    }
    const inRange = (time: number) => time >= from && time <= to
    const existing = truth.pids.filter((pid) => pid !== cast.gone && pid !== cast.old && pid !== cast.closed)
    const open = truth.last.filter(
      ({ pid, completedAt, isArchived }) => existing.includes(pid) && completedAt === null && !isArchived,
    )
    const completed = truth.completions.filter(({ countedAt }) => inRange(countedAt))
    expect(await panel('Completed')).toEqual([{ tasks: completed.length }])
    expect(await panel('Open tasks')).toEqual([{ tasks: open.length }])
    expect(await panel('Overdue tasks')).toEqual([
      { tasks: open.filter(({ due }) => due !== null && due < Date.now()).length },
    ])
    expect(await panel('Projects')).toEqual([{ projects: existing.length }])
    const unread = await rows(
      `SELECT count(*) FROM run_scopes WHERE error_code = 'ACCESS_LOST' AND run_id = (SELECT max(run_id) FROM runs)`,
    )
    expect(await panel('Incomplete scopes')).toEqual([{ scopes: unread[0]?.['count'] }])
    expect(Number(unread[0]?.['count'])).toBeGreaterThan(5)

    const days = new Map<string, { created: number; completed: number }>()
    const count = (at: number, what: 'created' | 'completed') => {
      const day = days.get(dayOf(at)) ?? { created: 0, completed: 0 }
      if (inRange(at)) days.set(dayOf(at), { ...day, [what]: day[what] + 1 })
    }
    for (const { at } of truth.created.values()) count(at, 'created')
    for (const { countedAt } of truth.completions) count(countedAt, 'completed')
    const throughput = await panel('Throughput')
    expect(throughput.map(({ time, ...row }) => [dayOf(Number(time)), row])).toEqual([...days].sort())

    const chart = await panel('Open and overdue tasks')
    for (let number = 0; number < NIGHTS; number += 1) {
      const day = dayOf(truth.timeOf(number))
      const shown = truth.pids.filter(
        (pid) => (truth.readFrom.get(pid) ?? 0) <= number && pid !== cast.old && !truth.seen(pid, number).isArchived,
      )
      const back =
        (truth.readFrom.get(cast.late) ?? 0) > number ? truth.countsBefore(cast.late, day) : { open: 0, overdue: 0 }
      const sum = (what: 'open' | 'overdue') =>
        shown.reduce((all, pid) => all + truth.counts(pid, number)[what], 0) + back[what]
      const row = chart.find(({ time }) => dayOf(Number(time)) === day)
      expect([day, row?.['open'], row?.['overdue']]).toEqual([day, sum('open'), sum('overdue')])
    }

    const names = new Map((await rows('SELECT pid, name FROM projects')).map(({ pid, name }) => [name, String(pid)]))
    const projects = await panel('Projects by overdue tasks')
    expect(projects).toHaveLength(existing.length)
    for (const row of projects) {
      const pid = names.get(row['Project'])
      const own = open.filter((task) => task.pid === pid)
      expect([row['Open'], row['Overdue'], row['Completed'], runOf(row['Tasks read'])]).toEqual([
        ...[own.length, own.filter(({ due }) => due !== null && due < Date.now()).length],
        ...[completed.filter((each) => each.pid === pid).length, pid === cast.lost ? 9 : last],
      ])
    }
    const leads = truth.completions.filter(({ completedAt }) => completedAt !== null && inRange(completedAt))
    const weeks = Map.groupBy(leads, ({ completedAt }) => dayOf(mondayOf(Number(completedAt))))
    const medians = [...weeks]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([week, of]) => {
        const hours = of.map(({ tid, completedAt }) => (Number(completedAt) - (truth.created.get(tid)?.at ?? 0)) / HOUR)
        return [week, median(hours)]
      })
    const shown = (await panel('Lead time')).map(({ time, ...row }) => [dayOf(Number(time)), row['median hours']])
    expect(shown.map(([week, hours]) => [week, Number(hours).toFixed(1)])).toEqual(
      medians.map(([week, hours]) => [week, Number(hours).toFixed(1)]),
    )
  })
})
