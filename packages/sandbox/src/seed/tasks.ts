import { EPOCH } from '@collab-etl/contract/timestamp'
import type { Random } from '../store/random.ts'
import type { BareTaskRecord, ProjectState, TaskRecord } from '../store/state.ts'
import { type Links, plainLink } from './links.ts'
import { sentences } from './markdown.ts'
import { DAY, iso, type Outline, pastTime, REFERENCE_TIME, since } from './outline.ts'

const POSITION_STEP = 65_536

/** One in so many tasks is the caller's, open, and due today or tomorrow. */
const CALLERS_EVERY = 25

const TODAY = Math.floor(REFERENCE_TIME / DAY) * DAY

/** The task groups: those of the tasks, and one that has none. */
export function makeEntries(outline: Outline): ProjectState['entries'] {
  const random = outline.random.fork('entries')
  const empty = { entry_id: random.id(), name: random.pick(outline.language.headings) }
  return [...outline.entries, empty].map((entry, index) => {
    const created = pastTime(random)
    const updated_at = iso(since(random, created))
    return {
      ...entry,
      created_at: iso(created),
      updated_at,
      watched: random.chance(0.2),
      pos: POSITION_STEP * (index + 1),
    }
  })
}

/** Tasks that are not archived, in the order of their groups. */
export function makeTasks(outline: Outline, links: Links): TaskRecord[] {
  const random = outline.random.fork('tasks')
  return Array.from({ length: outline.sizes.tasks }, (_, index): TaskRecord => {
    const task = makeTask(random, outline)
    if (index % CALLERS_EVERY === 2) makeCallers(task, outline, index)
    for (const target of links.of('task', index)) {
      task.desc = `${task.desc} ${plainLink(random, outline.language, target)}`.trimStart()
    }
    const completed_date = task.completed === 1 ? task.updated_at : EPOCH
    // Dragging a task between two others halves the distance. Always drawn, so that the other data stays the same.
    const isBetween = random.chance(0.1) && outline.fractionalPositions
    const pos = POSITION_STEP * (index + 1) + (isBetween ? 0.5 : 0)
    return Object.assign(task, { pos, completed_date })
  })
}

/** Archived tasks; the most recently archived first. */
export function makeArchivedTasks(outline: Outline): BareTaskRecord[] {
  const random = outline.random.fork('archived')
  const tasks = Array.from({ length: outline.sizes.archived }, () => makeTask(random, outline))
  return tasks.sort((a, b) => (a.updated_at < b.updated_at ? 1 : a.updated_at > b.updated_at ? -1 : 0))
}

function makeTask(random: Random, outline: Outline): BareTaskRecord {
  const { language, people, labels, reference } = outline
  const created = pastTime(random)
  const entry = random.pick(outline.entries)
  const todos = makeTodos(random, outline)
  const members = random.some(people, random.pick([0, 1, 1, 1, 2, 3]))
  const expire_date = dueDate(random)
  return {
    name: random.pick(language.doing).replace('{}', random.pick(language.things)),
    pid: reference.pid,
    tid: random.id(),
    entry_id: entry.entry_id,
    entry_name: entry.name,
    created_at: iso(created),
    updated_at: iso(since(random, created)),
    labels: random.chance(0.5) ? random.some(labels, random.int(1, 2)) : [],
    todos,
    badges: {
      expire_date,
      comment_count: random.chance(0.4) ? random.int(1, 12) : 0,
      todo_checked_count: todos.filter(({ checked }) => checked === 1).length,
      todo_count: todos.length,
      file_count: random.chance(0.2) ? random.int(1, 4) : 0,
    },
    watchers: random.some(people, random.int(1, 3)),
    members,
    completed: random.chance(0.35) ? 1 : 0,
    expire_date,
    desc: random.chance(0.6) ? sentences(random, language, 2) : '',
    project: reference,
  }
}

function makeTodos(random: Random, { language }: Outline): TaskRecord['todos'] {
  if (random.chance(0.6)) return []
  return Array.from({ length: random.int(1, 4) }, (_, index) => ({
    todo_id: random.id(),
    name: random.pick(language.things),
    checked: random.chance(0.5) ? 1 : 0,
    pos: POSITION_STEP * (index + 1),
  }))
}

/** The epoch for most; otherwise the end of a day near the present, so that some are due today and some are overdue. */
function dueDate(random: Random): string {
  if (random.chance(0.55)) return EPOCH
  const days = random.chance(0.2) ? random.int(0, 1) : random.int(-90, 60)
  return endOfDay(days)
}

/** The end of the day `days` from today. */
function endOfDay(days: number): string {
  return iso(TODAY + (days + 1) * DAY - 1000)
}

function makeCallers(task: BareTaskRecord, { caller }: Outline, index: number): void {
  task.members = [caller, ...task.members.filter((user) => user !== caller)]
  task.completed = 0
  task.expire_date = endOfDay(index % 2)
  task.badges.expire_date = task.expire_date
}
