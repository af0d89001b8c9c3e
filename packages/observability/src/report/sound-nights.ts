import type { Night } from '../night.ts'
import { plain } from './markup.ts'

/** Maximum length of a step's name in characters, and number of steps and accounts of a night. */
const MOST = { name: 40, steps: 20, accounts: 100 } as const

/**
 * The nights, each once, with `null` in place of parts that this version would not write. Other versions write the record of runs too, and
 * anyone may edit it: a damaged line must not make the report fail.
 */
export function soundNights(nights: readonly Night[]): Night[] {
  // bars of the same time would be added
  const lastOf = new Map(nights.map(({ started_at: at }, index) => [at, index]))
  const once = nights.filter(({ started_at: at }, index) => lastOf.get(at) === index)
  return once.map((night) => {
    const { snapshot, backup, verification, duration_ms: duration, started_at: start, finished_at: end } = night
    return {
      ...night,
      host: String(night.host ?? ''),
      tool_version: String(night.tool_version ?? ''),
      base_url: typeof night.base_url === 'string' ? night.base_url : null,
      duration_ms: isNumber(duration) ? duration : Math.max(0, Date.parse(end) - Date.parse(start)),
      consecutive_failures: isNumber(night.consecutive_failures) ? night.consecutive_failures : 1,
      failing_since: timeOrNull(night.failing_since),
      last_whole_at: timeOrNull(night.last_whole_at),
      attempts: isNumber(night.attempts) ? night.attempts : 1,
      damaged: Array.isArray(night.damaged) ? night.damaged.map(String) : [],
      steps: night.steps.slice(0, MOST.steps).map((step) => ({
        ...step,
        name: plain(String(step.name), MOST.name),
        started_at: timeOrNull(step.started_at) ?? start,
        duration_ms: isNumber(step.duration_ms) ? step.duration_ms : 0,
        reason: typeof step.reason === 'string' ? step.reason : null,
        failed_attempts: Array.isArray(step.failed_attempts)
          ? step.failed_attempts.filter((attempt) => typeof attempt?.reason === 'string')
          : [],
      })),
      snapshot: isSnapshot(snapshot) ? { ...snapshot, ...readersOf(snapshot), ...acceptedOf(snapshot) } : null,
      backup: isNamed(backup, 'name') && isNumber(backup.bytes) && isNumber(backup.new_bytes) ? backup : null,
      verification: isNamed(verification, 'backup') && isNumber(verification.damaged) ? verification : null,
    }
  })
}

function isSnapshot(value: Night['snapshot']): value is NonNullable<Night['snapshot']> {
  if (!isObject(value) || !Array.isArray(value['not_whole'])) return false
  return (
    isNumber(value['requests']) &&
    isObject(value['losses']) &&
    [value['rows'], value['scopes']].every((part) => isObject(part) && Object.values(part).every(isObject)) &&
    value['not_whole'].every((scope) => isObject(scope) && typeof scope['stream'] === 'string')
  )
}

function accountOf({ account }: Readonly<{ account?: unknown }>): NonNullable<Night['snapshot']>['account'] {
  if (!isObject(account) || typeof account['uid'] !== 'string') return null
  return { uid: account['uid'], name: typeof account['name'] === 'string' ? account['name'] : null }
}

function readersOf(snapshot: NonNullable<Night['snapshot']>) {
  const accounts: unknown = snapshot.accounts
  const named = Array.isArray(accounts) ? accounts.slice(0, MOST.accounts) : []
  return {
    account: accountOf(snapshot),
    accounts: named.filter((of) => isObject(of) && typeof of['account'] === 'string' && isNumber(of['alone'])),
  }
}

function acceptedOf({ accepted, accepted_unneeded: unneeded }: NonNullable<Night['snapshot']>) {
  const texts = (value: unknown) => (Array.isArray(value) ? value : [])
  return {
    accepted: texts(accepted).filter(
      (each) => isObject(each) && ACCEPTED.every((key) => typeof each[key] === 'string'),
    ),
    accepted_unneeded: texts(unneeded).filter((each) => typeof each === 'string'),
  }
}

const ACCEPTED = ['scope', 'until', 'reason'] as const

/** Whether a part of a night has the name of a backup. */
function isNamed<T extends object>(value: T | null, key: keyof T): value is T {
  return isObject(value) && typeof (value as T)[key] === 'string' && String((value as T)[key]).length <= MOST.name
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function timeOrNull(value: unknown): string | null {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : null
}
