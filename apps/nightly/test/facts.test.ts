import { describe, expect, test } from 'vitest'
import { deletedProjects, scopesText, snapshotFacts, whatIsNotWhole } from '../src/run/facts.ts'
import type { Done } from '../src/run/steps.ts'

const CAUSE =
  '1 post, or its comments, could not be read: 6e65176accae9412ad5b3bcc (posts.get: the service answered with error 900004 (HTTP 500))'

const scope = (pid: string, stream: string, status: string, message: string, name: string | null = null) => ({
  ...{ pid, stream, status },
  ...{ project_name: name, error: { code: 'X', message } },
})

function ended(...not_whole: readonly object[]): Done {
  return { status: 'partial', exitCode: 3, document: { run_id: 'r', scopes: not_whole, not_whole } }
}

test('the facts of a snapshot have the accounts that have names, for the report', () => {
  const { document, ...done } = ended()
  const accounts = [{ account: 'anna', alone: 3, uid: 'u', offered: {} }]
  expect(snapshotFacts({ ...done, document: { ...document, accounts } })?.accounts).toEqual([
    { account: 'anna', alone: 3 },
  ])
  expect(snapshotFacts(ended())).not.toHaveProperty('accounts')
})

describe('the reason of a partial step', () => {
  const [posts, tasks] = [
    scope('p1', 'posts', 'partial', CAUSE, 'Website relaunch'),
    scope('p2', 'tasks', 'refused', '53 of 75 tasks would be marked deleted', '产品研发'),
  ]

  test('names refused deletions first, projects with their names, and each cause whole', () => {
    const expected = `tasks of 产品研发 (p2) refused (${tasks.error.message}); posts of Website relaunch (p1) partial (${CAUSE})`
    expect(whatIsNotWhole(ended(posts, tasks), ended(tasks, posts))).toBe(expected)
    expect(snapshotFacts(ended(posts, tasks))?.not_whole.map(({ status }) => status)).toEqual(['refused', 'partial'])
  })

  test('is the same for the backup, whose document has no names, and another order', () => {
    const [snapshot, backup] = [ended(posts, tasks), ended({ ...tasks, project_name: null }, posts)]
    expect(whatIsNotWhole(backup, snapshot)).toBe(whatIsNotWhole(snapshot, snapshot))
    expect(scopesText(backup)).toBe(scopesText(snapshot))
    expect(scopesText(ended(posts))).not.toBe(scopesText(snapshot))
  })

  test('names the streams of a project that share a cause once, and counts what it does not name', () => {
    const denied = ['tasks', 'pages', 'posts'].map((stream) => scope('p1', stream, 'skipped', 'permission 0'))
    const others = ['p2', 'p3', 'p4', 'p5'].map((pid) => scope(pid, 'posts', 'partial', 'HTTP 500'))
    const step = ended(...denied, ...others)
    expect(whatIsNotWhole(step, step)).toBe(
      'pages, posts, tasks of p1 skipped (permission 0); posts of p2 partial (HTTP 500); posts of p3 partial (HTTP 500); and 2 more',
    )
  })
})

test('projects that are no longer in the service have a name of one short line', () => {
  const projects = [{ pid: 'p1', name: `a\n${'b'.repeat(100)}`, rows: 985 }]
  const [found] = deletedProjects({ document: { deleted_projects: projects } })
  expect(found).toMatchObject({ pid: 'p1', rows: 985, name: expect.stringMatching(/^a.{1,79}…$/) })
  expect(deletedProjects({ document: null })).toEqual([])
})
