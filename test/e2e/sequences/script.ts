import type { Sandbox } from '@collab-etl/sandbox'
import fc from 'fast-check'
import { changeProject } from '../../faults/support/changes.ts'
import { FORMS } from './front.ts'

const CHANGES = ['everything a little', 'a page moves', 'a page goes', 'a task is new', 'records go', 'a user'] as const

const BREAKS = ['reset_in_body', 'truncate', 'error'] as const

/** Damage done to a warehouse by hand; `snapshot --full` repairs it. */
const DAMAGE = [
  "UPDATE collab.tasks SET name = 'damaged' WHERE tid = (SELECT min(tid) FROM collab.tasks)",
  "UPDATE collab.pages SET content = 'damaged', name = 'damaged' WHERE page_id = (SELECT max(page_id) FROM collab.pages)",
  'DELETE FROM collab.tasks WHERE tid = (SELECT max(tid) FROM collab.tasks)',
  'DELETE FROM collab.pages WHERE page_id = (SELECT min(page_id) FROM collab.pages)',
  'DELETE FROM collab.task_members; DELETE FROM collab.post_comments',
  "UPDATE collab.users SET display_name = 'damaged'",
] as const

/** The value in one of `count` cases, else `null`. */
const oneIn = <T>(count: number, value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: count - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value })

/** One night, and what changes before it. */
const night = fc.record({
  changes: fc.array(fc.record({ what: fc.constantFrom(...CHANGES), project: fc.nat(1), turn: fc.nat(20) }), {
    maxLength: 2,
  }),
  form: fc.constantFrom(FORMS[0], FORMS[0], FORMS[0], ...FORMS),
  /** A connection that breaks after `skip` requests, so that a scope is read again. */
  breaks: oneIn(3, fc.record({ kind: fc.constantFrom(...BREAKS), skip: fc.nat(25) })),
  /** Number of the request at which the snapshot is killed with SIGKILL. */
  killedAt: oneIn(8, fc.nat(40)),
  resumes: fc.boolean(),
  damage: oneIn(5, fc.constantFrom(...DAMAGE)),
  /** Milliseconds after which the backup is killed with SIGKILL. */
  backupKilledAfter: oneIn(12, fc.integer({ min: 300, max: 900 })),
  backsUp: fc.boolean(),
})

/** Two to five nights; the first begins with an empty warehouse. */
export const nights = fc.record({
  seed: fc.nat(1000),
  formats: fc.constantFrom('markdown,csv', 'markdown,csv,jsonl', 'html', 'markdown,csv,html,jsonl'),
  nights: fc.array(night, { minLength: 2, maxLength: 5 }),
})

export type Night = (typeof nights extends fc.Arbitrary<infer T> ? T : never)['nights'][number]

/** Lets every page link to all pages: a page that moves changes the files of the others. */
export function linkPages({ store, pids }: Sandbox): void {
  const links = pids.flatMap((pid) =>
    store.project(pid).pages.map((page) => `[to it](/projects/${pid}/pages/${page.page_id})`),
  )
  for (const pid of pids)
    store.change(pid, ({ pages }) => {
      for (const page of pages) page.content += `\n\n${links.join(' ')}\n`
    })
}

/** Changes the service as its users do between two nights. */
export function applyChange(sandbox: Sandbox, { what, project, turn }: Night['changes'][number]): void {
  const { store, pids } = sandbox
  const pid = pids[project % pids.length] ?? ''
  if (what === 'everything a little') changeProject(sandbox, pid, turn)
  else if (what === 'a user') {
    const user = store.users[turn % store.users.length]
    store.changeUser(user?.uid ?? '', (changed) => {
      if (turn % 2 === 0) changed.online = changed.online === 1 ? 0 : 1
      else changed.name = `Name of turn ${turn}`
    })
  } else
    store.change(pid, ({ pages, tasks, events, posts }) => {
      const page = pages[turn % Math.max(1, pages.length)]
      if (what === 'a page moves' && page)
        page.parent_id = turn % 2 === 0 ? '' : (pages.find(({ parent_id }) => parent_id === '')?.page_id ?? '')
      if (what === 'a page moves' && page?.parent_id === page?.page_id && page) page.parent_id = ''
      if (what === 'a page goes') pages.splice(turn % Math.max(1, pages.length), 1)
      const [task] = tasks
      if (what === 'a task is new' && task)
        tasks.push({ ...structuredClone(task), tid: `new-${turn}-${tasks.length}`, name: 'new' })
      if (what === 'records go')
        for (const list of [tasks, events, posts]) list.splice(turn % Math.max(1, list.length), 1)
    })
}
