import { open, readFile, rename, rm } from 'node:fs/promises'
import { Team, User, Webhook } from '@collab-etl/contract'
import { isExactNumber, parseExactJson } from '@collab-etl/contract/exact-json'
import { Type } from '@collab-etl/contract/schema'
import { Check, Compile, Errors } from 'typebox/schema'
import { type Frozen, ProjectState, type State, type UserRecord, type WebhookRecord } from './state.ts'

const Header = Type.Object({
  format: Type.Literal('collab-sandbox'),
  version: Type.Literal(1),
  seed: Type.String(),
  sequence: Type.Integer(),
  caller: Type.String(),
  users: Type.Array(User),
  personal_webhooks: Type.Array(Webhook),
  personal_webhooks_of: Type.Optional(
    Type.Unsafe<Record<string, WebhookRecord[]>>(Type.Object({}, { additionalProperties: Type.Array(Webhook) })),
  ),
  teams: Type.Optional(Type.Array(Type.Unknown())),
  projects: Type.Array(Type.Unknown()),
})

/** Writes the state as JSON, one project per line, and renames the file when it is complete. */
export async function saveState(state: Frozen<State>, path: string): Promise<void> {
  const unfinished = `${path}.${process.pid}.tmp`
  try {
    const file = await open(unfinished, 'w', 0o600)
    try {
      const users: ReadonlySet<unknown> = new Set(state.users)
      const { seed, sequence, personal_webhooks, personal_webhooks_of } = state
      const header: Omit<Frozen<Packed>, 'projects' | 'teams'> = {
        format: 'collab-sandbox',
        version: 1,
        seed,
        sequence,
        caller: state.caller.uid,
        users: state.users,
        personal_webhooks,
        ...(personal_webhooks_of && { personal_webhooks_of }),
      }
      await file.writeFile(JSON.stringify(header).slice(0, -1))
      if (state.teams) await file.writeFile(`,\n"teams":${JSON.stringify(state.teams, packing(users))}`)
      await file.writeFile(',"projects":[')
      for (const [index, project] of state.projects.entries()) {
        await file.writeFile(`${index === 0 ? '' : ','}\n${packProject(project, users)}`)
      }
      await file.writeFile('\n]}\n')
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}

/**
 * Reads a saved state.
 *
 * @throws StateFileError if the file cannot be read or is not a saved state
 */
export async function loadState(path: string): Promise<State> {
  try {
    const parsed: unknown = parseExactJson(await readFile(path, 'utf8'))
    if (Check(Header, parsed)) return unpack(parsed)
    const [, [error]] = Errors(Header, parsed)
    throw new StateFileError(`${error?.instancePath || 'the file'} ${error?.message ?? 'is invalid'}`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StateFileError(`cannot load the state of a sandbox from ${path}: ${reason}`, { cause: error })
  }
}

/** Contents of a saved file: each user and project reference once; records contain the users' ids. */
interface Packed {
  format: 'collab-sandbox'
  version: 1
  seed: string
  sequence: number
  caller: string
  users: UserRecord[]
  personal_webhooks: WebhookRecord[]
  personal_webhooks_of?: Record<string, WebhookRecord[]>
  teams?: unknown[]
  projects: unknown[]
}

/** Thrown if a file cannot be read or does not contain a saved state. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError'
}

const USER = new Set(['owner', 'created_by', 'user'])
const USERS = new Set(['watchers', 'members', 'attendees'])

/** A project's JSON with ids instead of users. */
function packProject(project: Frozen<ProjectState>, users: ReadonlySet<unknown>): string {
  const pack = packing(users)
  return JSON.stringify(project, (key, value: unknown) =>
    key === 'project' && value === project.reference ? undefined : pack(key, value),
  )
}

/** Writes the ids of users in their place. */
function packing(users: ReadonlySet<unknown>): (key: string, value: unknown) => unknown {
  return (_, value) => (users.has(value) ? (value as UserRecord).uid : value) // the set contains only users
}

/**
 * Restores the state of a saved file.
 *
 * @throws StateFileError naming the first invalid place
 */
function unpack(packed: Packed): State {
  const users = new Map(packed.users.map((user) => [user.uid, user]))
  const caller = users.get(packed.caller)
  if (!caller) throw new StateFileError(`no user ${packed.caller}, who is the caller`)
  const stateChecker = Compile(ProjectState)
  const projects = packed.projects.map((project, index) => {
    const whole = withReference(withUsers(project, '', users))
    if (stateChecker.Check(whole)) return whole
    const [, [error]] = stateChecker.Errors(whole)
    throw new StateFileError(`projects/${index}${error?.instancePath ?? ''} ${error?.message ?? 'is invalid'}`)
  })
  const teams = packed.teams?.map((team, index) => {
    const whole = withUsers(team, '', users)
    if (Check(Team, whole)) return whole
    throw new StateFileError(`teams/${index} is invalid`)
  })
  const { seed, sequence, personal_webhooks, personal_webhooks_of: of } = packed
  return {
    seed,
    sequence,
    caller,
    users: packed.users,
    personal_webhooks,
    ...(of && { personal_webhooks_of: of }),
    projects,
    ...(teams && { teams }),
  }
}

function withUsers(value: unknown, key: string, users: ReadonlyMap<string, UserRecord>): unknown {
  if (typeof value === 'string') return USER.has(key) ? (users.get(value) ?? value) : value
  if (Array.isArray(value)) {
    const named = USERS.has(key)
    return value.map((item) => withUsers(item, named ? 'user' : '', users))
  }
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withUsers(inner, name, users)]))
}

interface Unreferenced {
  reference: unknown
  tasks: { project?: unknown }[]
  archived_tasks: { project?: unknown }[]
  events: { event: { project?: unknown } }[]
}

function withReference(value: unknown): unknown {
  const project = value as Partial<Unreferenced> // checked by the caller
  const records = [
    ...(Array.isArray(project.tasks) ? project.tasks : []),
    ...(Array.isArray(project.archived_tasks) ? project.archived_tasks : []),
    ...(Array.isArray(project.events) ? project.events.map((holder) => holder.event) : []),
  ]
  for (const record of records) record.project ??= project.reference
  return value
}
