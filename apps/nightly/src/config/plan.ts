import { resolve } from 'node:path'
import { CONTENT, type Content, type Format, heldContent } from '@collab-etl/backups/content'
import { FileValueError, type Settings, UsageError } from '@collab-etl/cli'
import type { NightlyFlags } from './flags.ts'
import { readNightly } from './read.ts'
import type { NightlyFile } from './schema.ts'

/** Settings of a job, with defaults. */
export interface JobPlan extends Omit<NightlyFile, 'out' | 'formats' | 'verify' | 'attempts' | 'pause'> {
  readonly out: string
  readonly formats: readonly Format[]
  readonly verify: string
  readonly attempts: number
  /** Before the next attempt, as `duration` reads it. */
  readonly pause: string
  /** Flags of `snapshot` besides the settings. */
  readonly snapshotArgs: readonly string[]
  /** On sample data: nothing is reported to other systems. */
  readonly isTrial: boolean
}

/** The value of `nightly:` in the config file; empty without it. */
function nightlyOf({ file }: Pick<Settings, 'file'>): NightlyFile {
  return (file['nightly'] ?? {}) as NightlyFile // checked by `readNightly` when the file was read
}

/** Merges flags, `nightly:` and defaults. @throws UsageError for a wrong flag, and for content that the formats cannot hold */
export function planOf(settings: Pick<Settings, 'file'>, flags: NightlyFlags): JobPlan {
  const { out, format, verify, 'metrics-file': metricsFile } = flags
  const ofFlags = {
    ...(out !== undefined && { out: resolve(out) }),
    ...(format !== undefined && { formats: format.split(',').map((word) => word.trim()) }),
    ...(verify !== undefined && { verify }),
    ...(metricsFile !== undefined && { metrics_file: resolve(metricsFile) }),
  }
  const given = { ...nightlyOf(settings), ...checked(ofFlags) }
  const formats: readonly Format[] = given.formats ?? ['markdown', 'csv', 'jsonl']
  checkContent(given.content ?? [], formats)
  return {
    ...given,
    out: given.out ?? resolve('collab-backup'),
    formats,
    verify: given.verify ?? 'full',
    attempts: given.attempts ?? 1,
    pause: given.pause ?? '10m',
    snapshotArgs: [
      ...(given.workers === undefined ? [] : ['--workers', String(given.workers)]),
      ...(given.accept ?? []).map((failure) => `--accept=${JSON.stringify(failure)}`),
    ],
    isTrial: false,
  }
}

/** The backup of each night would fail if no format could hold a kind. */
function checkContent(content: readonly Content[], formats: readonly string[]): void {
  const held = heldContent(formats)
  const lacking = content.filter((kind) => !held.has(kind))
  // All kinds mean all that the formats can hold.
  if (lacking.length === 0 || content.length === CONTENT.length) return
  throw new UsageError(
    `nightly.content: ${lacking.join(', ')} cannot be written as ${formats.join(', ')}; add csv to nightly.formats`,
  )
}

const FLAG_OF_KEY: Readonly<Record<string, string>> = { formats: 'format', metrics_file: 'metrics-file' }

function checked(value: unknown): NightlyFile {
  try {
    return readNightly(value, process.cwd())
  } catch (error) {
    if (!(error instanceof FileValueError)) throw error
    const key = String(error.path[0])
    throw new UsageError(`--${FLAG_OF_KEY[key] ?? key} ${error.message}`)
  }
}
