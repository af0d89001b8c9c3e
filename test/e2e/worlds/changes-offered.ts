import type { ProjectState } from '@collab-etl/sandbox'
import type { Dice } from './dice.ts'
import { people, readable, textOf, timeOf, type World } from './world.ts'

const MOST = 14
const FOLDER = 1

/** Changes of a project that show where the service offers more than its documented operations. */
export const OFFERED_EDITS: readonly ((project: ProjectState, dice: Dice) => void)[] = [
  editEntries,
  editEntries,
  editTaskComments,
  editTaskComments,
  editRoles,
  addPost,
  addFile,
]

/** A group is added, moved, watched, or deleted with its tasks. */
function editEntries(project: ProjectState, dice: Dice): void {
  const { entries } = project
  const entry = dice.pick(entries)
  if (entry !== undefined) Object.assign(entry, { pos: dice.int(0, 999), watched: dice.chance(0.5) })
  if (entry !== undefined && dice.chance(0.5)) entry.updated_at = timeOf(dice)
  if (entry !== undefined && dice.chance(0.3) && entries.length > 2) {
    const isOther = ({ entry_id }: { entry_id: string }) => entry_id !== entry.entry_id
    project.entries = entries.filter(isOther)
    project.tasks = project.tasks.filter(isOther)
    project.archived_tasks = project.archived_tasks.filter(isOther)
  } else if (dice.chance(0.5) && entries.length < MOST) {
    const created_at = timeOf(dice)
    const name = `Group ${dice.int(0, 999)}`
    entries.push({
      entry_id: dice.id(),
      name,
      created_at,
      updated_at: created_at,
      watched: false,
      pos: dice.int(0, 999),
    })
  }
}

/** A comment is added or goes, which the task counts, or is edited, which it does not show. */
function editTaskComments(project: ProjectState, dice: Dice): void {
  const { tasks, archived_tasks, posts, task_comments } = project
  const task = dice.pick(dice.chance(0.7) ? tasks : archived_tasks)
  const like = posts.flatMap(({ comments }) => comments)[0]
  if (task === undefined) return
  task_comments[task.tid] ??= []
  const added = task_comments[task.tid] ?? []
  const owner = dice.pick(people(project))
  const [known] = added
  if (known !== undefined && dice.chance(0.4)) known.message = textOf(dice)
  else if (known !== undefined && dice.chance(0.3)) {
    added.shift()
    task.badges.comment_count -= 1
  } else if (dice.chance(0.2)) {
    // all of them
    added.length = 0
    task.badges.comment_count = 0
  } else if (like !== undefined && owner !== undefined && task.badges.comment_count < MOST) {
    const link = dice.chance(0.3)
      ? ` [it](/projects/${project.reference.pid}/posts/${dice.pick(posts)?.post.post_id})`
      : ''
    const message = `${textOf(dice)}${link}`
    const file = dice.pick(project.files)?.file
    const isAttached = file !== undefined && dice.chance(0.3)
    const { fid = '', name = '', desc = '', pid = '', size = '', path = '', folder_id = '' } = file ?? {}
    const files = isAttached ? [{ fid, name, desc, pid, size, path, folder_id }] : []
    const given = { cid: dice.id(), message, raw_message: message, created_at: timeOf(dice) }
    added.push({ ...like, ...given, owner, files, fids: isAttached ? [fid] : [] })
    task.badges.comment_count += 1
  }
}

/** A member gets another role, or leaves; never the token's user, who is the first. */
function editRoles({ members }: ProjectState, dice: Dice): void {
  const place = dice.int(1, members.length - 1)
  const member = members[place]
  if (member === undefined) return
  if (dice.chance(0.6)) Object.assign(member, { role: dice.one([1, 2, 3]), join_date: timeOf(dice) })
  else if (members.length > 2) members.splice(place, 1)
}

/** A post that nothing names. */
function addPost({ posts }: ProjectState, dice: Dice): void {
  const like = posts[0]
  if (like === undefined || posts.length > 10) return
  const { owner, watchers } = like.post
  const post = { ...structuredClone(like.post), post_id: dice.id(), owner, watchers, name: textOf(dice) }
  posts.push({ post, comments: [] })
}

/** A file or folder that nothing names, in any folder; or a folder moves, perhaps below itself. */
function addFile({ files }: ProjectState, dice: Dice): void {
  const folders = files.map(({ file }) => file).filter(({ type }) => Number(type) === FOLDER)
  const folder_id = dice.chance(0.4) ? '' : (dice.pick(folders)?.fid ?? '')
  const [moved, like] = [dice.pick(folders), dice.pick(files)?.file]
  if (moved !== undefined && dice.chance(0.3)) moved.folder_id = folder_id
  else if (like !== undefined && files.length < MOST) {
    const { owner, watchers } = like
    const file = { ...structuredClone(like), fid: dice.id(), owner, watchers, name: textOf(dice), folder_id }
    files.push({ file, comments: [] })
  }
}

/** Most members of a project; more than a list holds that is cut. */
const CROWD = 24

/** Many people are invited to a project at once. */
export function inviteCrowd(world: World): void {
  const { dice, sandbox } = world
  const pid = dice.pick(readable(world))
  if (pid === undefined) return
  sandbox.store.change(pid, ({ members, created_by }) => {
    while (members.length < CROWD) {
      const uid = dice.id()
      const user = { ...created_by, uid, name: uid, display_name: uid, status: 2 as const }
      members.push({ user, role: 2, permission: 15, join_date: timeOf(dice) })
    }
  })
}

/** A user of the service becomes a member of a project. */
export function addMember(world: World): void {
  const { dice, sandbox } = world
  const { store } = sandbox
  const pid = dice.pick(readable(world))
  const user = dice.pick(store.users)
  if (pid === undefined || user === undefined) return
  store.changeUser(user.uid, (own) =>
    store.change(pid, ({ members }) => {
      if (members.some(({ user: { uid } }) => uid === own.uid)) return
      members.push({ user: own, role: 2, permission: 15, join_date: timeOf(dice) })
    }),
  )
}

/** A team is renamed or founded, or a project changes its team, or has none. */
export function changeTeams({ dice, sandbox: { store } }: World): void {
  const pid = dice.pick(store.projects.map(({ reference }) => reference.pid))
  if (dice.chance(0.4))
    store.changeTeams((teams) => {
      const team = dice.pick(teams)
      if (team !== undefined) Object.assign(team, { name: textOf(dice), desc: textOf(dice) })
      if (team !== undefined && teams.length < 4) teams.push({ ...team, team_id: dice.id() })
    })
  const team_id = dice.pick([...store.teams.map((team) => team.team_id), '-1'])
  if (pid === undefined || team_id === undefined) return
  store.change(pid, (project) => Object.assign(project, { team_id }))
}
