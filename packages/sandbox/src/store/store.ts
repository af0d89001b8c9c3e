import { parseExactJson } from '@collab-etl/contract/exact-json'
import { Random } from '../seed/random.ts'
import { ListCache } from './list-cache.ts'
import { may, type Right, type Standing, standingIn } from './membership.ts'
import type { Serialised } from './serialised.ts'
import type { Frozen, ProjectState, State, UserRecord, WebhookRecord } from './state.ts'
import type { ProjectTruth } from './truth.ts'
import { bareTask, projectDetail, projectListItem } from './views.ts'

/**
 * The service's data. What it hands out is read-only; changes go through `change`, `changeUser` and
 * `changePersonalWebhooks`, and show in the very next answer.
 */
export class Store {
  readonly #state: State
  readonly #projects: Map<string, ProjectState>
  readonly #versions = new Map<string, number>()
  readonly #lists = new ListCache()

  constructor(state: State) {
    this.#state = state
    this.#projects = new Map(state.projects.map((project) => [project.reference.pid, project]))
  }

  /** The whole state, for saving. */
  get state(): Frozen<State> {
    return this.#state
  }

  /** The user to whom the token belongs. */
  get caller(): Frozen<UserRecord> {
    return this.#state.caller
  }

  get users(): Frozen<UserRecord[]> {
    return this.#state.users
  }

  get personalWebhooks(): Frozen<WebhookRecord[]> {
    return this.#state.personal_webhooks
  }

  /** Every project, those that the caller does not see included. */
  get projects(): Frozen<ProjectState[]> {
    return [...this.#projects.values()]
  }

  /** Ids of the projects that the caller sees and may read, in the order in which they are listed. */
  readablePids(): string[] {
    return this.projects.filter((p) => may(standingIn(p, this.caller), 'read')).map((p) => p.reference.pid)
  }

  /** A project, or `undefined`. */
  find(pid: string): Frozen<ProjectState> | undefined {
    return this.#projects.get(pid)
  }

  /** A project that is known to be there. Throws where it is not. */
  project(pid: string): Frozen<ProjectState> {
    return this.#get(pid)
  }

  /** Where the caller stands in a project. */
  standing(project: Frozen<ProjectState>): Standing | null {
    return standingIn(project, this.caller)
  }

  /** Whether the caller may do this in a project. */
  allows(project: Frozen<ProjectState>, right: Right): boolean {
    return may(this.standing(project), right)
  }

  /**
   * Changes a project; the function is given the caller as well, to put into new records. It must be done when it
   * returns: answers between its steps would show half of it.
   */
  change<T>(pid: string, edit: (project: ProjectState, caller: UserRecord) => T): T {
    try {
      return edit(this.#get(pid), this.#state.caller)
    } finally {
      this.#touch(pid)
    }
  }

  /** Changes a user, wherever the user is shown. */
  changeUser(uid: string, edit: (user: UserRecord) => void): void {
    const user = this.#state.users.find((candidate) => candidate.uid === uid)
    if (!user) throw new RangeError(`The sandbox holds no user ${uid}`)
    edit(user)
    for (const pid of this.#projects.keys()) this.#touch(pid)
  }

  /** Changes the personal webhooks. */
  changePersonalWebhooks<T>(edit: (webhooks: WebhookRecord[]) => T): T {
    return edit(this.#state.personal_webhooks)
  }

  /** Adds a project, or puts it in the place of the one with its id. */
  addProject(project: ProjectState): void {
    this.#projects.set(project.reference.pid, project)
    this.#state.projects = [...this.#projects.values()]
    this.#touch(project.reference.pid)
  }

  /** Deletes a project with all it holds. Gives `false` where there is none. */
  removeProject(pid: string): boolean {
    const removed = this.#projects.delete(pid)
    this.#state.projects = [...this.#projects.values()]
    return removed
  }

  /** Moves a task to the front of the archived ones: everything on the archived pages moves on by one place. */
  archiveTask(pid: string, tid: string): void {
    this.change(pid, (project) => {
      const index = project.tasks.findIndex((task) => task.tid === tid)
      for (const task of index < 0 ? [] : project.tasks.splice(index, 1)) project.archived_tasks.unshift(bareTask(task))
    })
  }

  /** A new identifier; which one depends on the seed and on how many were drawn before. */
  newId(): string {
    this.#state.sequence++
    return new Random(`${this.#state.seed}/created/${this.#state.sequence}`).id()
  }

  /** The bytes of one of a project's lists, kept until the project changes. */
  list(pid: string, name: 'tasks' | 'pages'): Serialised {
    const project = this.#get(pid)
    return this.#lists.get(`${pid} ${name}`, this.#versions.get(pid) ?? 0, () => project[name])
  }

  /** All that a project holds, as a copy that later changes do not reach. Throws where there is no such project. */
  truth(pid: string): ProjectTruth {
    // A copy shares nothing with the store, so it need not stay read-only. `structuredClone` refuses exact numbers.
    return parseExactJson(JSON.stringify(this.view(pid))) as ProjectTruth
  }

  /** The same without a copy: it is true until the next change. */
  view(pid: string): Frozen<ProjectTruth> {
    const project = this.project(pid)
    const { entries, tasks, archived_tasks, pages, posts, files, webhooks } = project
    const { unlinked_posts, unlinked_files } = project
    return {
      listed: projectListItem(project, this.caller),
      detail: projectDetail(project),
      entries,
      tasks,
      archived_tasks,
      pages,
      posts,
      files,
      events: project.events.map(({ event }) => event),
      webhooks,
      unlinked_posts,
      unlinked_files,
    }
  }

  #get(pid: string): ProjectState {
    const project = this.#projects.get(pid)
    if (!project) throw new RangeError(`The sandbox holds no project ${pid}`)
    return project
  }

  #touch(pid: string): void {
    this.#versions.set(pid, (this.#versions.get(pid) ?? 0) + 1)
  }
}
