import { comment, emptyProject, event, file, page, post, task, webhook } from './make-records.ts'
import type { Project, World } from './records.ts'

/** The numbers from 1 to `count`. */
function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}

/** As it was the night before: three projects, of which P1 has something of everything. */
export function worldBefore(): World {
  return { projects: [firstProject(), secondProject(), thirdProject()], personalWebhooks: [webhook('', 1)] }
}

/** As it is tonight: in P1 and P2 the last record of each list is gone, the first has another name, and one is new. */
export function worldTonight(): World {
  const world = worldBefore()
  for (const project of world.projects.slice(0, 2)) pass(project)
  return world
}

/** The project of an id. */
export function projectOf(world: World, pid: string): Project {
  const project = world.projects.find(({ listed }) => listed.pid === pid)
  if (project === undefined) throw new Error(`the world has no project ${pid}`)
  return project
}

/** Where posts are linked to from. */
function linkTo(pid: string, post: number): string {
  return `https://collab.example.org/project/${pid}/post/${pid}-N${post}`
}

function firstProject(): Project {
  const pid = 'P1'
  const folder = { ...file(pid, 9), name: 'folder', size: '0', type: 1 }
  const [first, second] = [file(pid, 1, folder.fid), file(pid, 2)]
  return {
    ...emptyProject(pid, 1),
    tasks: upTo(6).map((n) => task(pid, n, 'open')),
    archived: upTo(25).map((n) => task(pid, 100 + n, 'archived')),
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
    events: upTo(5).map((n) => event(pid, n)),
    webhooks: upTo(3).map((n) => webhook(pid, n)),
  }
}

function secondProject(): Project {
  const pid = 'P2'
  return {
    ...emptyProject(pid, 2),
    tasks: upTo(4).map((n) => task(pid, n, 'open')),
    archived: upTo(12).map((n) => task(pid, 100 + n, 'archived')),
    pages: [page(pid, 1, `see ${linkTo(pid, 1)} and ${linkTo(pid, 2)}`), page(pid, 2, 'two'), page(pid, 3, 'three')],
    posts: [
      { post: post(pid, 1), comments: [comment(`${pid}-C1`, 'one')] },
      { post: post(pid, 2), comments: [] },
    ],
    events: upTo(3).map((n) => event(pid, n)),
    webhooks: upTo(3).map((n) => webhook(pid, n)),
  }
}

function thirdProject(): Project {
  const pid = 'P3'
  return { ...emptyProject(pid, 3), tasks: [task(pid, 1, 'open')], pages: [page(pid, 1, 'alone')] }
}

function pass(project: Project): void {
  const { pid } = project.detail
  for (const list of [project.tasks, project.archived, project.pages, project.events, project.webhooks]) {
    list.pop()
    for (const record of list.slice(0, 1)) record.name = `${record.name}, renamed`
  }
  const desc = 'about it, in other words'
  project.detail.desc = desc
  project.listed.desc = desc
  project.tasks.push(task(pid, 50, 'open'))
  project.archived.push(task(pid, 150, 'archived'))
  project.pages.push(page(pid, 50, 'new'))
  project.events.push(event(pid, 9))
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
