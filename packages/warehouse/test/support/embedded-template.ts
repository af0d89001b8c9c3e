import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { openEmbedded } from '../../src/driver/embedded.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A data directory with an empty embedded database, to be copied: making one takes seconds, copying it a fraction. */
    embeddedTemplate: string
  }
}

let template: string | undefined

export async function setup(project: TestProject): Promise<void> {
  template = await mkdtemp(join(tmpdir(), 'warehouse-template-'))
  const driver = await openEmbedded(template)
  await driver.close()
  project.provide('embeddedTemplate', template)
}

export async function teardown(): Promise<void> {
  if (template !== undefined) await rm(template, { recursive: true, force: true })
}
