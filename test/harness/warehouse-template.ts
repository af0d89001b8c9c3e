import { rm } from 'node:fs/promises'
import type { TestProject } from 'vitest/node'
import { run, scratchDirectory } from './commands.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Directory of an embedded warehouse with its schema and nothing in it; making one takes seconds, a copy does not. */
    warehouseTemplate: string
  }
}

// Shared by the projects of one Vitest process, as the Postgres lane is.
const shared = globalThis as typeof globalThis & { collabWarehouseTemplate?: { made: Promise<string>; users: number } }

/** Vitest global set-up: makes the warehouse that tests start from, once for the whole run. */
export async function setup(project: TestProject): Promise<void> {
  shared.collabWarehouseTemplate ??= { made: makeWarehouse(), users: 0 }
  shared.collabWarehouseTemplate.users += 1
  project.provide('warehouseTemplate', await shared.collabWarehouseTemplate.made)
}

/** The last one out takes it away. */
export async function teardown(): Promise<void> {
  const template = shared.collabWarehouseTemplate
  if (!template) return
  template.users -= 1
  if (template.users > 0) return
  delete shared.collabWarehouseTemplate
  await rm(await template.made, { recursive: true, force: true })
}

async function makeWarehouse(): Promise<string> {
  const { path } = await scratchDirectory()
  const { code, stderr } = await run('collab-extract', ['init', '--data-dir', path])
  if (code !== 0) throw new Error(`no warehouse could be made: ${stderr}`)
  return path
}
