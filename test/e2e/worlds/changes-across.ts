import type { ProjectState, UserRecord } from '@collab-etl/sandbox'
import { readable, setPermission, textOf, type World } from './world.ts'

/** Renames a user, changes presence, or puts thin copies of it, with nulls, into records of one project. */
export function changeUser(world: World): void {
  const { dice, sandbox } = world
  const pid = dice.pick(readable(world))
  const user = dice.pick(sandbox.store.users)
  if (user === undefined || pid === undefined) return
  const thin = { display_name: null, avatar: null, desc: null, status: null }
  if (dice.chance(0.5)) {
    const name = `Renamed ${dice.int(0, 9999)}`
    sandbox.store.changeUser(user.uid, (changed) => Object.assign(changed, { name }))
    for (const { reference } of sandbox.store.projects)
      sandbox.store.change(reference.pid, (project) =>
        forCopies(project, user.uid, (copy) => Object.assign(copy, { name })),
      )
  } else if (dice.chance(0.3)) {
    sandbox.store.changeUser(user.uid, (changed) => Object.assign(changed, { online: dice.int(0, 3) }))
  } else
    sandbox.store.change(pid, ({ tasks, pages, events }) => {
      const thinned = (users: UserRecord[]) =>
        users.map((copy) => (copy.uid === user.uid ? Object.assign({ ...copy }, thin) : copy))
      for (const task of tasks) task.members = thinned(task.members)
      for (const page of pages) page.watchers = thinned(page.watchers)
      for (const { event } of events) event.attendees = thinned(event.attendees)
    })
}

/** Copies that records hold apart from the shared user. */
function forCopies(
  { tasks, archived_tasks, pages, events, posts, files, task_comments }: ProjectState,
  uid: string,
  edit: (copy: UserRecord) => unknown,
) {
  const lists = [
    ...[...tasks, ...archived_tasks].flatMap(({ members, watchers }) => [members, watchers]),
    ...pages.map(({ watchers, owner }) => [...watchers, owner]),
    ...events.map(({ event }) => event.attendees),
    Object.values(task_comments).flatMap((comments) => comments.map(({ owner }) => owner)),
    ...posts.map(({ post, comments }) => [...post.watchers, post.owner, ...comments.map(({ owner }) => owner)]),
    ...files.map(({ file, comments }) => [...file.watchers, file.owner, ...comments.map(({ owner }) => owner)]),
  ]
  for (const copy of lists.flat()) if (copy.uid === uid) edit(copy)
}

/** A project appears, vanishes, or its permission changes. */
export function changeAccess(world: World): void {
  const { dice, sandbox } = world
  const pids = readable(world)
  const others = sandbox.store.projects.map(({ reference }) => reference.pid).filter((pid) => !pids.includes(pid))
  const [pid, other] = [dice.pick(pids), dice.pick(others)]
  if (other !== undefined && dice.chance(0.5)) setPermission(world, other, dice.chance(0.8) ? 15 : 0)
  else if (pid !== undefined && pids.length > 2) setPermission(world, pid, dice.one([0, 7, null, null]))
}

/** One night's answers lack most records of a list, or all elements of the lists inside its records. */
export function changeMany(world: World): void {
  const { dice, sandbox, returning } = world
  const pid = dice.pick(readable(world))
  if (pid === undefined) return
  const { store } = sandbox
  const what = dice.one([
    ...(['pages', 'events', 'comments', 'labels', 'members', 'watchers', 'attendees'] as const),
    ...(['project members', 'entries', 'comments of tasks', 'teams'] as const),
  ])
  store.change(pid, (project) => {
    const empty = <T, K extends keyof T>(records: readonly T[], list: K, left: T[K]) => {
      for (const record of records) {
        const before = record[list]
        record[list] = left
        returning.push(() => store.change(pid, () => Object.assign(record as object, { [list]: before })))
      }
    }
    const { posts, files, tasks, archived_tasks, pages, events } = project
    if (what === 'pages') empty([project], 'pages', pages.slice(0, 1))
    else if (what === 'events') empty([project], 'events', [])
    else if (what === 'comments') empty([...posts, ...files], 'comments', [])
    else if (what === 'attendees')
      empty(
        events.map(({ event }) => event),
        'attendees',
        [],
      )
    else if (what === 'project members')
      empty(
        [project],
        'members',
        project.members.filter(({ user }) => user.uid === store.caller.uid),
      )
    else if (what === 'entries') empty([project], 'entries', project.entries.slice(0, 1))
    else if (what === 'comments of tasks') {
      empty(
        [...tasks, ...archived_tasks].map(({ badges }) => badges),
        'comment_count',
        0,
      )
      empty([project], 'task_comments', {})
    } else if (what === 'teams')
      store.changeTeams((teams) => {
        const others = teams.splice(1)
        returning.push(() => void teams.push(...others))
      })
    else if (what === 'labels') empty([...tasks, ...archived_tasks], what, [])
    else empty([...tasks, ...archived_tasks], what, [])
  })
}

/** A text of one project names a post of another, in a new post, a page or a comment; nothing else does. */
export function linkAcross(world: World): void {
  const { dice, sandbox } = world
  const [from, to] = [dice.pick(readable(world)), dice.pick(readable(world))]
  if (from === undefined || to === undefined) return
  const post_id = dice.id()
  const isNew = sandbox.store.change(to, ({ posts }) => {
    const like = posts[0]
    if (like === undefined || posts.length > 10) return false
    const { owner, watchers } = like.post
    posts.push({ post: { ...structuredClone(like.post), post_id, owner, watchers, name: textOf(dice) }, comments: [] })
    return true
  })
  if (isNew)
    sandbox.store.change(from, ({ pages, posts, tasks }) => {
      const link = ` see [it](/projects/${to}/posts/${post_id})`
      const [page, post, task] = [dice.pick(pages), dice.pick(posts), dice.pick(tasks)]
      const comment = dice.pick(post?.comments ?? [])
      if (comment && dice.chance(0.3)) comment.raw_message = `${comment.raw_message}${link}`
      else if (post && dice.chance(0.3)) post.post.content += link
      else if (page && dice.chance(0.6)) page.content += link
      else if (task) task.desc += link
    })
}

/** A task moves to another project. */
export function moveAcross(world: World): void {
  const { dice, sandbox } = world
  const [from, to] = [dice.pick(readable(world)), dice.pick(readable(world))]
  if (from === undefined || to === undefined || from === to) return
  const [moved] = sandbox.store.change(from, ({ tasks }) => (tasks.length > 2 ? tasks.splice(0, 1) : []))
  if (moved === undefined) return
  sandbox.store.change(to, ({ tasks, entries: [entry], reference }) => {
    if (entry) tasks.push({ ...moved, pid: to, project: reference, entry_id: entry.entry_id, entry_name: entry.name })
  })
}

/** A webhook of one project is in the list of another, too, and names the first. */
export function shareWebhook(world: World): void {
  const { dice, sandbox } = world
  const [from, to] = [dice.pick(readable(world)), dice.pick(readable(world))]
  const webhook = from === undefined ? undefined : dice.pick(sandbox.store.project(from).webhooks)
  if (webhook === undefined || to === undefined || from === to) return
  sandbox.store.change(to, ({ webhooks }) => {
    if (webhooks.some(({ wid }) => wid === webhook.wid)) return
    webhooks.push({ ...webhook, actions: [...webhook.actions] })
  })
}
