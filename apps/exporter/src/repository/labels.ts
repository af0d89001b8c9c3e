/** Labels of ours in bag-info.txt that are read again. */
export const BAG_LABELS = {
  /** The backup with which files are shared. */
  previous: 'Collab-Shares-With',
  /** Bytes and files, as in Payload-Oxum, that were written for this backup alone. */
  newData: 'Collab-New-Oxum',
  baseUrl: 'Collab-Base-Url',
  /** When the oldest data was read. */
  readAt: 'Collab-Read-At',
  /** The state at an earlier time, by `--as-of`. */
  asOf: 'Collab-As-Of',
} as const
