import { expectedRows, type PlainTables } from '@collab-etl/harness/expected-rows'
import type { ProjectState, Sandbox } from '@collab-etl/sandbox'
import type { Dice } from '../worlds/dice.ts'

/** Most pages and tasks of a project. */
const MOST = 9
const LEAST = 5

const EDITS: readonly ((project: ProjectState, dice: Dice, id: string) => void)[] = [
  ({ pages }, dice) => void Object.assign(dice.pick(pages) ?? {}, { name: `Page ${dice.int(0, 999)}` }),
  ({ pages }, dice) => {
    const page = dice.pick(pages)
    if (page !== undefined) page.content += `\n\nAdded ${dice.int(0, 999)}.`.repeat(dice.int(1, 20))
  },
  ({ pages }, dice, page_id) => {
    const page = dice.pick(pages)
    if (page !== undefined && pages.length < MOST)
      pages.push({ ...structuredClone(page), parent_id: '', page_id, name: `New ${dice.int(0, 999)}` })
  },
  // at the end: no other page is below it
  ({ pages }) => void (pages.length > LEAST && pages.pop()),
  ({ tasks }, dice) => void Object.assign(dice.pick(tasks) ?? {}, { name: `Task ${dice.int(0, 999)}` }),
  ({ tasks }, dice, tid) => {
    const task = dice.pick(tasks)
    if (task !== undefined && tasks.length < MOST)
      tasks.push({ ...structuredClone(task), project: task.project, tid, name: `New ${dice.int(0, 999)}` })
  },
  ({ tasks }, dice) => void (tasks.length > LEAST && tasks.splice(dice.int(0, tasks.length - 1), 1)),
  (project, dice) => {
    project.desc = `Described ${dice.int(0, 999)}`
  },
]

/** Changes the service as its users do in a day; on some days not at all. */
export function changeService({ store, pids }: Sandbox, dice: Dice): void {
  if (dice.chance(0.3)) return
  for (let count = dice.int(1, 4); count > 0; count--) {
    const pid = dice.pick(pids) ?? ''
    store.change(pid, (project) => dice.pick(EDITS)?.(project, dice, dice.id()))
  }
}

/** The rows that the service has now, of what a snapshot can find. Users stay when nothing names them any more. */
export function rowsNow({ store, pids }: Sandbox): PlainTables {
  const truths = pids.map((pid) => {
    const { unlinked_posts: unlinked } = store.project(pid)
    const truth = store.truth(pid)
    return { ...truth, posts: truth.posts.filter(({ post }) => !unlinked.includes(post.post_id)) }
  })
  const { users: _, ...tables } = structuredClone(expectedRows(truths, store.personalWebhooks))
  return tables
}
