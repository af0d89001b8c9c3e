import type { VerifyMode } from '@collab-etl/backups/repository'
import type { Sample, VerifyReport } from '@collab-etl/bagit'
import { formatBytes, formatDuration, formatNumber, type Output, plainText } from '@collab-etl/cli'

interface VerifyFacts {
  readonly path: string
  readonly mode: VerifyMode
  readonly sample: Sample | null
  /** Whether the outcome was noted beside the backup. */
  readonly recorded: boolean
  readonly milliseconds: number
}

/** Says whether the files of a backup are intact, and otherwise which are damaged, one a line. */
export function reportVerify(stdout: Output, { damage, files, bytes }: VerifyReport, facts: VerifyFacts): void {
  const { path, mode, sample, recorded, milliseconds } = facts
  stdout.document({
    backup: path,
    status: damage.length === 0 ? 'whole' : 'damaged',
    mode,
    sample: sample && { part: sample.part + 1, of: sample.of },
    recorded,
    files,
    bytes,
    damage,
    duration_ms: Math.round(milliseconds),
  })
  for (const { kind, path: damaged, detail } of damage) {
    stdout.line(`${kind.padEnd(10)}  ${plainText(damaged)}${detail === null ? '' : `  (${plainText(detail)})`}`)
  }
  const read = `${formatNumber(files, 'file')}, ${formatBytes(bytes)}, in ${formatDuration(milliseconds)}`
  const how = howText(mode, sample)
  if (damage.length === 0) stdout.line(`${stdout.bold('Intact')}: ${plainText(path)} (${read}, ${how})`)
  else
    stdout.line(
      `${stdout.bold('Damaged')}: ${formatNumber(damage.length, 'path')} in ${plainText(path)} (${read}, ${how})`,
    )
}

function howText(mode: VerifyMode, sample: Sample | null): string {
  if (sample) return `every byte of part ${sample.part + 1} of ${sample.of}, the rest by numbers and sizes`
  return mode === 'fast' ? 'by numbers and sizes alone' : 'every byte'
}
