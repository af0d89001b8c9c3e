import { FORMATS } from '@collab-etl/backups/content'

/** Flags of the job; each takes precedence over its key under `nightly:`. */
export const RUN_FLAGS = {
  out: { type: 'string', describe: 'DIR  directory that holds the backups [default: ./collab-backup]' },
  format: {
    type: 'string',
    values: FORMATS,
    describe: `LIST  one or more of ${FORMATS} [default: markdown,csv,jsonl]`,
  },
  verify: {
    type: 'string',
    values: ['full', 'fast', 'off'],
    describe: 'full|1/N|fast|off  how much of the backup is verified [default: full]',
  },
  'metrics-file': { type: 'string', describe: 'FILE  metrics for the Prometheus node exporter' },
  quiet: { type: 'boolean', default: false, describe: 'prints nothing if all goes well' },
} as const

/** The flags as they were given. */
export interface NightlyFlags {
  readonly out?: string | undefined
  readonly format?: string | undefined
  readonly verify?: string | undefined
  readonly 'metrics-file'?: string | undefined
  readonly quiet?: boolean
}
