import { UsageError } from '@collab-etl/cli'
import { type Client, isNotFound } from '@collab-etl/core'
import { contentOf, nameOf, type RestoreItem } from './item.ts'
import { textDigest } from './journal-lines.ts'
import type { RestoreRequest } from './request.ts'
import { collectTarget } from './service-calls.ts'

/** Permissions and roles without the right to create (docs/dev/service-api.md#projectlistitem). */
const BARRED_PERMISSIONS: ReadonlyMap<unknown, string> = new Map([
  [7, 'is a visitor there (permission 7)'],
  [5, 'is a guest there (permission 5)'],
  [0, 'may not operate there (permission 0)'],
])
const BARRED_ROLES: ReadonlyMap<unknown, string> = new Map([
  [3, 'is a visitor there (role 3)'],
  [4, 'is a guest there (role 4)'],
])

/**
 * Checks that the token may create records in a project.
 *
 * @throws UsageError if it may not, if the project is archived, or if the token does not see it
 */
export async function checkTarget(client: Client, pid: string): Promise<void> {
  const listed = (await client.projects.list()).find((project) => project.pid === pid)
  if (listed === undefined) {
    throw new UsageError(`--to-project: ${(await isThere(client, pid)) ? notMember(pid) : notThere(pid)}`)
  }
  const { permission, curr_role: role, name, archived } = listed
  const barred =
    BARRED_PERMISSIONS.get(permission) ?? ((permission ?? null) === null ? BARRED_ROLES.get(role) : undefined)
  const named = `project ${pid} (${name ?? 'untitled'})`
  if (barred !== undefined) {
    throw new UsageError(
      `--to-project: the token may not create anything in ${named}: its user ${barred}. Make the user a member, or use another token`,
    )
  }
  if (archived === 1) throw new UsageError(`--to-project: ${named} is archived; restore it in the service first`)
}

async function isThere(client: Client, pid: string): Promise<boolean> {
  try {
    await client.projects.get({ pid })
    return true
  } catch (error) {
    if (!isNotFound(error)) throw error
    return false
  }
}

function notThere(pid: string): string {
  return `project ${pid} does not exist for this token. Check the id, the address and the token`
}

function notMember(pid: string): string {
  return `project ${pid} is not in the list of the token's projects: its user is not a member. Make the user a member, or use another token`
}

/** The target before the first request that creates something. */
export interface TargetContents {
  /** Ids of its records. */
  readonly present: NonNullable<RestoreRequest['present']>
  /** Records named in the refusal: they have the title and text, or the id, of a record to create, which would then exist twice. */
  readonly held: readonly string[]
}

/** Reads the pages and tasks of the target; posts cannot be listed. */
export async function readContents(
  client: Client,
  pid: string,
  items: readonly RestoreItem[],
  read: RestoreRequest['read'],
): Promise<TargetContents> {
  const present = { page: [] as string[], task: [] as string[] }
  const held: string[] = []
  for (const kind of ['page', 'task'] as const) {
    const wanted = items.filter((item) => item.kind === kind)
    const oldIds = new Set(wanted.map(({ id }) => id))
    const found = await collectTarget(client, pid, kind, ({ id, name, text }) => {
      return { id, name, key: keyOf(name, text ?? '') }
    })
    const names = new Set(found.map(({ name }) => name))
    const keys = new Set<string>()
    for (const item of wanted) {
      const name = nameOf(item)
      if (names.has(name)) keys.add(keyOf(name, contentOf(kind, (await read(item)).record)))
    }
    for (const { id, key } of found) {
      present[kind].push(id)
      if (oldIds.has(id) || keys.has(key)) held.push(`${kind} ${id}`)
    }
  }
  return { present, held }
}

function keyOf(name: string | null, text: string): string {
  return `${textDigest(text)} ${name}`
}
