import { test } from 'vitest'
import { type Ending, Fixture } from './fixture.ts'

/**
 * Defines a fault. After it, no output or file of the commands may contain a secret.
 * @param title the fault in one line of `test/faults/README.md`: a literal, because `faults-page.test.ts` reads it from the source
 * @param lack what this machine lacks for it; then it is skipped
 */
export function fault(title: string, befall: (fixture: Fixture) => Promise<Ending>, lack: string | null = null): void {
  if (lack !== null) process.stderr.write(`left out: ${title}: ${lack}\n`)
  test.skipIf(lack !== null)(title, async () => {
    await using fixture = await Fixture.create()
    await befall(fixture)
    await fixture.expectNoSecrets()
  })
}
