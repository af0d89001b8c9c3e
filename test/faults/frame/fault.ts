import { test } from 'vitest'
import { type Ending, Ground } from './ground.ts'
import type { Room } from './rooms.ts'

/** What the table tells about a fault. */
export interface FaultRow {
  readonly room: Room
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
export function fault(row: FaultRow, befall: (ground: Ground) => Promise<Ending>): void {
  test(row.name, async ({ task }) => {
    task.meta.fault = row
    await using ground = await Ground.create()
    const ending = await befall(ground)
    await ground.expectNoSecrets()
    task.meta.fault = { ...row, ended: ending.text }
  })
}
