import { CliError } from '@collab-etl/cli'
import { archivedTasks, type Client } from '@collab-etl/core'
import type { GroupsByName } from './entries.ts'

/**
 * Reads the task groups of a project from its tasks, open and archived: the service has no list of groups, so a group without
 * tasks is not found.
 *
 * @throws CliError if the archived tasks kept changing: a second group of the same name could be missing
 */
export async function readTargetGroups(client: Client, pid: string, signal: AbortSignal): Promise<GroupsByName> {
  const groups = new Map<string, Set<string>>()
  const add = ({ entry_id: id, entry_name: name }: { readonly entry_id?: unknown; readonly entry_name?: unknown }) => {
    if (typeof id !== 'string' || id === '' || typeof name !== 'string' || name === '') return
    groups.set(name, (groups.get(name) ?? new Set()).add(id))
  }
  for await (const { records, restart } of client.tasks.list.batches({ pid, type: 'all' }, { signal })) {
    if (restart) groups.clear()
    for (const task of records) add(task)
  }
  const archived = archivedTasks(client, { pid, signal })
  for (;;) {
    const page = await archived.next()
    if (page.done !== true) {
      for (const task of page.value.records) add(task)
      continue
    }
    if (!page.value.drifted) return groups
    const why = page.value.reason ?? 'the list kept changing'
    throw new CliError(
      `--entries by-name: the archived tasks of project ${pid} could not be read completely (${why}), so names may be ` +
        'ambiguous; run it again, or give --entries OLD_ID=NEW_ID; nothing was created',
    )
  }
}
