import { test } from 'vitest'
import type { Category } from './categories.ts'
import { type Ending, Fixture } from './fixture.ts'

/** The description of a fault in the table. */
export interface FaultRow {
  readonly category: Category
  /** Short, unique. */
  readonly name: string
  /** The fault, in one clause. */
  readonly does: string
  /** The expected result, in one clause. */
  readonly holds: string
}

declare module 'vitest' {
  interface TaskMeta {
    fault?: FaultRow & { readonly ended?: string }
  }
}

/**
 * Defines a fault. After it, no output or file of the commands may contain a secret.
 * @param lack what this machine lacks for it; then it is skipped
 */
export function fault(row: FaultRow, befall: (fixture: Fixture) => Promise<Ending>, lack: string | null = null): void {
  if (lack !== null) process.stderr.write(`left out: ${row.name}: ${lack}\n`)
  test.skipIf(lack !== null)(row.name, async ({ task }) => {
    task.meta.fault = row
    await using fixture = await Fixture.create()
    const ending = await befall(fixture)
    await fixture.expectNoSecrets()
    task.meta.fault = { ...row, ended: ending.text }
  })
}
