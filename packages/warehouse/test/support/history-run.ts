import { expect } from 'vitest'
import type { PublishResult } from '../../src/publish/types.ts'
import { TABLES } from '../../src/tables/index.ts'
import type { Warehouse } from '../../src/warehouse.ts'
import type { Backend } from './backends.ts'
import type { Expected, Model } from './history-model.ts'
import type { RunScript } from './history-script.ts'
import { feed } from './snapshot.ts'

export interface RanScript {
  readonly startedAt: string
  readonly runId: string
  readonly results: readonly PublishResult[]
}

/** Does what the script says. A process that dies leaves its run and what it has staged as they are. */
export async function runScript(backend: Backend, warehouse: Warehouse, script: RunScript): Promise<RanScript> {
  if (script.forgetsHashes) await forgetHashes(backend, warehouse)
  const { limits } = script
  await using _lock = await warehouse.runs.lock()
  const run = await warehouse.runs.begin({ baseUrl: 'http://127.0.0.1', toolVersion: '1.2.3' })
  const results: PublishResult[] = []
  for (const { pid, streams } of script.publications) {
    const stage = await run.stage(pid)
    await feed(stage, pid, streams)
    results.push(await stage.publish(limits))
  }
  for (const { pid, streams } of script.unpublished) await feed(await run.stage(pid), pid, streams)
  if (script.finishes) {
    if (script.list !== null) await run.markAbsentProjects(script.list, limits)
    await run.finish({ status: 'succeeded', requests: 5, retries: 1, bytes: 100 })
  }
  return { startedAt: run.startedAt.toISOString(), runId: run.id, results }
}

/** Leaves stored records as an upgrade to the version with hashes does. */
async function forgetHashes(backend: Backend, warehouse: Warehouse): Promise<void> {
  const hashed = TABLES.filter((table) => table.hashed === true)
  await backend.driver.script(
    hashed.map(({ name }) => `UPDATE ${warehouse.schema}.${name} SET record_hash = NULL`).join(';'),
  )
}

/** Does the same to the model, at the time when the run began; gives what each publication is to report. */
export function runModel(model: Model, script: RunScript, startedAt: string): Expected[] {
  const { limits } = script
  const expected = script.publications.map((publication) => model.publish(publication, limits))
  if (script.finishes && script.list !== null) model.leave(script.list, startedAt, limits)
  model.end(script.finishes)
  return expected
}

/** Statuses and counts are those that the model has found. */
export function expectReported(results: readonly PublishResult[], expected: readonly Expected[]): void {
  for (const [index, { scopes, tables }] of results.entries()) {
    const refused = scopes.filter(({ status }) => status === 'refused').map(({ scope }) => scope.stream)
    expect(refused.toSorted()).toEqual([...(expected[index]?.refused ?? [])].toSorted())
    const isDoubted = ({ error }: PublishResult['scopes'][number]) =>
      error?.code === 'POSSIBLY_CAPPED' || error?.code === 'UNREAD_ITEMS'
    const doubted = scopes.filter(isDoubted).map(({ scope }) => scope.stream)
    expect(doubted.toSorted(), 'doubted').toEqual([...(expected[index]?.doubted ?? [])].toSorted())
    const warned = scopes.flatMap(({ scope, warning }) => (warning ? [[scope.stream, warning.waiting]] : []))
    expect(Object.fromEntries(warned), 'warnings').toEqual(expected[index]?.warnings ?? {})
    const { users: _, ...counted } = tables
    const found = Object.entries(counted).map(([name, { inserted, updated, deleted }]) => [
      name,
      { written: inserted + updated, deleted },
    ])
    const wanted = Object.entries(expected[index]?.counts ?? {})
    const some = (all: unknown[][]) =>
      Object.fromEntries(all.filter(([, counts]) => JSON.stringify(counts) !== '{"written":0,"deleted":0}'))
    expect(some(found)).toEqual(some(wanted))
    for (const what of ['Inserted', 'Updated', 'Deleted'] as const) {
      const ofTables = Object.values(counted).reduce(
        (sum, counts) => sum + counts[what === 'Inserted' ? 'inserted' : what === 'Updated' ? 'updated' : 'deleted'],
        0,
      )
      expect(
        scopes.reduce((sum, scope) => sum + scope[`rows${what}`], 0),
        `rows${what}`,
      ).toBe(ofTables)
    }
  }
}
