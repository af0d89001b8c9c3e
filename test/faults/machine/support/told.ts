import type { Ran } from '@collab-etl/harness/commands'

/** What a command told a person on stderr: all but the log. */
export function told({ stderr }: Ran): string {
  return stderr
    .split('\n')
    .filter((line) => !line.startsWith('{'))
    .join('\n')
    .trim()
}
