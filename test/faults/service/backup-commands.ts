import type { Ran } from '../../harness/commands.ts'
import type { Ground } from '../frame/ground.ts'
import { emptyProject } from './hostile-service/make-records.ts'
import type { World } from './hostile-service/records.ts'
import type { Rule } from './hostile-service/rule.ts'
import { HostileService } from './hostile-service/server.ts'
import { projectOf, worldTonight } from './hostile-service/world.ts'

/** A service for as long as the fault lasts. */
export async function serviceFor(ground: Ground, world: World = worldTonight()): Promise<HostileService> {
  const service = await HostileService.start({ world, token: ground.token })
  ground.defer(() => service[Symbol.asyncDispose]())
  return service
}

export async function backup(
  ground: Ground,
  service: HostileService,
  out: string,
  rules: readonly Rule[] = [],
): Promise<Ran> {
  service.follow(rules)
  const args = ['backup', '--from', 'api', '--format', 'markdown,csv,jsonl', '--out', `${ground.path}/${out}`, '--json']
  const env = { COLLAB_BASE_URL: service.baseUrl, COLLAB_TIMEOUT: '20', COLLAB_RETRIES: '3' }
  const ran = await ground.run('collab-export', args, { env })
  service.follow([])
  return ran
}

/** A world with an empty project to restore into, whose group of tasks is `E`. */
export function worldWithTarget(): World {
  const world = worldTonight()
  world.projects.push(emptyProject('P9', 9))
  return world
}

export function restore(ground: Ground, service: HostileService, ...more: string[]): Promise<Ran> {
  const where = ['--project', 'P1', '--to-project', 'P9', '--entry', 'E', '--settle', '0', '--json']
  const env = { COLLAB_BASE_URL: service.baseUrl, COLLAB_TIMEOUT: '20', COLLAB_RETRIES: '3' }
  return ground.run('collab-export', ['restore', `${ground.path}/out`, ...where, ...more], { env })
}

/** The names of what a project holds, kind by kind. */
export function namesIn({ world }: HostileService, pid: string) {
  const { pages, posts, tasks } = projectOf(world, pid)
  const sorted = (names: readonly string[]) => names.toSorted()
  return {
    pages: sorted(pages.map(({ name }) => name)),
    posts: sorted(posts.map(({ post }) => post.name)),
    tasks: sorted(tasks.map(({ name }) => name)),
  }
}
