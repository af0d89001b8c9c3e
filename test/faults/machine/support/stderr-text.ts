import type { Ran } from '@collab-etl/harness/commands'

/** The messages of a command on stderr, without the JSON log. */
export function stderrText({ stderr }: Ran): string {
  return stderr
    .split('\n')
    .filter((line) => !line.startsWith('{'))
    .join('\n')
    .trim()
}
