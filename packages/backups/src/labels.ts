/** Labels in bag-info.txt that this program reads. */
export const BAG_LABELS = {
  /** The previous backup, from which files are linked. */
  previous: 'Collab-Shares-With',
  /** New data of this backup: bytes and files, as in Payload-Oxum. */
  newData: 'Collab-New-Oxum',
  baseUrl: 'Collab-Base-Url',
  /** When the oldest data was read. */
  readAt: 'Collab-Read-At',
  /** The time of `--as-of`. */
  asOf: 'Collab-As-Of',
} as const
