import type { Night, Step } from './night.ts'

/** The attempts of a step: `attempt 2 (attempt 1: the service did not answer)`; `null`: it had one. A reason that its end has too is not repeated. */
export function attemptsText({
  failed_attempts: failed,
  reason: last,
}: Pick<Step, 'failed_attempts' | 'reason'>): string | null {
  if (!Array.isArray(failed) || failed.length === 0) return null
  const isSame = (reason: string) => reason !== '' && String(last ?? '').startsWith(reason)
  const earlier = failed.map(({ reason }, index) => `attempt ${index + 1}: ${isSame(reason) ? 'the same' : reason}`)
  return `attempt ${failed.length + 1} (${earlier.join('; ')})`
}

/** A line for each step of a night that was tried again, with the reasons of the attempts that failed. */
export function attemptLines({ steps }: Pick<Night, 'steps'>): string[] {
  return steps.flatMap((step) => {
    const text = attemptsText(step)
    return text === null ? [] : [`${step.name}: ${text}`]
  })
}
