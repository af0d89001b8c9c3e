import type { Ran } from '@collab-etl/harness/commands'
import type { Fixture } from '../support/fixture.ts'
import { emptyProject } from './hostile-service/make-records.ts'
import type { World } from './hostile-service/records.ts'
import type { Rule } from './hostile-service/rule.ts'
import { HostileService } from './hostile-service/server.ts'
import { projectOf, worldTonight } from './hostile-service/world.ts'

/** A service, stopped after the fault. */
export async function serviceFor(fixture: Fixture, world: World = worldTonight()): Promise<HostileService> {
  const service = await HostileService.start({ world, token: fixture.token })
  fixture.defer(() => service[Symbol.asyncDispose]())
  return service
}

export async function backup(
  fixture: Fixture,
  service: HostileService,
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
export function worldWithTarget(): World {
  const world = worldTonight()
  world.projects.push(emptyProject('P9', 9))
  return world
}

export function restore(fixture: Fixture, service: HostileService, ...more: string[]): Promise<Ran> {
  const where = ['--project', 'P1', '--to-project', 'P9', '--entry', 'E', '--settle', '0', '--json']
  const env = { COLLAB_BASE_URL: service.baseUrl, COLLAB_TIMEOUT: '20', COLLAB_RETRIES: '3' }
  return fixture.run('collab-export', ['restore', `${fixture.path}/out`, ...where, ...more], { env })
}

/** The names of the records of a project, by kind. */
export function namesIn({ world }: HostileService, pid: string) {
  const { pages, posts, tasks } = projectOf(world, pid)
  const sorted = (names: readonly string[]) => names.toSorted()
  return {
    pages: sorted(pages.map(({ name }) => name)),
    posts: sorted(posts.map(({ post }) => post.name)),
    tasks: sorted(tasks.map(({ name }) => name)),
  }
}
