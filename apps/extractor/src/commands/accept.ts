import { hostname, userInfo } from 'node:os'
import { defineCommand, didYouMean, EXIT, formatTable, parseIsoTime, plainText, UsageError } from '@collab-etl/cli'
import { type AcceptedFailure, isWhole, NOT_ALLOWED, notWholeScopes, STREAMS } from '@collab-etl/contract/streams'
import type { AcceptedPlace, AcceptedRow, DecidedRun, RunDetails, Warehouse } from '@collab-etl/warehouse'
import {
  type Acceptance,
  acceptedIn,
  type EndedScope,
  isAcceptable,
  isTotalFailure,
  missedItems,
  parsePlace,
  placeText,
} from '../snapshot/accepted.ts'
import { connectWarehouse } from '../warehouse.ts'
import { findRun } from './runs.ts'
import { SUMMARIES } from './summaries.ts'

export const accept = defineCommand({
  ...SUMMARIES.accept,
  examples: [
    ['accept', 'lists the accepted failures'],
    [
      'accept --scope P1/posts/X7 --until 2027-03-31 --reason "ticket 4711"',
      'one post that the last run could not read; other failures still count',
    ],
    ['accept --scope P1/posts/X7 --until 2026-11-26', 'with the date of today: takes it back'],
  ],
  options: {
    run: {
      type: 'string',
      describe: 'the run with the failure: its id or its beginning [default: the last that ended]',
    },
    scope: {
      type: 'string',
      describe:
        'PID/STREAM[/ITEM]  what may fail: one item, or all of a stream of a project; /teams: the lists of teams',
    },
    until: {
      type: 'string',
      describe: 'DATE  when the acceptance ends, at 0:00 UTC or a time with its zone; today takes it back',
    },
    reason: { type: 'string', describe: 'TEXT  why, for those who see it in summaries and reports' },
  },
  settings: ['warehouse'],
  check({ scope, until, reason, run }) {
    if (scope !== undefined && until !== undefined) return
    if ([scope, until, reason, run].every((flag) => flag === undefined)) return
    throw new UsageError('accept needs --scope PID/STREAM[/ITEM], --until DATE and --reason TEXT')
  },
  async run({ settings, stdout }, { run, scope, until, reason }) {
    await using warehouse = await connectWarehouse(settings)
    if (scope === undefined || until === undefined) {
      const rows = await warehouse.log.acceptedFailures()
      stdout.document({ accepted: rows.map(rowDocument) })
      stdout.line(listText(rows, stdout.columns))
      return EXIT.ok
    }
    const place = parsePlace(scope)
    if (place === null) throw new UsageError(notAPlace(scope))
    const end = parseUntil(until)
    const details = await findEndedRun(warehouse, run)
    const now = new Date()
    const known = await warehouse.log.acceptedFailures()
    const others = known.filter((row) => placeText(row) !== placeText(place))
    if (end <= now) {
      if (others.length === known.length)
        throw new UsageError(`${plainText(scope)} was not accepted: see collab-extract accept`)
      const decided = details === null ? null : decide(details, others, { place, now })
      await warehouse.log.endAcceptance(place, decided)
      stdout.document({ ended: placeText(place), run_id: decided?.runId ?? null, status: decided?.status ?? null })
      stdout.line(plainText(`${placeText(place)} is no longer accepted${decided === null ? '' : statusText(decided)}`))
      return EXIT.ok
    }
    if (reason === undefined || reason.trim() === '')
      throw new UsageError('accept needs --reason TEXT: why it may fail')
    if (details === null) throw new UsageError('no run has ended yet, so there is no failure to accept')
    requireFailure(place, details)
    const row = { ...place, until: end, reason: reason.trim(), acceptedBy: whoAccepts(), acceptedAt: now }
    const decided = decide(details, [...others, row], { place, now })
    await warehouse.log.accept(row, decided)
    stdout.document({ accepted: rowDocument(row), run_id: decided.runId, status: decided.status })
    stdout.line(
      plainText(`${placeText(place)} is accepted until ${end.toISOString().slice(0, 16)}Z${statusText(decided)}`),
    )
    return EXIT.ok
  },
})

function rowDocument({
  until,
  reason,
  acceptedBy,
  acceptedAt,
  ...place
}: AcceptedRow): Readonly<Record<string, string>> {
  return {
    scope: placeText(place),
    until: until.toISOString(),
    reason,
    accepted_by: acceptedBy,
    accepted_at: acceptedAt.toISOString(),
  }
}

function listText(rows: readonly AcceptedRow[], width: number | undefined): string {
  if (rows.length === 0) return 'No failure is accepted. collab-extract runs latest shows what failed.'
  const cells = rows.map((row) => [
    ...[placeText(row), `${row.until <= new Date() ? 'ended ' : ''}${row.until.toISOString().slice(0, 10)}`],
    ...[row.acceptedBy, row.acceptedAt.toISOString().slice(0, 10), row.reason],
  ])
  return formatTable(['scope', 'until', 'by', 'on', 'reason'], cells, { width })
}

/** Today's date ends an acceptance: it is over at 0:00 UTC. */
function parseUntil(text: string): Date {
  const until = parseIsoTime(text, { name: '--until', edge: 'start' })
  const today = new Date().toISOString().slice(0, 10)
  if (until.toISOString().slice(0, 10) < today) {
    throw new UsageError(
      `--until ${text} is in the past: give a later date, or today's (${today}, UTC) to take an acceptance back`,
    )
  }
  return until
}

/** The run that is named; else the last one that ended, successfully or not whole. */
async function findEndedRun(warehouse: Warehouse, named: string | undefined): Promise<RunDetails | null> {
  const last = named === undefined ? await warehouse.log.lastFinishedRun() : null
  if (named === undefined && last === null) return null
  const details = await findRun(warehouse, last?.run_id ?? named ?? '')
  const { run_id: id, status } = details.run
  if (status === 'succeeded' || status === 'partial') return details
  throw new UsageError(
    status === 'running'
      ? `run ${id} has not ended: name a run that has`
      : `run ${id} ${status === 'failed' ? 'failed' : 'was interrupted'} as a whole, which cannot be accepted; run it again`,
  )
}

/** What of a run can be accepted, as it is typed. */
function failuresOf(scopes: readonly EndedScope[], { unread_items: unread }: RunDetails): string[] {
  return scopes
    .filter((scope) => !isWhole(scope) && isAcceptable(scope))
    .flatMap((scope) => {
      const items = [...missedItems(scope, { scopes, unread })]
      return [...items.map((item) => placeText({ ...scope, item })), placeText({ ...scope, item: null })]
    })
}

/** @throws UsageError unless a run could not read the place */
function requireFailure(place: AcceptedPlace, details: RunDetails): void {
  const scopes = endedScopes(details)
  const { run_id: id } = details.run
  if (isTotalFailure(scopes)) {
    throw new UsageError(
      `run ${id} could read no project: a total failure cannot be accepted; see collab-extract runs ${id}`,
    )
  }
  const failures = failuresOf(scopes, details)
  const text = placeText(place)
  if (failures.includes(text)) return
  const scope = scopes.find(({ pid, stream }) => pid === place.pid && stream === place.stream)
  if (scope?.status === 'refused') {
    throw new UsageError(
      `${plainText(text)}: the deletion guard refused to mark rows deleted, which cannot be accepted; if they are gone, run collab-extract snapshot --allow-shrink`,
    )
  }
  const what = scope === undefined ? 'has no such scope' : `read ${place.item === null ? 'it' : 'that item'}`
  const near = (each: string) => Number(each.startsWith(`${place.pid ?? ''}/`))
  const known = failures
    .toSorted((a, b) => near(b) - near(a))
    .slice(0, SUGGESTED)
    .map((each) => plainText(each))
  const more = failures.length > SUGGESTED ? `, and ${failures.length - SUGGESTED} more` : ''
  const rest = failures.length === 0 ? 'it has no failures' : `what failed: ${known.join(', ')}${more}`
  throw new UsageError(`${plainText(text)}: run ${id} ${what}; ${rest}`)
}

/** Failures that an error names. */
const SUGGESTED = 5

function notAPlace(text: string): string {
  const name = text.split('/')[1] ?? ''
  return `--scope must be PID/STREAM, PID/STREAM/ITEM or /teams, not ${plainText(text)}${plainText(didYouMean(name, STREAMS)) || '.'} Streams: ${STREAMS.join(', ')}`
}

/** The scopes of a stored run, as those of a run that ends. */
function endedScopes({ scopes }: RunDetails): (EndedScope & { readonly stored: readonly AcceptedFailure[] | null })[] {
  return scopes.map(({ pid, stream, status, error_code: code, error, carried, accepted }) => ({
    ...{ pid, stream, status, carried, stored: accepted },
    error: code === null ? null : { code, message: error ?? '' },
  }))
}

/** Decides on a run again, after what is accepted at one place has changed; what the config file accepted when it ran still counts. */
function decide(
  details: RunDetails,
  acceptances: readonly Acceptance[],
  { place, now }: { readonly place: AcceptedPlace; readonly now: Date },
): DecidedRun {
  const scopes = endedScopes(details)
  const before = scopes
    .flatMap(({ stored }) => stored ?? [])
    .flatMap(({ scope, until, reason }): Acceptance[] => {
      const parsed = parsePlace(scope)
      return parsed === null || scope === placeText(place) ? [] : [{ ...parsed, until: new Date(until), reason }]
    })
  const accepted = acceptedIn({ scopes, unread: details.unread_items }, [...acceptances, ...before], now)
  const marked = scopes.map(({ stored: _, ...scope }) => {
    const own = accepted.find(({ pid, stream }) => pid === scope.pid && stream === scope.stream)?.accepted
    // the run log does not tell who could read it before: a run that is partial stays so
    const isLost = details.run.status === 'partial' && scope.error?.code === NOT_ALLOWED
    return { ...scope, ...(own && { accepted: own }), ...(isLost && { access: 'lost' as const }) }
  })
  return {
    runId: details.run.run_id,
    status: notWholeScopes(marked).length === 0 ? 'succeeded' : 'partial',
    scopes: marked.map(({ pid, stream, accepted: own = null }) => ({ pid, stream, accepted: own })),
  }
}

function statusText({ runId, status }: DecidedRun): string {
  return `; run ${runId} ${status === 'succeeded' ? 'counts as succeeded' : `is partial: see collab-extract runs ${runId}`}`
}

function whoAccepts(): string {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}@${hostname()}` // no entry in the list of users, as in some containers
  }
}
