import { rm } from 'node:fs/promises'
import type { TestProject } from 'vitest/node'
import { run, scratchDirectory } from './commands.ts'
import { oncePerRun } from './once-per-run.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Directory of an embedded warehouse with its schema and nothing in it; making one takes seconds, a copy does not. */
    warehouseTemplate: string
  }
}

const template = oncePerRun('warehouse template', makeWarehouse, (path) => rm(path, { recursive: true, force: true }))

/** Vitest global set-up: makes the warehouse that tests start from, once for the whole run. */
export async function setup(project: TestProject): Promise<void> {
  project.provide('warehouseTemplate', await template.take())
}

/** The last one out takes it away. */
export async function teardown(): Promise<void> {
  await template.leave()
}

async function makeWarehouse(): Promise<string> {
  const { path } = await scratchDirectory()
  const { code, stderr } = await run('collab-extract', ['init', '--data-dir', path])
  if (code !== 0) throw new Error(`no warehouse could be made: ${stderr}`)
  return path
}
