import { formatDuration, plainText } from '@collab-etl/cli'
import { attemptsText, type Night } from '@collab-etl/observability'

/** One line for each step of a night, in aligned columns. */
export function stepLines({ steps }: Pick<Night, 'steps'>): string[] {
  const width = Math.max(...steps.map(({ name }) => name.length))
  return steps.map((step, index) => {
    const { name, status, duration_ms: duration, reason } = step
    const same = steps.slice(0, index).find((of) => status === 'partial' && of.reason === reason)
    const why = same === undefined ? reason : `as ${same.name}`
    const texts = [why ?? formatDuration(duration), attemptsText(step)].filter((text) => text !== null)
    return `  ${name.padEnd(width)}  ${status.padEnd(7)}  ${plainText(texts.join(', '))}`.trimEnd()
  })
}
