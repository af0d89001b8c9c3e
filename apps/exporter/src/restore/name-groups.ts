import type { TaskGroup } from './plan.ts'

/** Groups named in a message, and characters of a name. */
const NAMED = 20
const NAME_LENGTH = 60

/** A task group for a message: its name and its id. */
export function describeGroup({ id, names }: TaskGroup): string {
  if (id === '') return 'tasks without a group'
  const [name] = names
  if (name === undefined) return `task group ${id}, which has no name`
  const short = name.length <= NAME_LENGTH ? name : `${name.slice(0, NAME_LENGTH)}…`
  return `${JSON.stringify(short)} (${id})`
}

export function describeGroups(groups: readonly TaskGroup[]): string {
  return listed(groups.map(describeGroup))
}

/** The first of the texts, and the number of the others. */
export function listed(texts: readonly string[]): string {
  const more = texts.length > NAMED ? `, and ${texts.length - NAMED} more` : ''
  return `${texts.slice(0, NAMED).join(', ')}${more}`
}
