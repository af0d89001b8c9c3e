import type { Night, Step } from './night.ts'

type Attempted = Pick<Step, 'failed_attempts' | 'reason' | 'started_at'>

/**
 * The attempts of a step: `attempt 2 (attempt 1: the service did not answer)`; `null`: it had one. The first number is that of the attempt whose
 * result counts, which a partial one may do although later ones failed; none, if the step ended in the pause after the last. A reason that its end
 * has too is not repeated.
 */
export function attemptsText({
  failed_attempts: failed,
  reason: last,
  started_at: startedAt,
}: Attempted): string | null {
  if (!Array.isArray(failed) || failed.length === 0) return null
  const isSame = (reason: string) => reason !== '' && String(last ?? '').startsWith(reason.replace(/…$/, ''))
  const starts = [...new Set([startedAt, ...failed.map(({ started_at: start }) => start)])].sort()
  const numberOf = (start: string) => starts.indexOf(start) + 1
  const others = failed
    .toSorted((a, b) => numberOf(a.started_at) - numberOf(b.started_at))
    .map(({ reason, started_at: start, is_same: is = isSame(reason) }) => {
      return `attempt ${numberOf(start)}: ${is ? 'the same' : reason}`
    })
  const own = starts.length > failed.length ? `attempt ${numberOf(startedAt)} ` : ''
  return `${own}(${others.join('; ')})`
}

/** A line for each step of a night that was tried again, with the reasons of the attempts that failed. */
export function attemptLines({ steps }: Pick<Night, 'steps'>): string[] {
  return steps.flatMap((step) => {
    const text = attemptsText(step)
    return text === null ? [] : [`${step.name}: ${text}`]
  })
}
