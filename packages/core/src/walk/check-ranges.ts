import type { StoredEvent } from '@collab-etl/contract/streams'
import { NARROW, type RangeFinding } from './range-finding.ts'
import { EARLIEST, LATEST, type Window } from './window-plan.ts'

const DAY = 86_400_000

/** Widths that are compared with the windows of the walk: services often limit ranges to months, weeks or days. */
const NARROWER = [NARROW, 7 * DAY, DAY]

/** Missing stored events that are requested one by one; if one is returned, others are missing too. */
const MOST_PROBES = 8

/** Ranges of one width that are requested for a project without any event. */
const MOST_LOOKS = 8

/** Missing events to remember, to find out whether they were moved beyond the range. */
const MOST_MISSING = 10_000

interface FoundEvent {
  readonly eventId: string
  /** In the form of the keys of emitted events. */
  readonly key: string
  /** Whether it is in the range. */
  readonly belongs: boolean
}

export interface RangeCheck {
  readonly from: number
  readonly to: number
  /** The widest window of the walk, in milliseconds. */
  readonly widest: number
  readonly finding: RangeFinding
  /** Whether the walk emitted an event with this key. */
  readonly isSeen: (key: string) => boolean
  readonly keyOf: (event: StoredEvent) => string
  /** The start of one emitted event; `null`: there is none. */
  readonly lastStart: number | null
  /** Requests a range; a refused one is treated as empty. */
  readonly ask: (window: Pick<Window, 'start' | 'end'>) => Promise<readonly FoundEvent[]>
  /** Times at which the project was busy, in milliseconds, latest first. */
  readonly busyTimes: () => Promise<readonly number[]>
  readonly stored: (() => AsyncIterable<StoredEvent>) | undefined
}

/** Comparison of the walk's windows with narrow ranges. */
export interface RangeVerdict {
  /** Windows must not be wider than this, because wide ones omit events; `null`: no evidence of that. */
  readonly widest: number | null
  /** Ids of stored events that were moved beyond the range. */
  readonly beyond: readonly string[]
}

/**
 * Tests the result of a walk at its end. A narrow range must not have an event that the walk lacks: one such range is
 * requested in each run, several if there is no event at all, and one for each of a sample of missing stored events.
 */
export async function checkRanges(check: RangeCheck): Promise<RangeVerdict> {
  if (check.finding.widest < check.widest) return { widest: check.finding.widest, beyond: [] }
  const verdict = await judge(check)
  // another project may have found it meanwhile, which also ends the search of this one
  const { widest } = check.finding
  return verdict.widest === null && widest < check.widest ? { widest, beyond: [] } : verdict
}

async function judge(check: RangeCheck): Promise<RangeVerdict> {
  const narrow = await lackingWidth(check)
  if (narrow !== null) return narrowTo(check, narrow)
  if (check.stored === undefined) return { widest: null, beyond: [] }
  const { sample, missing } = await missingOf(check, check.stored)
  for (const { startsAt } of sample) {
    const time = Date.parse(startsAt)
    if (!(await holdsMore(check, time, DAY))) continue
    for (const width of NARROWER.filter((one) => one < check.widest)) {
      if (width === DAY || (await holdsMore(check, time, width))) return narrowTo(check, width)
    }
  }
  return { widest: null, beyond: missing.size === 0 ? [] : await beyondRange(check, missing) }
}

function narrowTo({ finding }: RangeCheck, width: number): RangeVerdict {
  finding.narrow(width)
  return { widest: width, beyond: [] }
}

/**
 * The width of a range with an event that the walk lacks; `null`: none was found. The first range with an event decides for
 * the whole run.
 */
async function lackingWidth(check: RangeCheck): Promise<number | null> {
  const { finding, lastStart } = check
  const widths = NARROWER.filter((width) => width < Math.min(check.widest, check.to - check.from))
  const [first] = widths
  if (first === undefined || finding.isWideSure) return null
  if (lastStart !== null) {
    if (await holdsMore(check, lastStart, first)) return first
    finding.isWideSure = true
    return null
  }
  const times = [Date.now(), ...(await check.busyTimes())].filter((time) => time >= check.from && time <= check.to)
  for (const width of widths) {
    for (const time of spread(times, width)) {
      if (!finding.maySearch()) return null
      if (await holdsMore(check, time, width)) return width
    }
  }
  return null
}

/** A sample of the times, at least one range apart. */
function spread(times: readonly number[], width: number): number[] {
  const kept: number[] = []
  for (const time of times) {
    if (kept.length < MOST_LOOKS && kept.every((other) => Math.abs(other - time) >= width)) kept.push(time)
  }
  return kept
}

/** Whether a range around a time has an event that the walk lacks. */
async function holdsMore({ ask, isSeen, from, to }: RangeCheck, time: number, width: number): Promise<boolean> {
  const half = Math.floor(width / 2)
  const window = { start: Math.max(from, time - half), end: Math.min(to, time + half) }
  const found = window.start > window.end ? [] : await ask(window)
  return found.some(({ key, belongs }) => belongs && !isSeen(key))
}

/** The missing stored events of the range, and an evenly spread sample of them. */
async function missingOf(
  { from, to, isSeen, keyOf }: RangeCheck,
  stored: () => AsyncIterable<StoredEvent>,
): Promise<{ sample: StoredEvent[]; missing: Set<string> }> {
  let sample: StoredEvent[] = []
  const missing = new Set<string>()
  let count = 0
  let every = 1
  for await (const event of stored()) {
    const time = Date.parse(event.startsAt)
    if (!(time >= from && time <= to) || isSeen(keyOf(event))) continue
    if (missing.size < MOST_MISSING) missing.add(event.eventId)
    if (count++ % every !== 0) continue
    sample.push(event)
    if (sample.length <= MOST_PROBES) continue
    every *= 2
    sample = sample.filter((_, index) => index % 2 === 0)
  }
  return { sample, missing }
}

/** Which of these events are now before or after the range, according to one wide window on either side. */
async function beyondRange({ from, to, widest, ask }: RangeCheck, missing: ReadonlySet<string>): Promise<string[]> {
  const sides = [
    { start: Math.max(EARLIEST, from - widest), end: from - 1 },
    { start: to + 1, end: Math.min(LATEST, to + widest) },
  ]
  const found = new Set<string>()
  for (const side of sides.filter(({ start, end }) => start <= end)) {
    for (const { eventId, belongs } of await ask(side)) {
      if (!belongs && missing.has(eventId)) found.add(eventId)
    }
  }
  return [...found]
}
