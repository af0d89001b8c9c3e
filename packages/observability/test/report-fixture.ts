import type { Night, RowCounts } from '../src/index.ts'
import type { ReportChanges } from '../src/report/index.ts'
import { night, step } from './night-fixture.ts'

/** The start of the last of the nights. */
const LAST = Date.parse('2026-02-03T02:30:00.000Z')

const DAY_MS = 86_400_000

/** Numbers from 0 to below 1 that are the same in each run. */
function numbers(): () => number {
  let state = 42
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

const TABLES = {
  tasks: 90,
  task_members: 60,
  task_todos: 40,
  pages: 24,
  posts: 12,
  post_comments: 30,
  files: 18,
  events: 9,
  users: 2,
  webhooks: 0,
}

/** Nights in a row: most are whole, one in 40 failed, one in 25 is partial, the last one is whole. */
export function manyNights(count: number): Night[] {
  const random = numbers()
  let since: string | null = null
  let failures = 0
  let whole: string | null = null
  return Array.from({ length: count }, (_, index) => {
    const started = new Date(LAST - (count - 1 - index) * DAY_MS)
    const kind = index === count - 1 ? 1 : random()
    const outcome = kind < 0.025 ? 'failed' : kind < 0.065 ? 'partial' : 'whole'
    const at = started.toISOString()
    const minutes = 9 + 4 * random() + index / 120
    since = outcome === 'whole' ? null : (since ?? at)
    failures = outcome === 'whole' ? 0 : failures + 1
    if (outcome === 'whole') whole = at
    const busy = [0.15, 1, 1.1, 0.9, 1, 0.8, 0.1][started.getUTCDay()] ?? 1
    const rows = Object.fromEntries(
      Object.entries(TABLES).map(([table, size]): [string, RowCounts] => {
        const changes = Math.round(size * busy * (0.5 + random()))
        const [inserted = 0, updated = 0, deleted = 0] = [0.5, 0.42, 0.08].map((part) => Math.round(changes * part))
        return [table, { read: size * 100, inserted, updated, deleted }]
      }),
    )
    const of = night()
    const times = { started_at: at, finished_at: new Date(started.getTime() + minutes * 60_000).toISOString() }
    const isRead = outcome !== 'failed'
    return night({
      ...times,
      ...{
        duration_ms: isRead ? minutes * 60_000 : 32_000,
        outcome,
        exit_code: { whole: 0, partial: 3, failed: 1 }[outcome],
      },
      steps: isRead
        ? ['snapshot', 'backup', 'verify', 'prune', 'archive'].map((name, order) =>
            step(name, {
              started_at: at,
              duration_ms: (minutes * 60_000) / (order * 3 + 1.6),
              ...(outcome === 'partial' &&
                order === 0 && { status: 'partial', exit_code: 3, reason: 'files of P2 failed' }),
            }),
          )
        : [
            step('snapshot', {
              status: 'failed',
              exit_code: 1,
              started_at: at,
              reason: 'the service answered HTTP 502',
            }),
            step('backup', { status: 'skipped', exit_code: null, started_at: at, duration_ms: 0 }),
          ],
      snapshot:
        isRead && of.snapshot
          ? {
              ...of.snapshot,
              run_id: `R${index}`,
              requests: Math.round(2600 + 300 * random()),
              rows,
              projects: { total: 48, complete: 48 },
              scopes: {
                tasks: { complete: 48 },
                files: outcome === 'partial' ? { complete: 46, failed: 2 } : { complete: 48 },
              },
              losses: random() < 0.3 ? { rounded: Math.ceil(6 * random()) } : {},
            }
          : null,
      backup:
        isRead && of.backup
          ? { ...of.backup, bytes: 1.1e9 + index * 4e6, new_bytes: 9e6 * busy * (0.6 + random()) }
          : null,
      consecutive_failures: failures,
      failing_since: since,
      last_whole_at: whole,
    })
  })
}

const NAMES = 'Apollo|Website relaunch|客户支持|Büro & Umzug|Release 4.2|Hiring|المبيعات|Design system'.split('|')

/** Changes of that many projects. */
export function manyChanges(count: number, of: Partial<ReportChanges> = {}): ReportChanges {
  return {
    run_id: 'R29',
    started_at: '2026-02-03T02:30:00.000Z',
    projects: count + 12,
    changed_projects: count,
    changed: Array.from({ length: count }, (_, index) => ({
      pid: `p${1000 + index}`,
      name: `${NAMES[index % NAMES.length]}${index < NAMES.length ? '' : ` ${index}`}`,
      is_new: index === 3,
      inserted: 40 - (index % 40),
      updated: 12,
      deleted: index % 3,
      streams: [
        { stream: 'tasks', inserted: 30 - (index % 30), updated: 9, deleted: index % 3 },
        { stream: 'archived_tasks', inserted: 0, updated: 3, deleted: 0 },
        { stream: 'pages', inserted: 10 - (index % 10), updated: 0, deleted: 0 },
      ],
    })),
    incomplete_scopes: 0,
    incomplete: [],
    warnings: [],
    gone: [],
    ...of,
  }
}
