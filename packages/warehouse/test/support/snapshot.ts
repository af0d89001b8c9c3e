import type {
  ConversionIssue,
  RecordKind,
  RecordKinds,
  ScopeResult,
  ScopeSink,
  StreamBatch,
  StreamName,
} from '@collab-etl/contract/streams'
import type { ComparedScope } from '../../src/compare/types.ts'
import type { DeletionLimits, PublishResult } from '../../src/publish/types.ts'
import type { KnownKind } from '../../src/runs/types.ts'
import type { Run } from '../../src/snapshot/run.ts'
import type { TableName } from '../../src/tables/table.ts'
import type { Warehouse } from '../../src/warehouse.ts'
import { archivedTask, file, page, post, task, webhook } from './records.ts'

/** What a stream emits, batch by batch, and how it ends. */
export interface StreamInput {
  readonly batches?: readonly StreamBatch[]
  /** What an earlier attempt emitted until it failed. */
  readonly voided?: readonly StreamBatch[]
  readonly status?: ScopeResult['status']
  readonly range?: ScopeResult['range']
  readonly unread?: ScopeResult['unread']
  readonly suspicious?: ScopeResult['suspicious']
  readonly carried?: ScopeResult['carried']
  readonly lacksProjects?: ScopeResult['lacksProjects']
  readonly error?: ScopeResult['error']
}

export type Streams = Partial<Record<StreamName, StreamInput>>

export const LIMITS: DeletionLimits = { maxShrink: 0.5, allowShrink: false }
export const NO_LIMITS: DeletionLimits = { maxShrink: 1, allowShrink: true }

export function batch<K extends RecordKind>(
  kind: K,
  records: RecordKinds[K][],
  losses: ConversionIssue[] = [],
): StreamBatch {
  // kind and records belong together by the signature, which a union cannot see
  return { kind, records, losses } as unknown as StreamBatch
}

const MAKERS = { task, archived_task: archivedTask, page, post, file, webhook }

type Made = keyof typeof MAKERS

/** A batch of records that are made from their ids; `fields` are what a test is about. */
export function batchOf<K extends Made>(
  kind: K,
  ids: readonly string[],
  fields?: (id: string) => Partial<RecordKinds[K]>,
): StreamBatch {
  const make = MAKERS[kind] as (id: string, fields?: Partial<RecordKinds[K]>) => RecordKinds[K] // the one of this kind
  const records = ids.map((id) => make(id, fields?.(id)))
  return batch(kind, records)
}

/** A stream that emits such records in one batch. */
export function streamOf<K extends Made>(
  kind: K,
  ids: readonly string[],
  fields?: (id: string) => Partial<RecordKinds[K]>,
): StreamInput {
  return { batches: [batchOf(kind, ids, fields)] }
}

function ended(pid: string | null, stream: StreamName, input: StreamInput = {}): ScopeResult {
  const status = input.status ?? 'complete'
  return {
    scope: { pid, stream },
    status,
    pages: 1,
    read: (input.batches ?? []).reduce(
      (sum, { kind, records }) => sum + (/^(?:known_|not_found_|task_comments_read)/.test(kind) ? 0 : records.length),
      0,
    ),
    requests: 2,
    bytes: 3,
    startedAt: new Date(1_700_000_000_000),
    finishedAt: new Date(1_700_000_001_000),
    ...(input.range ? { range: input.range } : {}),
    ...(input.unread ? { unread: input.unread } : {}),
    ...(input.suspicious ? { suspicious: input.suspicious } : {}),
    ...(input.carried ? { carried: input.carried } : {}),
    ...(input.lacksProjects ? { lacksProjects: input.lacksProjects } : {}),
    ...(status === 'complete' ? {} : { error: input.error ?? { code: 'TEST', message: `it is ${status}` } }),
  }
}

/** Writes the batches of streams to a stage, and ends them. */
export async function feed(stage: ScopeSink, pid: string | null, streams: Streams): Promise<void> {
  for (const [stream, input] of Object.entries(streams) as [StreamName, StreamInput][]) {
    for (const each of input.voided ?? []) await stage.write({ pid, stream }, each)
    if (input.voided !== undefined) await stage.restart({ pid, stream })
    for (const each of input.batches ?? []) await stage.write({ pid, stream }, each)
    await stage.end(ended(pid, stream, input))
  }
}

/** Publishes what the streams emit of a project, within a run. */
export async function publishIn(
  run: Run,
  pid: string | null,
  streams: Streams,
  limits = LIMITS,
): Promise<PublishResult> {
  const stage = await run.stage(pid)
  await feed(stage, pid, streams)
  return await stage.publish(limits)
}

/** One whole run over one project. */
export async function snapshot(
  warehouse: Warehouse,
  streams: Streams,
  options: { pid?: string | null; limits?: DeletionLimits } = {},
): Promise<PublishResult & { run: Run }> {
  return await inRun(warehouse, async (run) => {
    const pid = options.pid === undefined ? 'p1' : options.pid
    return { ...(await publishIn(run, pid, streams, options.limits)), run }
  })
}

/** A run under the lock, finished as succeeded. */
export async function inRun<T>(warehouse: Warehouse, work: (run: Run) => Promise<T>): Promise<T> {
  await using _lock = await warehouse.runs.lock()
  const run = await warehouse.runs.begin({ baseUrl: 'http://127.0.0.1', toolVersion: '1.2.3' })
  const result = await work(run)
  await run.finish({ status: 'succeeded', requests: 5, retries: 1, bytes: 100 })
  return result
}

/** The live rows of a table. */
export async function live(
  warehouse: Warehouse,
  table: TableName,
  columns?: string[],
): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = []
  for await (const row of warehouse.rows.of(table, columns ? { columns } : {})) rows.push(row)
  return rows
}

/** One column of the live rows. */
export async function liveColumn(warehouse: Warehouse, table: TableName, column: string): Promise<unknown[]> {
  return (await live(warehouse, table, [column])).map((row) => row[column])
}

/** What a comparison finds in streams of a project that are read again. */
export async function compared(
  warehouse: Warehouse,
  streams: Streams,
  pid: string | null = 'p1',
  listed: readonly string[] = [],
): Promise<ComparedScope[]> {
  await using _lock = await warehouse.runs.lock()
  const comparison = await warehouse.runs.beginComparison()
  const stage = await comparison.stage(pid)
  await feed(stage, pid, streams)
  const scopes = await stage.compare(new Set(listed))
  await comparison.end()
  return scopes
}

/** The known ids of posts or files of a project, in order. */
export async function knownIdsOf(warehouse: Warehouse, kind: KnownKind, pid: string): Promise<string[]> {
  return (await warehouse.log.knownIds(kind, pid)).map(({ id }) => id)
}
