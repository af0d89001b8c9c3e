import {
  archivedTask,
  comment,
  emptyProject,
  event,
  file,
  page,
  post,
  task,
  user,
  webhook,
} from '@collab-etl/harness/records'
import type { Sandbox, SandboxOptions } from '@collab-etl/sandbox'
import { type ProjectState, Store } from '@collab-etl/sandbox'
import type { Fixture } from '../support/fixture.ts'

/** A service with these projects, whose user is the first one; ids that it makes depend on the seed. */
export function worldOf(projects: ProjectState[], seed = '1'): Store {
  const users = [user(1), user(2), user(3)]
  return new Store({ sequence: 0, seed, caller: user(1), users, personal_webhooks: [], projects })
}

/** The world of the previous run: three projects, of which P1 has something of everything. */
export function worldBefore(): Store {
  const world = worldOf([firstProject(), secondProject(), thirdProject()])
  world.changePersonalWebhooks((webhooks) => webhooks.push(webhook('', 1)))
  return world
}

/** The world of this run: in P1 and P2 the last record of each list is gone, the first has another name, and one is new. */
export function worldTonight(): Store {
  const world = worldBefore()
  for (const pid of ['P1', 'P2']) world.change(pid, pass)
  return world
}

/** A project, to be changed at once: the next answer shows it. */
export function projectOf(world: Store, pid: string): ProjectState {
  return world.change(pid, (project) => project)
}

/** Gives the service's user a permission in a project. */
export function setPermission(world: Store, pid: string, permission: 0 | 15): void {
  for (const member of projectOf(world, pid).members.slice(0, 1)) member.permission = permission
}

/** Replaces all projects of a service. */
export function replace({ store }: Sandbox, projects: readonly ProjectState[]): void {
  for (const { reference } of store.projects) store.removeProject(reference.pid)
  for (const project of projects) store.addProject(project)
}

/** A service that shows a world, without headers beyond the documentation, stopped after the fault. */
export function showWorld(fixture: Fixture, store: Store, options: SandboxOptions = {}): Promise<Sandbox> {
  return fixture.startSandbox({ store, ...options })
}

/** The numbers from 1 to `count`. */
function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}

/** Where posts are linked to from. */
function linkTo(pid: string, post: number): string {
  return `https://collab.example.org/project/${pid}/post/${pid}-N${post}`
}

const events = (pid: string, count: number) => upTo(count).map((n) => ({ event: event(pid, n), comments: [] }))

function firstProject(): ProjectState {
  const pid = 'P1'
  const folder = { ...file(pid, 9), name: 'folder', size: '0', type: 1 }
  const [first, second] = [file(pid, 1, folder.fid), file(pid, 2)]
  return {
    ...emptyProject(pid, 1),
    tasks: upTo(6).map((n) => task(pid, n)),
    archived_tasks: upTo(25).map((n) => archivedTask(pid, 100 + n)),
    pages: [
      page(pid, 1, `see ${linkTo(pid, 1)}, ${linkTo(pid, 2)} and ${linkTo(pid, 3)}`),
      page(pid, 2, 'below the first', `${pid}-G1`),
      page(pid, 3, '# Three'),
      page(pid, 4, 'the last'),
    ],
    posts: [
      { post: post(pid, 1), comments: [comment(`${pid}-C1`, 'first', [first])] },
      { post: post(pid, 2), comments: [comment(`${pid}-C2`, 'second', [second])] },
      { post: post(pid, 3), comments: [] },
    ],
    files: [
      { file: first, comments: [comment(`${pid}-C3`, 'of a file')] },
      { file: folder, comments: [] },
      { file: second, comments: [] },
    ],
    events: events(pid, 5),
    webhooks: upTo(3).map((n) => webhook(pid, n)),
  }
}

function secondProject(): ProjectState {
  const pid = 'P2'
  return {
    ...emptyProject(pid, 2),
    tasks: upTo(4).map((n) => task(pid, n)),
    archived_tasks: upTo(12).map((n) => archivedTask(pid, 100 + n)),
    pages: [page(pid, 1, `see ${linkTo(pid, 1)} and ${linkTo(pid, 2)}`), page(pid, 2, 'two'), page(pid, 3, 'three')],
    posts: [
      { post: post(pid, 1), comments: [comment(`${pid}-C1`, 'one')] },
      { post: post(pid, 2), comments: [] },
    ],
    events: events(pid, 3),
    webhooks: upTo(3).map((n) => webhook(pid, n)),
  }
}

function thirdProject(): ProjectState {
  const pid = 'P3'
  return { ...emptyProject(pid, 3), tasks: [task(pid, 1)], pages: [page(pid, 1, 'alone')] }
}

function pass(project: ProjectState): void {
  const { pid } = project.reference
  project.events.pop()
  for (const { event } of project.events.slice(0, 1)) event.name = `${event.name}, renamed`
  for (const list of [project.tasks, project.archived_tasks, project.pages, project.webhooks]) {
    list.pop()
    for (const record of list.slice(0, 1)) record.name = `${record.name}, renamed`
  }
  project.desc = 'about it, in other words'
  project.tasks.push(task(pid, 50))
  project.archived_tasks.push(archivedTask(pid, 150))
  project.pages.push(page(pid, 50, 'new'))
  project.events.push({ event: event(pid, 9), comments: [] })
  project.webhooks.push(webhook(pid, 50))
  const found = file(pid, 50)
  project.posts.pop()
  for (const { comments } of project.posts.slice(0, 1)) {
    comments.pop()
    // Posts that only a comment refers to are discovered independently of lists.
    comments.push(comment(`${pid}-C50`, `new, see ${linkTo(pid, 50)}`))
  }
  project.posts.push({ post: post(pid, 50), comments: [] })
  if (project.files.length === 0) return
  project.files.pop()
  for (const { comments } of project.files.slice(0, 1)) comments.push(comment(`${pid}-C51`, 'one more', [found]))
  project.files.push({ file: found, comments: [] })
}
