import type { Attributes, Meter } from '@opentelemetry/api'
import { hasDamage, type Night } from './night.ts'

/** Input of the metrics. */
export interface MetricFacts {
  readonly night: Night
  /** The last nights, the latest at the end. If the latest one has no backup or verification, the last one that has it counts. */
  readonly nights: readonly Night[]
}

/** A value at the end of a night: a gauge, also where its name ends in `_total`, as the next night's value replaces it. */
interface Value {
  readonly name: string
  readonly help: string
  readonly points: readonly (readonly [value: number, attributes?: Attributes])[]
}

/**
 * Records a night with OpenTelemetry's instruments. No label is an id, so that each has few values.
 * @param meter of the provider whose readers collect the metrics
 */
export function recordMetrics(meter: Meter, facts: MetricFacts): void {
  for (const { name, help, points } of valuesOf(facts)) {
    if (points.length === 0) continue
    const gauge = meter.createGauge(name, { description: help })
    for (const [value, attributes] of points) gauge.record(value, attributes)
  }
}

function valuesOf({ night, nights }: MetricFacts): Value[] {
  const { snapshot } = night
  const withBackup = nights.findLast(({ backup }) => backup !== null)
  // a night that is dated later was recorded before the clock was set back
  const past = nights.filter(({ finished_at: at }) => Date.parse(at) <= Date.parse(night.finished_at))
  const verified = past.findLast(({ verification }) => verification?.damaged === 0 && verification.mode !== 'fast')
  const gauge = (name: string, help: string, points: Value['points']): Value => ({ name, help, points })
  const one = (value: number | undefined): Value['points'] => (value === undefined ? [] : [[value]])
  return [
    gauge('collab_run_timestamp_seconds', 'End of the last run.', one(seconds(night.finished_at))),
    gauge(
      'collab_run_whole_timestamp_seconds',
      'Start of the last run that read and backed up everything; 0: there was none.',
      one(seconds(night.last_whole_at) ?? 0),
    ),
    gauge(
      'collab_run_success',
      'Whether every step of the last run succeeded.',
      one(night.outcome === 'whole' ? 1 : 0),
    ),
    gauge('collab_run_exit_code', 'Exit code of the last run.', one(night.exit_code)),
    gauge('collab_run_duration_seconds', 'Duration of the last run.', one(night.duration_ms / 1000)),
    gauge(
      'collab_run_failures_in_a_row',
      'Runs in a row in which a step did not succeed.',
      one(night.consecutive_failures),
    ),
    gauge('collab_run_requests_total', 'Requests of the last run, retries included.', one(snapshot?.requests)),
    gauge('collab_run_retries_total', 'Retries of the last run.', one(snapshot?.retries)),
    gauge('collab_run_bytes_total', 'Bytes that the last run received.', one(snapshot?.bytes)),
    gauge('collab_rows', 'Rows of a table that the last run read or changed.', rowPoints(snapshot)),
    gauge('collab_scopes', 'Scopes of the last run.', scopePoints(snapshot)),
    gauge(
      'collab_losses',
      'Values that the last run could not store exactly.',
      Object.entries(snapshot?.losses ?? {}).map(([kind, count]) => [count, { kind }]),
    ),
    gauge(
      'collab_backup_timestamp_seconds',
      'End of the run that wrote the last backup.',
      one(seconds(withBackup?.finished_at)),
    ),
    gauge('collab_backup_size_bytes', 'Size of the last backup.', one(withBackup?.backup?.bytes)),
    gauge(
      'collab_backup_new_bytes',
      'Bytes that the last backup added to the disk.',
      one(withBackup?.backup?.new_bytes),
    ),
    gauge(
      'collab_backup_verified_timestamp_seconds',
      'End of the last run that verified a backup, or a part of it, without damage.',
      one(seconds(verified?.finished_at)),
    ),
    gauge(
      'collab_backup_damaged',
      'Whether a backup or an archive is damaged, according to its last verification.',
      one(damageOf(nights)),
    ),
    gauge('collab_drill_timestamp_seconds', 'Start of the last drill.', one(seconds(night.drill?.started_at))),
    gauge(
      'collab_drill_success',
      'Whether everything came back in the last drill.',
      one(night.drill && (night.drill.problem === null ? 1 : 0)),
    ),
  ]
}

/** `undefined`: nothing was verified. Of a night that could not look at the backups, what was known before counts. */
function damageOf(nights: readonly Night[]): 0 | 1 | undefined {
  const last = nights.at(-1)
  const known = nights.findLast(({ damaged }) => damaged !== undefined)?.damaged ?? []
  if (known.length > 0 || (last !== undefined && hasDamage(last))) return 1
  return nights.some(({ verification }) => verification !== null) ? 0 : undefined
}

function rowPoints(snapshot: Night['snapshot']): Value['points'] {
  return Object.entries(snapshot?.rows ?? {}).flatMap(([table, { read, inserted, updated, deleted }]) =>
    Object.entries({ read, inserted, updated, deleted }).map(([change, count]) => [count, { table, change }] as const),
  )
}

function scopePoints(snapshot: Night['snapshot']): Value['points'] {
  return Object.entries(snapshot?.scopes ?? {}).flatMap(([stream, statuses]) =>
    Object.entries(statuses).map(([status, count]) => [count, { stream, status }] as const),
  )
}

function seconds(iso: string | null | undefined): number | undefined {
  return iso ? Date.parse(iso) / 1000 : undefined
}
