import { isExactNumber } from '@collab-etl/contract/exact-json'
import { Compile } from 'typebox/compile'
import type { Frozen, State, UserRecord } from './state.ts'
import { ProjectState } from './state.ts'

/** Contents of a saved file: each user and project reference once; records contain the users' ids. */
export interface Packed {
  format: 'collab-sandbox'
  version: 1
  seed: string
  sequence: number
  caller: string
  users: UserRecord[]
  personal_webhooks: State['personal_webhooks']
  projects: unknown[]
}

/** Thrown if a file cannot be read or does not contain a saved state. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError'
}

const stateChecker = Compile(ProjectState)
const USER = new Set(['owner', 'created_by', 'user'])
const USERS = new Set(['watchers', 'members', 'attendees'])

/** A project's JSON with ids instead of users. */
export function packProject(project: Frozen<ProjectState>, users: ReadonlySet<unknown>): string {
  return JSON.stringify(project, (key, value: unknown) => {
    if (key === 'project' && value === project.reference) return undefined
    return users.has(value) ? (value as UserRecord).uid : value // the set contains only users
  })
}

/**
 * Restores the state of a saved file.
 *
 * @throws StateFileError naming the first invalid place
 */
export function unpack(packed: Packed): State {
  const users = new Map(packed.users.map((user) => [user.uid, user]))
  const caller = users.get(packed.caller)
  if (!caller) throw new StateFileError(`no user ${packed.caller}, who is the caller`)
  const projects = packed.projects.map((project, index) => {
    const whole = withReference(withUsers(project, '', users))
    if (stateChecker.Check(whole)) return whole
    const [error] = stateChecker.Errors(whole)
    throw new StateFileError(`projects/${index}${error?.instancePath ?? ''} ${error?.message ?? 'is invalid'}`)
  })
  const { seed, sequence, personal_webhooks } = packed
  return { seed, sequence, caller, users: packed.users, personal_webhooks, projects }
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
