import { isExactNumber } from '@collab-etl/contract/exact-json'
import type { Ran, Started } from '@collab-etl/harness/commands'
import { type ScopedRow, TABLES } from '@collab-etl/harness/expected-rows'
import type { LoggedRequest, ProjectTruth, Rule, Sandbox, Store } from '@collab-etl/sandbox'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import type { Fixture } from '../support/fixture.ts'
import type { Stored, StoredLoss, Tables } from '../support/stored.ts'
import { settingsOf, storedIn } from '../support/warehouse.ts'
import { expectedTables, held, type NotComplete } from './expected.ts'
import { copyOfWarehouseBefore, EVERY_NIGHT, SMALL_PAGES } from './night-before.ts'
import { showWorld, worldBefore, worldTonight } from './world.ts'

/** Short timeouts for a local service, long enough for a busy machine. */
const IMPATIENT = { COLLAB_TIMEOUT: '20', COLLAB_RETRIES: '2' }

export interface NightOptions {
  readonly rules: readonly Rule[]
  /** Default: `worldTonight()`. */
  readonly world?: Store
  /** More arguments of `snapshot`. */
  readonly args?: readonly string[]
  readonly onService?: (service: Sandbox) => void
  readonly onStart?: (command: Started) => void
}

/** The result of a snapshot with a fault. */
export interface Night {
  readonly ran: Ran
  readonly tonight: Store
  readonly stored: Stored
  readonly requests: readonly Readonly<LoggedRequest>[]
}

/** Runs a snapshot of a service with these rules into the warehouse of the previous run. */
export async function night(fixture: Fixture, options: NightOptions): Promise<Night> {
  const { rules, world = worldTonight(), args = [], onService, onStart } = options
  const warehouse = await copyOfWarehouseBefore(fixture)
  const service = await showWorld(fixture, world, EVERY_NIGHT)
  service.follow(rules)
  onService?.(service)
  const env = { ...IMPATIENT, COLLAB_BASE_URL: service.baseUrl, ...settingsOf(warehouse) }
  const ran = await fixture.run('collab-extract', ['snapshot', ...SMALL_PAGES, ...args], {
    env,
    ...(onStart && { onStart }),
  })
  if (warehouse.databaseUrl !== undefined) await fixture.lookAtDatabase(warehouse.databaseUrl)
  await service.close()
  return { ran, tonight: world, stored: await storedIn(warehouse), requests: service.requests }
}

/** A fault during a snapshot. It ends with exit 3 if a scope is to be not complete. */
export function nightFault(title: string, options: NightOptions & Holds): void {
  fault(title, async (fixture) => {
    const tonight = await night(fixture, options)
    expectNight(tonight, options)
    return options.notComplete === undefined ? fixture.cured(tonight.ran) : fixture.named(tonight.ran, 3)
  })
}

/** An expected conversion issue; without `original`, any value matches. */
export type ExpectedLoss = Omit<StoredLoss, 'original'> & Partial<Pick<StoredLoss, 'original'>>

/** Expected state after a run, in addition to the service's records. */
export interface Holds {
  /** Status of the run in the run log; by default derived from its scopes. */
  readonly status?: string
  /** All other scopes are complete. */
  readonly notComplete?: NotComplete
  /** Selects the rows of partial scopes that could not be read. */
  readonly isUnread?: (row: ScopedRow) => boolean
  readonly losses?: readonly ExpectedLoss[]
  /** The records that should be in the warehouse, if they differ from the service's. */
  readonly tonight?: Store
  /** Adapts the expected rows. */
  readonly except?: (tables: Tables) => void
}

/** Compares the warehouse with the records of both runs row by row, and the run log with the expected scopes. */
export function expectNight({ ran, stored, ...night }: Night, holds: Holds = {}): void {
  const { notComplete = {}, isUnread, losses = [], except } = holds
  const before = held(worldBefore())
  const published = new Set(stored.scopes.map(({ pid }) => pid))
  const isRead = (project: ProjectTruth) => published.has(project.detail.pid)
  // A project that the run did not reach is unchanged.
  const unread = before.projects.filter((project) => !isRead(project))
  const read = held(holds.tonight ?? night.tonight)
  const tonight = { ...read, projects: [...read.projects.filter(isRead), ...unread] }
  const scopes = stored.scopes.map(({ pid, stream, status }) => [`${stream} ${pid || '-'}`, status])
  expect(Object.fromEntries(scopes.filter(([, status]) => status !== 'complete')), 'scopes in the run log').toEqual(
    notComplete,
  )
  const isPartial = Object.values(notComplete).some((status) => status !== 'skipped')
  expect(stored.status, 'the run in the run log').toBe(holds.status ?? (isPartial ? 'partial' : 'succeeded'))
  const said: { status: string; scopes: { pid: string | null; stream: string; status: string }[] } = JSON.parse(
    ran.stdout,
  )
  expect(said.status, 'the run in the summary').toBe(stored.status)
  expect(
    Object.fromEntries(said.scopes.map(({ pid, stream, status }) => [`${stream} ${pid || '-'}`, status])),
    'scopes in the summary',
  ).toEqual(Object.fromEntries(scopes))
  const expected = expectedTables({ before, tonight, notComplete, ...(isUnread && { isUnread }) })
  except?.(expected)
  for (const table of TABLES) {
    expect(lines(stored.tables[table]), `rows of ${table}`).toEqual(lines(expected[table]))
  }
  const found = stored.losses.map((loss) => placeOf(loss))
  expect(found.toSorted(), 'losses').toEqual(losses.map(placeOf).sort())
  for (const loss of losses.filter(({ original }) => original !== undefined)) {
    const { original } = stored.losses[found.indexOf(placeOf(loss))] ?? {}
    expect(original, `what was lost in ${loss.record_key}, ${loss.field}`).toBe(loss.original)
  }
}

function placeOf({ pid, stream, record_key, field, kind }: ExpectedLoss): string {
  return JSON.stringify([pid, stream, record_key, field, kind])
}

/** Rows as sorted texts; the order of fields in JSON is not significant at any depth. */
function lines(rows: readonly Record<string, unknown>[] = []): string[] {
  return rows.map((row) => JSON.stringify(row, inOrder)).sort()
}

function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isExactNumber(value)) return value
  // Not by assignment: a field named `__proto__` would vanish.
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
