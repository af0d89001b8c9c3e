import { cp } from 'node:fs/promises'
import { inject } from 'vitest'
// what the harness provides is declared there
import type {} from './warehouse-template.ts'

/** Makes an embedded warehouse, migrated and empty, in a directory that does not exist yet. */
export async function makeEmptyWarehouse(directory: string): Promise<void> {
  await cp(inject('warehouseTemplate'), directory, { recursive: true })
}
