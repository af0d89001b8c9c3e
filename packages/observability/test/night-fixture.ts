import type { Night, Step } from '../src/index.ts'

/** A step that went well, but for what is given. */
export function step(name: string, of: Partial<Step> = {}): Step {
  return {
    name,
    status: 'ok',
    exit_code: 0,
    started_at: '2026-02-03T02:30:00.000Z',
    duration_ms: 1000,
    reason: null,
    ...of,
  }
}

/** A whole night, but for what is given. */
export function night(of: Partial<Night> = {}): Night {
  return {
    started_at: '2026-02-03T02:30:00.000Z',
    finished_at: '2026-02-03T02:40:00.000Z',
    duration_ms: 600_000,
    exit_code: 0,
    outcome: 'whole',
    host: 'etl-1',
    tool_version: '1.2.3',
    base_url: 'https://collab.example.com',
    steps: [step('snapshot'), step('backup'), step('verify')],
    snapshot: {
      run_id: 'R1',
      account: { uid: 'u1', name: 'Ada' },
      status: 'succeeded',
      duration_ms: 500_000,
      requests: 120,
      retries: 2,
      bytes: 4096,
      projects: { total: 2, complete: 2 },
      rows: { tasks: { read: 10, inserted: 1, updated: 2, deleted: 3 } },
      scopes: { tasks: { complete: 2 }, events: { complete: 1, failed: 1 } },
      losses: { 'U+0000 removed': 4 },
      not_whole: [],
    },
    backup: {
      name: '20260203T023900Z',
      path: '/b/20260203T023900Z',
      status: 'complete',
      files: 9,
      bytes: 5000,
      new_bytes: 100,
      conversion_issues: 1,
    },
    verification: { backup: '20260203T023900Z', mode: 'full', damaged: 0 },
    consecutive_failures: 0,
    failing_since: null,
    last_whole_at: '2026-02-03T02:30:00.000Z',
    ...of,
  }
}

/** A night whose snapshot failed, the second in a row. */
export function failedNight(of: Partial<Night> = {}): Night {
  return night({
    exit_code: 4,
    outcome: 'failed',
    snapshot: null,
    backup: null,
    verification: null,
    steps: [
      step('snapshot', { status: 'failed', exit_code: 4, reason: 'the access token is refused' }),
      step('backup', { status: 'skipped', exit_code: null, reason: 'the snapshot failed' }),
    ],
    ...{
      consecutive_failures: 2,
      failing_since: '2026-02-02T02:30:00.000Z',
      last_whole_at: '2026-02-01T02:30:00.000Z',
    },
    ...of,
  })
}
