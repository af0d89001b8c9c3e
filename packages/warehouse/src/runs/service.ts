import { type Driver, hasTable } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'
import { storedId } from '../records/text.ts'
import { liveProjects, namelessProjects } from './stored-projects.ts'

const NAMED = 3

export interface ServiceToRead {
  readonly baseUrl: string
  /** Ids in the complete list of projects; missing if it was not read yet. */
  readonly listed?: ReadonlySet<string> | undefined
}

/**
 * One form of a service's address: scheme and host in lower case, no default port, no slash or dot at the end. Two addresses
 * name one service if their forms are equal; scheme, host, port and path all count.
 */
export function normalizedBaseUrl(address: string): string {
  if (!URL.canParse(address)) return address.replace(/\/+$/, '')
  const url = new URL(address)
  url.hostname = url.hostname.replace(/\.$/, '')
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** Whether two addresses name one service. */
export function isSameService(a: string, b: string): boolean {
  return normalizedBaseUrl(a) === normalizedBaseUrl(b)
}

/**
 * The service that the schema belongs to: that of the last run that stored anything. A run that failed before it stored
 * anything, such as one with a mistyped address, does not count. `null`: the schema is empty or does not exist.
 */
async function readService(driver: Driver, schema: SchemaNames): Promise<string | null> {
  if (!(await hasTable(driver, `${schema.main}.run_scopes`))) return null
  const { rows } = await driver.query(
    `SELECT r.base_url FROM ${schema.main}.runs r
     WHERE EXISTS (SELECT FROM ${schema.main}.run_scopes s WHERE s.run_id = r.run_id AND s.status NOT IN ('failed', 'skipped'))
     ORDER BY r.started_at DESC, r.run_id DESC LIMIT 1`,
  )
  return rows[0] === undefined ? null : String(rows[0][0])
}

/**
 * Throws `OTHER_SERVICE` unless the service is the one that the schema belongs to: it has another address, or its list has none of
 * the live projects.
 */
export async function requireSameService(
  driver: Driver,
  schema: SchemaNames,
  { baseUrl, listed }: ServiceToRead,
): Promise<void> {
  const bound = await readService(driver, schema)
  if (bound === null) return
  if (!isSameService(bound, baseUrl)) {
    throw new WarehouseError(
      'OTHER_SERVICE',
      `schema ${schema.name} holds the data of ${bound}, and this run would read ${baseUrl}: ` +
        'use another --schema or --data-dir, or accept the new service with --rebind-service',
    )
  }
  if (listed === undefined) return
  // A run without the stream `projects` stores content of projects that have no row of their own.
  const stored = [...(await liveProjects(driver, schema)), ...(await namelessProjects(driver, schema))]
  const clean = new Set([...listed].map((pid) => storedId(pid)))
  if (stored.length === 0 || stored.some((pid) => clean.has(pid))) return
  const names = [...stored.slice(0, NAMED), ...(stored.length > NAMED ? ['…'] : [])].join(', ')
  throw new WarehouseError(
    'OTHER_SERVICE',
    `${baseUrl} lists ${listed.size === 0 ? 'no project' : `${listed.size} projects`}, and none of the ${stored.length} that schema ${schema.name} holds of ${bound} (${names}): ` +
      'check the token, or accept the new list with --rebind-service',
  )
}
