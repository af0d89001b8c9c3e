import { type Scope, type ScopeResult, STREAMS, type StreamBatch, type StreamName } from '@collab-etl/contract/streams'
import type { DeletionLimits, FoundProjects, RunOutcome } from './api.ts'
import { WarehouseError } from './errors.ts'
import type { KnownRow } from './run-log/types.ts'

/** The kinds of batches that each stream brings. */
const KINDS: Readonly<Record<StreamName, readonly StreamBatch['kind'][]>> = {
  projects: ['project'],
  tasks: ['task'],
  archived_tasks: ['archived_task'],
  pages: ['page'],
  posts: ['post', 'post_comment', 'known_post', 'not_found_post'],
  events: ['event'],
  files: ['file', 'file_comment', 'known_file', 'not_found_file'],
  webhooks: ['webhook'],
}

/** Ids that any stream may emit. */
const IDS: readonly string[] = ['known_post', 'known_file']

const STATUSES: readonly ScopeResult['status'][] = ['complete', 'partial', 'drifted', 'carried', 'skipped', 'failed']

const OUTCOMES: readonly RunOutcome['status'][] = ['succeeded', 'partial', 'failed', 'interrupted']

/**
 * Checks for callers without types, and for values that types do not exclude (NaN, an empty object). Unchecked, a limit would never be
 * exceeded, or records would be dropped while their scope counts as read. Each check throws `MISUSE`.
 */
export function checkLimits(limits: DeletionLimits): void {
  const { maxShrink, allowShrink } = objectOf(limits, 'limits')
  if (typeof maxShrink !== 'number' || !(maxShrink >= 0 && maxShrink <= 1)) {
    throw misuse(`limits.maxShrink must be a number from 0 to 1, not ${shown(maxShrink)}`)
  }
  if (typeof allowShrink !== 'boolean') {
    throw misuse(`limits.allowShrink must be true or false, not ${shown(allowShrink)}`)
  }
}

export function checkScope(scope: Scope): void {
  const { pid, stream } = objectOf(scope, 'scope')
  checkPid(pid)
  if (!STREAMS.some((known) => known === stream)) {
    throw misuse(`there is no stream ${shown(stream)}: use one of ${STREAMS.join(', ')}`)
  }
}

/** A project's id, or `null` for what belongs to no project. */
export function checkPid(pid: unknown): void {
  if (pid === null || (typeof pid === 'string' && pid !== '')) return
  throw misuse(`a project id must be a text that is not empty, or null, not ${shown(pid)}`)
}

export function checkBatch({ stream }: Scope, batch: StreamBatch): void {
  const { kind, records, losses, unchanged = [] } = objectOf(batch, 'batch')
  if (!KINDS[stream].some((known) => known === kind) && !IDS.includes(String(kind))) {
    throw misuse(`stream ${stream} has no records of kind ${shown(kind)}: use ${KINDS[stream].join(', ')}`)
  }
  for (const [name, list] of Object.entries({ records, losses, unchanged })) {
    if (!Array.isArray(list) || !list.every((item) => typeof item === 'object' && item !== null)) {
      throw misuse(`batch.${name} must be a list of objects`)
    }
  }
}

/** @param written records since the scope began, or began again; without ids that are known or not found */
export function checkResult(result: ScopeResult, written: number): void {
  const { scope, status, read, pages, requests, bytes, startedAt, finishedAt, range, carried } = result
  if (!STATUSES.includes(status)) {
    throw misuse(`a scope ends as one of ${STATUSES.join(', ')}, not as ${shown(status)}`)
  }
  for (const [name, count] of Object.entries({
    read,
    pages,
    requests,
    bytes,
    ...(carried && { carried: carried.items }),
  }))
    checkCount(`result.${name}`, count)
  for (const [name, time] of Object.entries({
    startedAt,
    finishedAt,
    ...range,
    ...(carried && { since: carried.since }),
  }))
    checkTime(`result.${name}`, time)
  if (range !== undefined && range.from > range.to) throw misuse('result.range ends before it begins')
  // discarded records need not add up; the list of projects is not a record of its own scope
  if (status === 'failed' || status === 'skipped' || (scope.pid === null && scope.stream === 'projects')) return
  // a task that changes while archived tasks are paged through is emitted again
  if (scope.stream === 'archived_tasks' ? read <= written : read === written) return
  throw misuse(
    `stream ${scope.stream} of project ${scope.pid} ends ${status} with ${read} records read, but ${written} were written`,
  )
}

export function checkOutcome(outcome: RunOutcome): void {
  const { status, requests, retries, bytes, error } = objectOf(outcome, 'outcome')
  if (!OUTCOMES.some((known) => known === status)) {
    throw misuse(`a run ends as one of ${OUTCOMES.join(', ')}, not as ${shown(status)}`)
  }
  for (const [name, count] of Object.entries({ requests, retries, bytes })) checkCount(`outcome.${name}`, count)
  if (error !== undefined && typeof error !== 'string') throw misuse('outcome.error must be a text')
}

export function checkFound(found: FoundProjects): void {
  const { listed, gone, readable } = objectOf(found, 'found')
  if (listed !== null && !(listed instanceof Set)) throw misuse('found.listed must be a set of project ids, or null')
  for (const [name, pids] of Object.entries({ gone, readable })) {
    if (!(pids instanceof Set)) throw misuse(`found.${name} must be a set of project ids`)
  }
}

export function checkKnown(rows: readonly KnownRow[]): void {
  if (!Array.isArray(rows)) throw misuse('known ids must be a list')
  for (const row of rows) {
    const { kind, pid, id, source } = objectOf(row, 'a known id')
    if (kind !== 'post' && kind !== 'file') throw misuse(`a known id is of a post or a file, not of ${shown(kind)}`)
    for (const [name, text] of Object.entries({ pid, id, source })) {
      checkText(`${name} of a known ${kind}`, text)
      if (text === '') throw misuse(`${name} of a known ${kind} is empty`)
    }
  }
}

export function checkText(name: string, text: unknown): void {
  if (typeof text !== 'string') throw misuse(`${name} must be a text, not ${shown(text)}`)
}

export function checkCount(name: string, count: unknown): void {
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) {
    throw misuse(`${name} must be a whole number of at least 0, not ${shown(count)}`)
  }
}

export function checkTime(name: string, time: unknown): void {
  if (!(time instanceof Date) || Number.isNaN(time.getTime()))
    throw misuse(`${name} must be a date, not ${shown(time)}`)
}

export function misuse(message: string): WarehouseError {
  return new WarehouseError('MISUSE', message)
}

function objectOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw misuse(`${name} must be an object, not ${shown(value)}`)
  return { ...value }
}

function shown(value: unknown): string {
  return typeof value === 'string'
    ? JSON.stringify(value).slice(0, 100)
    : String(typeof value === 'object' ? typeof value : value)
}
