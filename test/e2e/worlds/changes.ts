import type { ProjectState, TaskRecord } from '@collab-etl/sandbox'
import { changeAccess, changeMany, changeUser, linkAcross, moveAcross, shareWebhook } from './changes-across.ts'
import { addMember, changeTeams, inviteCrowd, OFFERED_EDITS } from './changes-offered.ts'
import type { Dice } from './dice.ts'
import { changeOffers } from './offers.ts'
import { dueOf, people, readable, textOf, timeOf, type World } from './world.ts'

const MOST = 14
const COLOURS = ['red', 'green', 'blue', 'violet'] as const
/** Changes of one project. */
const EDITS: readonly ((project: ProjectState, dice: Dice) => void)[] = [
  editTask,
  editTask,
  completeTask,
  completeTask,
  unarchiveTask,
  addOrRemoveTask,
  moveToEntry,
  renameEntry,
  editPages,
  editPages,
  editPosts,
  editPosts,
  editFiles,
  editEvents,
  editEvents,
  editWebhooks,
  editProject,
  reorderFields,
  ...OFFERED_EDITS,
]

const ACROSS: readonly ((world: World) => void)[] = [
  changeUser,
  changeUser,
  changeAccess,
  changeMany,
  linkAcross,
  linkAcross,
  moveAcross,
  shareWebhook,
  addMember,
  inviteCrowd,
  changeTeams,
]

/** Changes the service as its users do between two nights. */
export function changeWorld(world: World): void {
  const { dice, sandbox, returning, offers } = world
  for (const undo of returning.splice(0)) undo()
  changeOffers(offers, dice)
  for (let count = dice.int(0, 8); count > 0; count--) {
    const pid = dice.pick(readable(world))
    if (pid === undefined || dice.chance(0.3)) dice.pick(ACROSS)?.(world)
    else if (dice.chance(0.15)) archiveTask(world, pid)
    else sandbox.store.change(pid, (project) => dice.pick(EDITS)?.(project, dice))
  }
}

function archiveTask({ sandbox: { store }, dice }: World, pid: string): void {
  const task = dice.pick(store.project(pid).tasks)
  if (task !== undefined) store.archiveTask(pid, task.tid)
}

function editTask({ tasks, archived_tasks, ...project }: ProjectState, dice: Dice): void {
  const task = dice.pick(dice.chance(0.7) ? tasks : archived_tasks)
  if (task === undefined) return
  const users = people({ tasks, archived_tasks, ...project })
  task.name = textOf(dice)
  task.expire_date = dueOf(dice)
  task.badges.expire_date = task.expire_date
  task.updated_at = timeOf(dice)
  if (dice.chance(0.5)) task.labels = dice.some(COLOURS).map((name) => ({ name, desc: textOf(dice) }))
  if (dice.chance(0.5)) task.members = distinct(dice.some(users))
  if (dice.chance(0.5)) task.watchers = distinct(dice.some(users))
  task.todos = task.todos.filter(() => dice.chance(0.8))
  if (dice.chance(0.3)) task.todos.push({ todo_id: dice.id(), name: textOf(dice), checked: 0, pos: dice.int(0, 99) })
  task.badges.todo_count = task.todos.length
  task.badges.todo_checked_count = task.todos.filter(({ checked }) => checked === 1).length
}

function distinct<T extends { uid: string }>(users: readonly T[]): T[] {
  return [...new Map(users.map((user) => [user.uid, user])).values()]
}

function completeTask({ tasks, archived_tasks }: ProjectState, dice: Dice): void {
  const task = dice.pick(tasks)
  if (task !== undefined) Object.assign(task, { completed: 1 - task.completed })
  if (task !== undefined) task.completed_date = task.completed === 1 ? timeOf(dice) : '1970-01-01T00:00:00.000Z'
  const archived = dice.pick(archived_tasks)
  if (archived !== undefined && dice.chance(0.2)) archived.completed = archived.completed === 1 ? 0 : 1
}

function unarchiveTask({ tasks, archived_tasks }: ProjectState, dice: Dice): void {
  if (tasks.length >= MOST) return
  const [task] = archived_tasks.splice(dice.int(0, archived_tasks.length - 1), 1)
  const completed_date = task?.completed === 1 ? timeOf(dice) : '1970-01-01T00:00:00.000Z'
  if (task !== undefined) tasks.push({ ...task, pos: dice.int(0, 999) + 0.5, completed_date })
}

function addOrRemoveTask({ tasks, archived_tasks }: ProjectState, dice: Dice): void {
  const list: Pick<TaskRecord, 'tid' | 'name' | 'project'>[] = dice.chance(0.6) ? tasks : archived_tasks
  const task = dice.pick(list)
  if (task === undefined || (dice.chance(0.4) && list.length > 2)) list.splice(dice.int(0, list.length), 1)
  else if (list.length < MOST)
    list.unshift({ ...structuredClone(task), project: task.project, tid: dice.id(), name: textOf(dice) })
}

function moveToEntry({ tasks, entries }: ProjectState, dice: Dice): void {
  const [task, entry] = [dice.pick(tasks), dice.pick(entries)]
  if (task && entry) Object.assign(task, { entry_id: entry.entry_id, entry_name: entry.name })
}

function renameEntry({ tasks, archived_tasks, entries }: ProjectState, dice: Dice): void {
  const entry = dice.pick(entries)
  if (entry === undefined) return
  entry.name = `Group ${dice.int(0, 999)}`
  for (const task of [...tasks, ...archived_tasks]) if (task.entry_id === entry.entry_id) task.entry_name = entry.name
}

function editPages({ pages }: ProjectState, dice: Dice): void {
  const place = dice.int(0, pages.length - 1)
  const page = pages[place]
  if (page === undefined) return
  // moves may make a circle, and a page that goes leaves its children
  if (dice.chance(0.4)) page.parent_id = dice.chance(0.3) ? '' : (dice.pick(pages)?.page_id ?? '')
  if (dice.chance(0.4)) page.name = textOf(dice)
  if (dice.chance(0.4)) page.content = `${textOf(dice)}\n${page.content.slice(-2000)}`
  if (dice.chance(0.2)) page.watchers = []
  if (dice.chance(0.2) && pages.length > 2) pages.splice(place, 1)
  else if (dice.chance(0.3) && pages.length < MOST)
    pages.push({ ...structuredClone(page), page_id: dice.id(), parent_id: page.page_id, watchers: page.watchers })
  // a list that holds a page twice: the later record counts
  else if (dice.chance(0.1) && pages.length < MOST) pages.push({ ...page, name: textOf(dice) })
}

function editPosts({ posts, files, ...project }: ProjectState, dice: Dice): void {
  const place = dice.int(0, posts.length - 1)
  const at = posts[place]
  if (at === undefined) return
  if (dice.chance(0.4)) at.post.name = textOf(dice)
  if (dice.chance(0.4)) at.post.content = `${textOf(dice)}\n${at.post.content.slice(-2000)}`
  const comment = dice.pick(at.comments)
  if (comment && dice.chance(0.5)) comment.message = textOf(dice)
  const file = dice.pick(files)?.file
  if (comment && file && dice.chance(0.5) && !comment.fids.includes(file.fid)) {
    const { fid, name, desc, pid, size, path, folder_id } = file
    comment.fids.push(fid)
    comment.files.push({ fid, name, desc, pid, size, path, folder_id })
  }
  if (comment && dice.chance(0.5) && at.comments.length < MOST) {
    const owner = dice.pick(people({ posts, files, ...project })) ?? comment.owner
    at.comments.push({
      ...structuredClone(comment),
      cid: dice.id(),
      owner,
      created_at: timeOf(dice),
      fids: [],
      files: [],
    })
  }
  if (dice.chance(0.2)) at.comments.shift()
  if (dice.chance(0.1)) posts.splice(place, 1)
}

function editFiles({ files, tasks }: ProjectState, dice: Dice): void {
  const place = dice.int(0, files.length - 1)
  const at = files[place]
  if (at === undefined) return
  if (dice.chance(0.5)) Object.assign(at.file, { desc: textOf(dice), size: String(dice.int(0, 1e9)) })
  if (dice.chance(0.5)) at.file.watchers = []
  if (dice.chance(0.2)) at.comments.pop()
  if (dice.chance(0.15)) files.splice(place, 1)
  const task = dice.pick(tasks)
  // attached to a task and nowhere else
  if (task === undefined || dice.chance(0.4) || files.length >= MOST) return
  const file = { ...structuredClone(at.file), fid: dice.id(), name: textOf(dice), owner: at.file.owner, watchers: [] }
  files.push({ file, comments: [] })
  const { fid, name, desc, pid, size, path, folder_id } = file
  Object.assign(task, { fids: [fid], files: [{ fid, name, desc, pid, size, path, folder_id }] })
}

function editEvents({ events }: ProjectState, dice: Dice): void {
  const place = dice.int(0, events.length - 1)
  const at = events[place]
  if (at === undefined) return
  const { event } = at
  if (dice.chance(0.3)) event.start = event.end = timeOf(dice)
  if (dice.chance(0.3)) event.name = textOf(dice)
  if (dice.chance(0.3)) event.attendees = []
  if (dice.chance(0.3)) event.recurrence = dice.int(0, 4)
  if (dice.chance(0.3)) delete event.location
  if (dice.chance(0.2) && events.length > 2) events.splice(place, 1)
  // a second start of the same event, or a new event
  else if (dice.chance(0.5) && events.length < MOST) {
    const start = timeOf(dice)
    const event_id = dice.chance(0.5) ? event.event_id : dice.id()
    events.push({ event: { ...event, event_id, start, end: start }, comments: [] })
  }
}

function editWebhooks({ webhooks, reference: { pid } }: ProjectState, dice: Dice): void {
  const webhook = dice.pick(webhooks)
  if (webhook && dice.chance(0.5)) Object.assign(webhook, { name: textOf(dice), is_every: 0 })
  if (webhook && dice.chance(0.4) && webhooks.length > 1) webhooks.pop()
  else if (webhook && webhooks.length < 5) webhooks.push({ ...structuredClone(webhook), wid: dice.id(), pid })
}

function editProject(project: ProjectState, dice: Dice): void {
  if (dice.chance(0.5)) project.desc = textOf(dice)
  if (dice.chance(0.2)) project.archived = project.archived === 1 ? 0 : 1
  if (dice.chance(0.3)) Object.assign(project, { is_star: dice.int(0, 1), pos: dice.int(0, 99) / 4 })
  if (dice.chance(0.3)) project.labels = [...project.labels.slice(1), { name: `new ${dice.int(0, 99)}`, desc: '' }]
  if (dice.chance(0.2)) project.reference.name = textOf(dice)
}

/** The same values in other bytes. */
function reorderFields({ tasks, pages, events }: ProjectState): void {
  for (const record of [...tasks, ...pages, ...events.map(({ event }) => event)]) {
    const fields = Object.entries(record).toReversed()
    for (const [name] of fields) Reflect.deleteProperty(record, name)
    Object.assign(record, Object.fromEntries(fields))
  }
}
