import type { Ran } from '@collab-etl/harness/commands'
import { emptyProject } from '@collab-etl/harness/records'
import type { Rule, Sandbox, Store } from '@collab-etl/sandbox'
import type { Fixture } from '../support/fixture.ts'
import { worldTonight } from './world.ts'

export async function backup(
  fixture: Fixture,
  service: Sandbox,
  out: string,
  rules: readonly Rule[] = [],
): Promise<Ran> {
  service.follow(rules)
  const args = [
    'backup',
    '--from',
    'api',
    '--format',
    'markdown,csv,jsonl',
    '--out',
    `${fixture.path}/${out}`,
    '--json',
  ]
  const env = { COLLAB_BASE_URL: service.baseUrl, COLLAB_TIMEOUT: '20', COLLAB_RETRIES: '3' }
  const ran = await fixture.run('collab-export', args, { env })
  service.follow([])
  return ran
}

/** A world with an empty project to restore into, with the task group `E`. */
export function worldWithTarget(): Store {
  const world = worldTonight()
  world.addProject({ ...emptyProject('P9', 9), entries: [{ entry_id: 'E', name: 'Group' }] })
  return world
}

export function restore(fixture: Fixture, service: Sandbox, ...more: string[]): Promise<Ran> {
  const where = ['--project', 'P1', '--to-project', 'P9', '--entry', 'E', '--settle', '0', '--json']
  const env = { COLLAB_BASE_URL: service.baseUrl, COLLAB_TIMEOUT: '20', COLLAB_RETRIES: '3' }
  return fixture.run('collab-export', ['restore', `${fixture.path}/out`, ...where, ...more], { env })
}

/** The names of the records of a project, by kind. */
export function namesIn({ store }: Sandbox, pid: string) {
  const { pages, posts, tasks } = store.project(pid)
  const sorted = (names: readonly string[]) => names.toSorted()
  return {
    pages: sorted(pages.map(({ name }) => name)),
    posts: sorted(posts.map(({ post }) => post.name)),
    tasks: sorted(tasks.map(({ name }) => name)),
  }
}
