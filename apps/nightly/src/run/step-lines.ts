import { formatDuration, plainText } from '@collab-etl/cli'
import type { Night } from '@collab-etl/observability'

/** One line for each step of a night, in aligned columns. */
export function stepLines({ steps }: Pick<Night, 'steps'>): string[] {
  const width = Math.max(...steps.map(({ name }) => name.length))
  return steps.map(({ name, status, duration_ms: duration, reason }) =>
    `  ${name.padEnd(width)}  ${status.padEnd(7)}  ${plainText(reason ?? formatDuration(duration))}`.trimEnd(),
  )
}
