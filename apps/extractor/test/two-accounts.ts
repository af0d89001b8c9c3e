import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProjectState } from '@collab-etl/sandbox'
import { type Open, openWorld, quick, type World, type WorldOptions } from './world.ts'

const PRIVATE = 1

/** A service with two users: the first project is anna's, the second ben's, the third is read by both, and ben may do more. */
export async function twoAccounts(options: WorldOptions = {}, open: Open = quick) {
  const few = { tasks: 3, archived: 1, pages: 4, posts: 1, events: 1 }
  const world = await openWorld({ ...few, ...options }, open)
  const { sandbox, path } = world
  const anna = { uid: sandbox.store.caller.uid, token: sandbox.token }
  const { uid, token } = sandbox.accounts.add()
  const ben = { uid, token }
  const [first = '', second = '', third = ''] = sandbox.pids
  const others = sandbox.store.projects
    .map(({ reference }) => reference.pid)
    .filter((pid) => !sandbox.pids.includes(pid))
  const removed = structuredClone(sandbox.store.project(others[0] ?? '')) as ProjectState // of no store any more
  for (const pid of others) sandbox.store.removeProject(pid)
  sandbox.store.changePersonalWebhooks((webhooks) => webhooks.splice(0))
  invite(world, first, { [anna.uid]: 15 })
  invite(world, second, { [ben.uid]: 7 })
  invite(world, third, { [anna.uid]: 15, [ben.uid]: 31 })
  await writeFile(join(path, 'anna'), anna.token)
  await writeFile(join(path, 'ben'), ben.token)
  const use = async (...names: string[]) => {
    const accounts = names.map((name) => `  - { name: ${name}, token_file: ${name} }\n`)
    await writeFile(join(path, 'collab.yaml'), `accounts:\n${accounts.join('')}`)
  }
  await use('anna', 'ben')
  const env = { COLLAB_TOKEN: '' }
  const snapshot = async (...args: string[]) => {
    const { code, stdout, stderr } = await world.extract(['snapshot', ...args, '--json'], { env })
    return { code, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) }
  }
  const live = async () =>
    (await world.rows('SELECT pid FROM collab.live_projects ORDER BY pid')).map(([pid]) => String(pid))
  return { ...world, removed, anna, ben, first, second, third, use, snapshot, live, env }
}

/** The first project has a team of its own, which anna alone sees. */
export async function twoTeams(open: Open = quick) {
  const world = await twoAccounts({ extended: true }, open)
  const { first, second, third, sandbox, anna } = world
  const [own, shared] = sandbox.store.teams.map(({ team_id }) => team_id)
  for (const pid of [first, second, third])
    sandbox.store.change(pid, (project) => {
      project.team_id = (pid === first ? own : shared) ?? ''
    })
  return {
    ...world,
    refuse: (status: number) => sandbox.faults.add({ kind: 'http', status, operation: 'teams.list', uid: anna.uid }),
    both: [[own], [shared]].sort(),
    teams: async () => await world.rows('SELECT team_id FROM collab.teams WHERE deleted_at IS NULL ORDER BY 1'),
  }
}

type Permission = 0 | 7 | 15 | 31

export function invite(
  { sandbox }: Pick<World, 'sandbox'>,
  pid: string,
  permissions: Record<string, Permission>,
): void {
  sandbox.store.change(pid, (project) => {
    project.visibility = PRIVATE
    project.members = sandbox.store.users
      .filter(({ uid }) => uid in permissions)
      .map((user) => ({ user: { ...user }, role: 1 as const, permission: permissions[user.uid] ?? 0 }))
  })
}
