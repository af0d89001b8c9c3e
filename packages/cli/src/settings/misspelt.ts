import { nearest } from '../suggest.ts'
import { plainText } from '../text.ts'
import { SETTINGS } from './table.ts'
import { TOKEN_ENV } from './token.ts'

/** Variables that are no settings: of single commands, and those that hooks of the nightly job get. */
const OTHERS = [
  ...['COLLAB_CLIENT_ID', 'COLLAB_SANDBOX_TOKEN'],
  ...['COLLAB_EXIT_CODE', 'COLLAB_BACKUP', 'COLLAB_ARCHIVE', 'COLLAB_SUMMARY'],
]

/** Every variable that a program reads or sets. */
const KNOWN: readonly string[] = [...Object.values(SETTINGS).map(({ env }) => env), TOKEN_ENV, ...OTHERS]

const OURS = /^COLLAB_/i

/** Of our own tests. */
const OF_TESTS = /^COLLAB_TEST_/

/**
 * A warning for each variable whose name begins with COLLAB_ and resembles that of a setting: it has no effect, and the setting that was meant is
 * not set. Others may belong to other programs, such as those that Kubernetes sets for a service of that name.
 */
export function misspeltWarnings(env: Readonly<Record<string, string | undefined>>): string[] {
  const byRest = new Map(KNOWN.map((name) => [name.replace(OURS, ''), name]))
  return Object.keys(env).flatMap((name) => {
    if (!OURS.test(name) || OF_TESTS.test(name) || KNOWN.includes(name)) return []
    const similar = byRest.get(nearest(name.replace(OURS, ''), [...byRest.keys()]) ?? '')
    return similar === undefined
      ? []
      : [`the environment variable ${plainText(name)} is unknown and has no effect; did you mean ${similar}?`]
  })
}
