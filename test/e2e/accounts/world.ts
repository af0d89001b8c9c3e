import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { Dice } from '../worlds/dice.ts'

/** An account of the config file, and its user in the service. */
export interface Person {
  name: string
  uid: string
  token: string
  /** Whether the config file has it. */
  isUsed: boolean
  /** Whether the service accepts its token. */
  isValid: boolean
}

/** A random service, and the accounts that read it. */
export interface World {
  readonly sandbox: Sandbox
  readonly dice: Dice
  /** In the order of the config file. */
  readonly people: readonly [Person, Person, Person]
  /** The account without a name, which some worlds have first. */
  readonly unnamed: Person
  readonly hasProfile: boolean
  readonly isExtended: boolean
  /** Whether teams show projects that no account can read. */
  readonly hasTeams: boolean
}

/** The accounts, with the one that has no name. */
export function everyone({ people, unnamed }: Pick<World, 'people' | 'unnamed'>): Person[] {
  return [...people, unnamed]
}

const NAMES = ['anna', 'ben', 'carla'] as const
const OFFERS = ['members', 'entries', 'task', 'task-comments', 'posts', 'files', 'page', 'event']

export const PERMISSIONS = [31, 15, 7, 0] as const
const ROLES = { 31: 1, 15: 2, 7: 3, 0: 2 } as const

export async function makeWorld(seed: number): Promise<World> {
  const dice = new Dice(seed)
  const isExtended = dice.chance(0.6)
  const hasProfile = isExtended && dice.chance(0.6)
  const hasTeams = isExtended && dice.chance(0.3)
  const projects = dice.int(3, 6)
  const each = (most: number) => dice.int(projects, projects * most)
  const sandbox = await startSandbox({
    seed,
    projects,
    barred: 0,
    tasks: each(6),
    archived: each(9),
    pages: each(4),
    posts: each(3),
    events: each(4),
    totalCount: dice.chance(0.5),
    extended: isExtended ? [...OFFERS, ...(hasProfile ? ['profile'] : []), ...(hasTeams ? ['teams'] : [])] : [],
  })
  sandbox.accounts.revoke(sandbox.token)
  const people = NAMES.map((name) => ({ name, ...sandbox.accounts.add(), isUsed: true, isValid: true }))
  const [first, second, third] = people
  if (!(first && second && third)) throw new Error('not three')
  const unnamed = { ...first, name: 'default', isUsed: dice.chance(0.2) }
  const world: World = { sandbox, dice, people: [first, second, third], unnamed, hasProfile, isExtended, hasTeams }
  for (const person of world.people) person.isUsed = !unnamed.isUsed
  for (const pid of pidsOf(world)) {
    sandbox.store.change(pid, (project) => (project.visibility = 1))
    for (const person of world.people)
      if (dice.chance(0.6)) setPermission(world, person.uid, pid, anyPermission(dice))
      else setPermission(world, person.uid, pid, null)
  }
  for (const person of world.people) addWebhook(world, person.uid)
  return world
}

export function pidsOf({ sandbox }: Pick<World, 'sandbox'>): string[] {
  return sandbox.store.projects.map(({ reference }) => reference.pid)
}

export function anyPermission(dice: Dice): (typeof PERMISSIONS)[number] {
  return dice.chance(0.1) ? 0 : dice.one([31, 15, 7])
}

/** Makes a user a member of a project, with a star and a place of their own; `null`: no member. */
export function setPermission(
  { sandbox: { store }, dice }: Pick<World, 'sandbox' | 'dice'>,
  uid: string,
  pid: string,
  permission: (typeof PERMISSIONS)[number] | null,
): void {
  const user = store.users.find((each) => each.uid === uid)
  store.change(pid, (project) => {
    project.members = project.members.filter((member) => member.user.uid !== uid)
    if (permission === null || user === undefined) return
    const own = { is_star: dice.one([0, 1]), pos: dice.int(1, 9_999) }
    // the store's own object, which all records share
    project.members.push({
      user: user as (typeof project.members)[number]['user'],
      role: ROLES[permission],
      permission,
      ...own,
    })
  })
}

/** The permission that a user has in a project; `null`: the project does not exist for this user. */
export function permissionOf({ sandbox: { store } }: Pick<World, 'sandbox'>, uid: string, pid: string): number | null {
  const project = store.find(pid)
  return project === undefined ? null : (store.as(uid).membership(project)?.permission ?? null)
}

export function addWebhook({ sandbox: { store } }: Pick<World, 'sandbox'>, uid: string): void {
  const [like] = store.personalWebhooks
  if (like === undefined) return
  const webhook = { ...like, actions: [], wid: store.newId(), uid }
  store.as(uid).changePersonalWebhooks((webhooks) => webhooks.push(webhook))
}
