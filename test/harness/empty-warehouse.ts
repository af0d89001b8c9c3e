import { inject } from 'vitest'
import { copyDirectory } from './copy-directory.ts'
// what the harness provides is declared there
import type {} from './warehouse-template.ts'

/** Makes an embedded warehouse, migrated and empty, in a directory that does not exist yet. */
export async function makeEmptyWarehouse(directory: string): Promise<void> {
  await copyDirectory(inject('warehouseTemplate'), directory)
}
