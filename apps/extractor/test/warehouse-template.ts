import { rm } from 'node:fs/promises'
import type { TestProject } from 'vitest/node'
import { run, scratchDirectory } from '../../../test/harness/commands.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Directory of an embedded warehouse with its schema and nothing in it; making one takes seconds, a copy does not. */
    warehouseTemplate: string
  }
}

let made: string | undefined

/** Vitest global set-up: makes the warehouse that tests start from. */
export async function setup(project: TestProject): Promise<void> {
  const { path } = await scratchDirectory()
  made = path
  const { code, stderr } = await run('collab-extract', ['init', '--data-dir', `${path}/data`])
  if (code !== 0) throw new Error(`no warehouse could be made: ${stderr}`)
  project.provide('warehouseTemplate', `${path}/data`)
}

export async function teardown(): Promise<void> {
  if (made !== undefined) await rm(made, { recursive: true, force: true })
}
