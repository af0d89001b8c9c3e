import { CliError } from '@collab-etl/cli'
import { archivedTasks, type Client } from '@collab-etl/core'
import { isAuthError, isCollabError } from '@collab-etl/core/errors'
import type { GroupsByName } from './entries.ts'

/** Task groups of a project, as far as its tasks name them. */
export interface TargetGroups {
  readonly ids: ReadonlySet<string>
  readonly byName: GroupsByName
}

/**
 * Reads the task groups of a project from its tasks, open and archived, where the service has no list of groups: a group without
 * tasks is not found.
 *
 * @throws CliError if the archived tasks kept changing: a second group of the same name could be missing
 */
export async function readTargetGroups(client: Client, pid: string, signal: AbortSignal): Promise<TargetGroups> {
  const groups = new Groups()
  await readOpen(client, pid, signal, groups)
  const why = await readArchived(client, pid, signal, groups)
  if (why === null) return groups
  throw new CliError(
    `--entries by-name: the archived tasks of project ${pid} could not be read completely (${why}), so names may be ` +
      'ambiguous; run it again, or give --entries OLD_ID=NEW_ID; nothing was created',
  )
}

/** The task groups of a project, where the service lists them. */
export async function listedGroups(client: Client, pid: string, signal: AbortSignal): Promise<Groups> {
  const groups = new Groups()
  for (const { entry_id, name: entry_name } of await client.entries.list({ pid }, { signal }))
    groups.add({ entry_id, entry_name })
  return groups
}

export interface Wanted {
  /** Ids of groups. */
  readonly wanted: ReadonlySet<string>
  /** Whether the service lists groups. */
  readonly isListed: boolean
  readonly signal: AbortSignal
}

/**
 * Which of these groups the target's list of groups does not have; without a list, which no task names. Archived tasks are read only if
 * open ones do not name all.
 */
export async function unnamedGroups(
  client: Client,
  pid: string,
  { wanted, isListed, signal }: Wanted,
): Promise<ReadonlySet<string>> {
  if (wanted.size === 0) return wanted
  const groups = isListed ? await listedGroups(client, pid, signal) : new Groups()
  const unnamed = () => new Set([...wanted].filter((id) => !groups.ids.has(id)))
  if (isListed) return unnamed()
  await readOpen(client, pid, signal, groups)
  if (unnamed().size === 0) return unnamed()
  try {
    await readArchived(client, pid, signal, groups)
  } catch (error) {
    // For a warning, the open tasks are enough.
    if (isAuthError(error) || !isCollabError(error)) throw error
  }
  return unnamed()
}

class Groups implements TargetGroups {
  readonly ids = new Set<string>()
  readonly byName = new Map<string, Set<string>>()

  add({ entry_id: id, entry_name: name }: { readonly entry_id?: unknown; readonly entry_name?: unknown }): void {
    if (typeof id !== 'string' || id === '') return
    this.ids.add(id)
    if (typeof name === 'string' && name !== '') this.byName.set(name, (this.byName.get(name) ?? new Set()).add(id))
  }
}

async function readOpen(client: Client, pid: string, signal: AbortSignal, groups: Groups): Promise<void> {
  for await (const { records, restart } of client.tasks.list.batches({ pid, type: 'all' }, { signal })) {
    if (restart) {
      groups.ids.clear()
      groups.byName.clear()
    }
    for (const task of records) groups.add(task)
  }
}

/** Returns why some archived tasks may be missing; `null` if none is. */
async function readArchived(client: Client, pid: string, signal: AbortSignal, groups: Groups): Promise<string | null> {
  const archived = archivedTasks(client, { pid, signal })
  for (;;) {
    const page = await archived.next()
    if (page.done === true) return page.value.drifted ? (page.value.reason ?? 'the list kept changing') : null
    for (const task of page.value.records) groups.add(task)
  }
}
