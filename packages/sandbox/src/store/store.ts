import { parseExactJson } from '@collab-etl/contract/exact-json'
import { entriesOf, projectMembers } from './people.ts'
import { Random } from './random.ts'
import { ListCache, type Serialised } from './serialised.ts'
import type { Frozen, ProjectState, ProjectTruth, State, TeamRecord, UserRecord, WebhookRecord } from './state.ts'
import { TaskComments } from './task-comments.ts'
import { bareTask, type Membership, may, membershipIn, projectDetail, projectListItem, type Right } from './views.ts'

/**
 * The service's data. Returned records are read-only; `change`, `changeUser`, `changeTeams` and `changePersonalWebhooks` change
 * them, effective from the next answer.
 */
export class Store {
  readonly #state: State
  #caller: UserRecord
  #projects: Map<string, ProjectState>
  #versions = new Map<string, number>()
  #lists = new ListCache()

  constructor(state: State) {
    this.#state = state
    this.#caller = state.caller
    this.#projects = new Map(state.projects.map((project) => [project.reference.pid, project]))
  }

  /**
   * The same data, as another user sees it: what one of the stores changes, all show.
   *
   * @throws RangeError for an unknown user
   */
  as(uid: string): Store {
    const other = new Store(this.#state)
    other.#caller = this.#user(uid)
    other.#projects = this.#projects
    other.#versions = this.#versions
    other.#lists = this.#lists
    return other
  }

  /** The whole state, for saving. */
  get state(): Frozen<State> {
    return this.#state
  }

  /** The user who sees this: by default the one to whom the token of the sandbox belongs. */
  get caller(): Frozen<UserRecord> {
    return this.#caller
  }

  get users(): Frozen<UserRecord[]> {
    return this.#state.users
  }

  /** Those of the caller. */
  get personalWebhooks(): Frozen<WebhookRecord[]> {
    const { caller, personal_webhooks, personal_webhooks_of } = this.#state
    return this.#caller === caller ? personal_webhooks : (personal_webhooks_of?.[this.#caller.uid] ?? [])
  }

  /** All teams, including those of which the caller is not a member. */
  get teams(): Frozen<TeamRecord[]> {
    return this.#state.teams ?? []
  }

  /** All projects, including those that are not listed for the caller. */
  get projects(): Frozen<ProjectState[]> {
    return [...this.#projects.values()]
  }

  /** Ids of the projects that the caller may read, in listed order. */
  readablePids(): string[] {
    return this.projects.filter((p) => may(membershipIn(p, this.caller), 'read')).map((p) => p.reference.pid)
  }

  /** A project, or `undefined` if there is none with this id. */
  find(pid: string): Frozen<ProjectState> | undefined {
    return this.#projects.get(pid)
  }

  /**
   * A project.
   *
   * @throws RangeError if there is none with this id
   */
  project(pid: string): Frozen<ProjectState> {
    return this.#get(pid)
  }

  /** The caller's membership of a project. */
  membership(project: Frozen<ProjectState>): Membership | null {
    return membershipIn(project, this.caller)
  }

  allows(project: Frozen<ProjectState>, right: Right): boolean {
    return may(this.membership(project), right)
  }

  /**
   * Changes a project; `edit` also receives the caller, for new records. It must be synchronous, so that no answer shows a
   * partial change.
   */
  change<T>(pid: string, edit: (project: ProjectState, caller: UserRecord) => T): T {
    try {
      return edit(this.#get(pid), this.#caller)
    } finally {
      this.#touch(pid)
    }
  }

  changeUser(uid: string, edit: (user: UserRecord) => void): void {
    edit(this.#user(uid))
    for (const pid of this.#projects.keys()) this.#touch(pid)
  }

  changePersonalWebhooks<T>(edit: (webhooks: WebhookRecord[]) => T): T {
    const { caller, personal_webhooks } = this.#state
    if (this.#caller === caller) return edit(personal_webhooks)
    const webhooks = [...this.personalWebhooks] as WebhookRecord[] // `edit` may change what the store holds
    this.#state.personal_webhooks_of = { ...this.#state.personal_webhooks_of, [this.#caller.uid]: webhooks }
    return edit(webhooks)
  }

  changeTeams(edit: (teams: TeamRecord[]) => void): void {
    this.#state.teams ??= []
    edit(this.#state.teams)
  }

  /** Adds a project, or replaces the one with its id. */
  addProject(project: ProjectState): void {
    this.#projects.set(project.reference.pid, project)
    this.#state.projects = [...this.#projects.values()]
    this.#touch(project.reference.pid)
  }

  /** Deletes a project with its data. Returns `false` if there is none. */
  removeProject(pid: string): boolean {
    const removed = this.#projects.delete(pid)
    this.#state.projects = [...this.#projects.values()]
    return removed
  }

  /** Archives a task: it becomes the first archived task, and all others move by one place. */
  archiveTask(pid: string, tid: string): void {
    this.change(pid, (project) => {
      const index = project.tasks.findIndex((task) => task.tid === tid)
      for (const task of index < 0 ? [] : project.tasks.splice(index, 1)) project.archived_tasks.unshift(bareTask(task))
    })
  }

  /** A new id, determined by the seed and the number of ids created before. */
  newId(): string {
    this.#state.sequence++
    return new Random(`${this.#state.seed}/created/${this.#state.sequence}`).id()
  }

  /** One of a project's lists, serialised and cached until the project changes. */
  list(pid: string, name: 'tasks' | 'pages'): Serialised {
    const project = this.#get(pid)
    return this.#lists.get(`${pid} ${name}`, this.#versions.get(pid) ?? 0, () => project[name])
  }

  /** The comments and attachments of a project's tasks; valid until the next change. */
  taskComments(project: Frozen<ProjectState>): TaskComments {
    return new TaskComments(project, this.users)
  }

  /**
   * A copy of all data of a project.
   *
   * @throws RangeError if there is no project with this id
   */
  truth(pid: string): ProjectTruth {
    // The copy shares nothing with the store, so it is not read-only. `structuredClone` does not support exact numbers.
    return parseExactJson(JSON.stringify(this.view(pid))) as ProjectTruth
  }

  /** The same without copying; valid until the next change. */
  view(pid: string): Frozen<ProjectTruth> {
    const project = this.project(pid)
    const { tasks, archived_tasks, pages, posts, files, webhooks } = project
    const { unlinked_posts, unlinked_files } = project
    const comments = this.taskComments(project)
    return {
      listed: projectListItem(project, this.caller),
      detail: projectDetail(project),
      entries: entriesOf(project),
      members: projectMembers(project),
      tasks,
      archived_tasks,
      task_comments: Object.fromEntries([...tasks, ...archived_tasks].map((task) => [task.tid, comments.of(task)])),
      pages,
      posts,
      files,
      events: project.events.map(({ event }) => event),
      webhooks,
      unlinked_posts,
      unlinked_files,
    }
  }

  #user(uid: string): UserRecord {
    const user = this.#state.users.find((candidate) => candidate.uid === uid)
    if (!user) throw new RangeError(`The sandbox holds no user ${uid}`)
    return user
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
