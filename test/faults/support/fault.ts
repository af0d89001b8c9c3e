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

/** Defines a fault. After it, no output or file of the commands may contain a secret. */
export function fault(row: FaultRow, befall: (fixture: Fixture) => Promise<Ending>): void {
  test(row.name, async ({ task }) => {
    task.meta.fault = row
    await using fixture = await Fixture.create()
    const ending = await befall(fixture)
    await fixture.expectNoSecrets()
    task.meta.fault = { ...row, ended: ending.text }
  })
}
