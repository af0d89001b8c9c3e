import { test } from 'vitest'
import type { Category } from './categories.ts'
import { type Ending, Fixture } from './fixture.ts'

/** What the table tells about a fault. */
export interface FaultRow {
  readonly category: Category
  /** Short, unique. */
  readonly name: string
  /** What is done, in one clause. */
  readonly does: string
  /** What must be seen, in one clause. */
  readonly holds: string
}

declare module 'vitest' {
  interface TaskMeta {
    fault?: FaultRow & { readonly ended?: string }
  }
}

/** Lets a fault befall our commands. Whatever it is: afterwards no secret may stand in anything that they said or wrote. */
export function fault(row: FaultRow, befall: (fixture: Fixture) => Promise<Ending>): void {
  test(row.name, async ({ task }) => {
    task.meta.fault = row
    await using fixture = await Fixture.create()
    const ending = await befall(fixture)
    await fixture.expectNoSecrets()
    task.meta.fault = { ...row, ended: ending.text }
  })
}
