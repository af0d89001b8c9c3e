import { bagInfoValue, readBagInfo } from '@collab-etl/bagit'

/** Labels in bag-info.txt that this program reads. */
export const BAG_LABELS = {
  /** The previous backup, from which files are linked. */
  previous: 'Collab-Shares-With',
  /** New data of this backup: bytes and files, as in Payload-Oxum. */
  newData: 'Collab-New-Oxum',
  baseUrl: 'Collab-Base-Url',
  /** When the backup was begun. */
  begunAt: 'Collab-Begun',
  /** When the oldest data was read. */
  readAt: 'Collab-Read-At',
  /** The time of `--as-of`. */
  asOf: 'Collab-As-Of',
} as const

/** The address of a backup's service according to its bag-info.txt; `null` if unknown. */
export async function serviceOf(bag: string): Promise<string | null> {
  const info = await readBagInfo(bag).catch(() => '')
  return bagInfoValue(info, BAG_LABELS.baseUrl) ?? null
}

/** Whether two backups may be of the same service: the addresses are equal, or one of them is unknown. */
export function mayBeOfOneService(a: string | null, b: string | null): boolean {
  return a === null || b === null || a === b
}
