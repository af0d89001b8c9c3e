import { hexId } from './ids.ts'
import { person } from './people.ts'
import { held, type TaskList, taskList } from './task-list.ts'
import { CHANGED_ONE_IN, CHANGED_REST, pidOf, type World } from './world.ts'

/** First number of archived tasks, beyond those of other tasks. */
const ARCHIVED_FROM = 1_500_000_000

/** The answer for a path below `/v1`, or `undefined`. */
export class Answers {
  readonly #world: World
  readonly #pids: ReadonlyMap<string, number>
  #lists: readonly TaskList[]

  constructor(world: World) {
    this.#world = world
    this.#pids = new Map(Array.from({ length: world.projects }, (_, number) => [pidOf(number), number]))
    this.#lists = this.#makeLists(false)
  }

  /** Sets whether 1 % of the listed tasks are in their second version. */
  change(changed: boolean): void {
    this.#lists = this.#makeLists(changed)
  }

  to(path: string, query: URLSearchParams): TaskList | object | undefined {
    const pid = query.get('pid') ?? ''
    const number = this.#pids.get(pid)
    switch (path) {
      case '/projects':
        return [...this.#pids].map(([pid, position]) => projectListItem(pid, position))
      case '/tasks':
        return number === undefined ? undefined : this.#lists[number]
      case '/tasks/archived':
        return this.#archived(pid, Number(query.get('page')), Number(query.get('size')))
      case '/pages':
      case '/events':
      case '/webhooks':
        return []
      default: {
        const [, resource, id = ''] = path.split('/')
        return resource === 'projects' && this.#pids.has(id) ? projectDetail(id) : undefined
      }
    }
  }

  #makeLists(changed: boolean): TaskList[] {
    const isChanged = changed ? (number: number) => number % CHANGED_ONE_IN === CHANGED_REST : () => false
    const { tasks: count, streamed } = this.#world
    return [...this.#pids].map(([pid, project]) => {
      const list = taskList({ pid, first: project * count, count, changed: isChanged })
      return streamed ? list : held(list)
    })
  }

  #archived(pid: string, page: number, size: number): TaskList {
    const start = (page - 1) * size
    const count = page < 1 ? 0 : Math.max(0, Math.min(size, this.#world.archivedTasks - start))
    return taskList({
      pid,
      first: ARCHIVED_FROM + start,
      count,
      total: this.#world.archivedTasks,
      bare: true,
      changed: () => false,
    })
  }
}

function common(pid: string) {
  return {
    pid,
    name: `Project ${pid}`,
    desc: 'A project of the bench',
    archived: 0,
    pic: 'icon.png',
    bg: '#2255aa',
    visibility: 1,
    team_id: hexId(3_999_999_999),
  }
}

function projectListItem(pid: string, position: number) {
  return { ...common(pid), is_star: 0, pos: position, member_count: 60, curr_role: 1, permission: 31 }
}

function projectDetail(pid: string) {
  return { ...common(pid), labels: [{ name: 'red', desc: 'red things' }], created_by: person(0) }
}
