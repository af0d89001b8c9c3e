import type { Offer } from '@collab-etl/contract'
import { type ProjectState, type Sandbox, startSandbox, type UserRecord } from '@collab-etl/sandbox'
import { Dice } from './dice.ts'
import { firstOffers } from './offers.ts'

/** A random service, and what changes it. */
export interface World {
  readonly sandbox: Sandbox
  readonly dice: Dice
  /** Undo changes of the night before: lists that were thinner come back. */
  readonly returning: (() => void)[]
  /** What the service offers beyond its documented operations. */
  readonly offers: Set<Offer>
}

export async function makeWorld(seed: number): Promise<World> {
  const dice = new Dice(seed)
  const projects = dice.int(2, 5)
  const each = (most: number) => dice.int(projects, projects * most)
  const sandbox = await startSandbox({
    seed,
    projects,
    barred: dice.int(0, 1),
    tasks: each(6),
    archived: each(5),
    pages: each(5),
    posts: each(3),
    events: each(4),
    fractionalPositions: dice.chance(0.3),
    totalCount: dice.chance(0.6),
  })
  const world = { sandbox, dice, returning: [], offers: firstOffers(dice) }
  if (dice.chance(0.04)) for (const pid of sandbox.pids) setPermission(world, pid, null)
  return world
}

/** The projects that the token may read. */
export function readable({ sandbox }: World): string[] {
  return sandbox.store.readablePids()
}

/** Gives the caller a permission in a project; `null`: the service denies that the project exists. */
export function setPermission(
  { sandbox: { store } }: Pick<World, 'sandbox'>,
  pid: string,
  permission: 0 | 7 | 15 | null,
): void {
  store.change(pid, (project, caller) => {
    project.visibility = 1
    project.members = project.members.filter(({ user }) => user.uid !== caller.uid)
    if (permission !== null) project.members.unshift({ user: caller, role: 2, permission })
  })
}

/** People whose copies are full. */
export function people(project: ProjectState): UserRecord[] {
  return [project.created_by, ...project.members.map(({ user }) => user)]
}

export function textOf(dice: Dice): string {
  const texts: [string, ...string[]] = [
    ...(['', 'plain', 'U+0000: \0', 'half of a pair: \ud83d', 'zwei\r\nZeilen "so" \\ \u2028'] as const),
    ...['字'.repeat(dice.int(1, 20)), '=1+1', '__proto__', '<b>&amp;\n```\nfence', '𝕌🧵é', 'huge '.repeat(8_000)],
  ]
  return `${dice.one(texts)}${dice.int(0, 999)}`
}

const DAY = 86_400_000
const FIRST = Date.parse('2024-01-01T00:00:00Z')

/** A time as the service might write it, between 2024 and 2026. */
export function timeOf(dice: Dice): string {
  const time = new Date(FIRST + dice.int(0, 900) * DAY + dice.int(0, DAY - 1)).toISOString()
  const digits = String(dice.int(0, 999)).padStart(3, '0')
  return dice.chance(0.3) ? time.replace('Z', `${digits}Z`) : time
}

/** A due date in any spelling; the Unix epoch is none. */
export function dueOf(dice: Dice): string {
  if (dice.chance(0.4)) return timeOf(dice)
  return dice.one([
    '1970-01-01T00:00:00.000Z',
    '1970-01-01T00:00:00.000000Z',
    '1970-01-01T08:00:00.000+08:00',
    '1970-01-01T00:00:00Z',
    '2026-03-04T13:06:07.5+08:00',
    '2026-03-04T05:06:07.1234567Z',
  ])
}
