/** @module-tag thorough */

import { backendsOfSlowTests } from '@collab-etl/harness/backends'
import { run, type Started } from '@collab-etl/harness/commands'
import { expectedRows } from '@collab-etl/harness/expected-rows'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { asLines, warehouseRows } from '@collab-etl/harness/warehouse-rows'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { describe, expect } from 'vitest'

const PAGES = 140
const PAGE_SIZE = 5

/** Requests for page 1, in both sizes: each run detects the first page number. Page 0 is requested as well, as pages are small. */
const PROBES = 2
const KILLED_AT = 100
/** Checkpoints contain groups of 20 pages, written while the next one is read: after page 80, three groups are stored. */
const KEPT_AT_LEAST = 60

const TABLES = ['tasks', 'entries', 'task_labels', 'task_todos', 'task_members', 'task_watchers']

/** The requested pages of the archived list, in order. */
function pagesAsked(sandbox: Sandbox): number[] {
  return sandbox.requests
    .filter(({ operation }) => operation === 'tasks.archived.list')
    .map(({ path }) => Number(new URL(path, sandbox.baseUrl).searchParams.get('page')))
}

/** Renames, removes and restores tasks of pages that were read, and adds one. */
function changeWhatWasRead(sandbox: Sandbox, pid: string): void {
  const { tasks } = sandbox.store.view(pid)
  sandbox.store.archiveTask(pid, tasks[0]?.tid ?? '')
  sandbox.store.change(pid, (project) => {
    const [renamed] = project.archived_tasks
    if (renamed) renamed.name = 'renamed'
    project.archived_tasks.splice(7, 1)
  })
}

describe.each(backendsOfSlowTests())('a snapshot killed while it pages through archived tasks ($name)', (backend) => {
  const killAndResume = async (
    signal: 'SIGKILL' | 'SIGINT',
    meanwhile: (sandbox: Sandbox, pid: string) => void = () => {},
  ) => {
    const warehouse = await backend.open()
    const sandbox = await startSandbox({
      seed: 21,
      projects: 1,
      barred: 0,
      tasks: 12,
      archived: PAGES * PAGE_SIZE,
      pages: 4,
      posts: 0,
      events: 4,
      latencyMs: 5,
    })
    try {
      const pid = sandbox.pids[0] ?? ''
      const env = { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token, ...warehouse.env }
      const args = ['snapshot', '--json', '--archived-page-size', String(PAGE_SIZE)]
      let child: Started | undefined
      const stop = sandbox.beforeRequest(({ operation, params }) => {
        if (operation === 'tasks.archived.list' && Number(params['page']) === KILLED_AT) child?.kill(signal)
      })
      const killed = await run('collab-extract', args, {
        env,
        onStart: (started) => {
          child = started
        },
      })
      stop()
      expect(killed).toMatchObject(signal === 'SIGKILL' ? { signal } : { code: 130 })
      meanwhile(sandbox, pid)
      sandbox.clearRequests()
      const resumed = await run('collab-extract', [...args, '--resume'], { env })
      expect(resumed.code).toBe(0)
      const expected = expectedRows([sandbox.store.truth(pid)], sandbox.store.personalWebhooks)
      const stored = await warehouseRows(warehouse.env, TABLES)
      for (const table of TABLES) {
        expect([table, asLines(stored[table] ?? [])]).toEqual([table, asLines(expected[table] ?? [])])
      }
      const document = JSON.parse(resumed.stdout)
      expect(document).toMatchObject({ status: 'succeeded', resumed_walks: [{ pid, from_page: expect.any(Number) }] })
      return {
        document,
        resumed,
        asked: pagesAsked(sandbox)
          .filter((page) => page > 0)
          .slice(PROBES),
        pid,
      }
    } finally {
      await sandbox.close()
      await warehouse[Symbol.asyncDispose]()
    }
  }

  testThoroughly('SIGKILL: pages of the checkpoint are not read a first time again', async () => {
    const { document, resumed, asked, pid } = await killAndResume('SIGKILL')
    const from = document.resumed_walks[0].from_page
    expect(from).toBeGreaterThan(KEPT_AT_LEAST)
    expect(from).toBeLessThanOrEqual(KILLED_AT)
    for (let page = 1; page <= PAGES; page++) {
      const times = asked.filter((one) => one === page).length
      expect([page, times]).toEqual([page, page < from ? 1 : 2])
    }
    expect(resumed.stderr).toContain(`project ${pid}: reading archived tasks resumes at page ${from}`)
    expect(document.scopes.find(({ stream }: { stream: string }) => stream === 'archived_tasks')).toMatchObject({
      status: 'complete',
      pages: PAGES,
      read: PAGES * PAGE_SIZE,
    })
  })

  testThoroughly('SIGINT, and a list that changes before the resume: the tables equal the service', async () => {
    const { document, asked } = await killAndResume('SIGINT', changeWhatWasRead)
    const from = document.resumed_walks[0].from_page
    // Four pages are requested in parallel and arrive in any order.
    expect(Math.min(...asked.slice(0, 4))).toBe(from)
    // All read pages are in the checkpoint; three pages before page 100 may still have been pending.
    expect(from).toBeGreaterThanOrEqual(KILLED_AT - 3)
  })
})
