import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BAG_FILES, bagInfoValue } from '@collab-etl/bagit'
import { BAG_LABELS } from './labels.ts'

/** The address of a backup's service according to its bag-info.txt; `null` if unknown. */
export async function serviceOf(bag: string): Promise<string | null> {
  const info = await readFile(join(bag, BAG_FILES.info), 'utf8').catch(() => null)
  return (info && bagInfoValue(info, BAG_LABELS.baseUrl)) ?? null
}

/** Whether two backups may be of the same service: the addresses are equal, or one of them is unknown. */
export function mayBeOfOneService(a: string | null, b: string | null): boolean {
  return a === null || b === null || a === b
}
