import { type Context, clientOptions } from '@collab-etl/cli'
import { roleName } from '@collab-etl/contract'
import { type AccountError, type Client, createClient, listProjects, showsAbsence } from '@collab-etl/core'
import { connectWarehouse } from '../warehouse.ts'

interface ListedGroup {
  readonly entry_id: string
  readonly name: string
  /** `null`: not counted. */
  readonly tasks: number | null
}

export interface ListedProject {
  readonly pid: string
  readonly name: string
  /** In words; `null`: unknown. */
  readonly role: string | null
  readonly members: number | null
  readonly tasks: number | null
  /** Those that list it, if accounts have names. */
  readonly accounts?: readonly string[]
  /** Empty unless they were asked for. */
  readonly groups: readonly ListedGroup[]
}

/** Projects, and why accounts could not list theirs. */
export interface ListedProjects {
  readonly listed: readonly ListedProject[]
  readonly failures: readonly AccountError[]
}

function roleOf(role: unknown, permission: unknown): string | null {
  if (permission === 0) return 'no access'
  return roleName(Number(role))
}

/** The projects that the users of the accounts see. Tasks are counted only where groups are asked for, as that reads them. */
export async function projectsOfService(context: Context, withGroups: boolean): Promise<ListedProjects> {
  const { settings, signal } = context
  const client = createClient(await clientOptions(context))
  try {
    const { projects, byAccount, failed } = await listProjects(client, { signal })
    const whoLists = new Map<string, string[]>()
    for (const [account, entries] of byAccount)
      for (const { pid } of entries) whoLists.set(pid, [...(whoLists.get(pid) ?? []), account])
    const listed = await Promise.all(
      projects.map(async ({ pid, listed: entry }) => {
        const { name, curr_role: role, permission, member_count: members } = entry ?? {}
        const isRead = withGroups && permission !== 0
        const groups = isRead ? await groupsOf(client, pid, settings) : null
        const tasks = groups === null ? null : groups.reduce((sum, group) => sum + (group.tasks ?? 0), 0)
        return {
          pid,
          name: name ?? '',
          role: roleOf(role, permission),
          members: members ?? null,
          tasks,
          ...(settings.accounts && { accounts: whoLists.get(pid) ?? [] }),
          groups: groups ?? [],
        }
      }),
    )
    return { listed, failures: [...failed.values()] }
  } finally {
    await client.close()
  }
}

/** The groups of the service's list where it is offered, else those of tasks; with the number of tasks in each, without archived ones. */
async function groupsOf(client: Client, pid: string, { extended }: Context['settings']): Promise<ListedGroup[]> {
  const groups = new Map<string, { name: string; tasks: number }>()
  const listed = extended === 'off' ? [] : await listedGroups(client, pid)
  for (const { entry_id: id, name } of listed) groups.set(id, { name: name ?? '', tasks: 0 })
  for (const { entry_id: id, entry_name: name } of await client.tasks.list({ pid, type: 'all' })) {
    if (!id) continue
    const group = groups.get(id) ?? { name: name ?? '', tasks: 0 }
    groups.set(id, { ...group, tasks: group.tasks + 1 })
  }
  return [...groups].map(([entryId, { name, tasks }]) => ({ entry_id: entryId, name, tasks }))
}

/** None if the service does not offer the list. */
function listedGroups(client: Client, pid: string) {
  return client.entries.list({ pid }).catch((error: unknown) => {
    if (showsAbsence(error)) return []
    throw error
  })
}

const PROJECTS = `
  SELECT p.pid, p.name, p.curr_role, p.permission, p.member_count,
    (SELECT count(*)::int FROM live_tasks t WHERE t.pid = p.pid) AS tasks
  FROM live_projects p ORDER BY p.position NULLS LAST, p.pid`

const GROUPS = `
  SELECT e.pid, e.entry_id, e.name,
    (SELECT count(*)::int FROM live_tasks t WHERE t.pid = e.pid AND t.entry_id = e.entry_id) AS tasks
  FROM live_entries e ORDER BY e.pid, e.name, e.entry_id`

/** What each account with a name listed when it was last used. */
const ACCOUNTS = `
  SELECT p.pid, p.account FROM project_accounts p JOIN accounts a USING (account, last_seen_at)
  WHERE p.account <> 'default' ORDER BY a.first_seen_at, p.account`

const TIMEOUT_SECONDS = 300

/** The projects that the last snapshots stored. Tasks include archived ones. */
export async function projectsOfWarehouse({ settings, signal }: Context, withGroups: boolean): Promise<ListedProjects> {
  await using warehouse = await connectWarehouse(settings, signal)
  const query = async (sql: string) => (await warehouse.rows.query(sql, { timeoutSeconds: TIMEOUT_SECONDS })).rows
  const groups = Map.groupBy(withGroups ? await query(GROUPS) : [], ([pid]) => pid)
  // the next snapshot migrates an older schema, which has no accounts
  const isCurrent = (await warehouse.admin.schemaVersion()) === warehouse.supportedVersion
  const accounts = Map.groupBy(isCurrent ? await query(ACCOUNTS) : [], ([pid]) => pid)
  const listed = (await query(PROJECTS)).map(([pid, name, role, permission, members, tasks]) => ({
    pid: String(pid),
    name: String(name ?? ''),
    role: roleOf(role, permission),
    members: numberOf(members),
    tasks: numberOf(tasks),
    ...(accounts.size > 0 && { accounts: (accounts.get(pid) ?? []).map(([, account]) => String(account)) }),
    groups: (groups.get(pid) ?? []).map(([, entryId, title, count]) => {
      return { entry_id: String(entryId), name: String(title ?? ''), tasks: numberOf(count) }
    }),
  }))
  return { listed, failures: [] }
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : null
}
