import { formatBytes, formatDuration, formatNumber, type Output, plainText } from '@collab-etl/cli'
import type { VerifyReport } from '../bag/verify.ts'

/** Says whether a backup is whole, and otherwise which of its files are damaged, one a line. */
export function reportVerify(
  stdout: Output,
  { damage, files, bytes }: VerifyReport,
  { path, fast, milliseconds }: { path: string; fast: boolean; milliseconds: number },
): void {
  stdout.document({
    ...{ backup: path, status: damage.length === 0 ? 'whole' : 'damaged', mode: fast ? 'fast' : 'full' },
    ...{ files, bytes, damage, duration_ms: Math.round(milliseconds) },
  })
  for (const { kind, path: damaged, detail } of damage) {
    stdout.line(`${kind.padEnd(10)}  ${plainText(damaged)}${detail === null ? '' : `  (${plainText(detail)})`}`)
  }
  const read = `${formatNumber(files, 'file')}, ${formatBytes(bytes)}, in ${formatDuration(milliseconds)}`
  const how = fast ? 'by numbers and sizes alone' : 'every byte'
  if (damage.length === 0) stdout.line(`${stdout.bold('Whole')}: ${plainText(path)} (${read}, ${how})`)
  else
    stdout.line(
      `${stdout.bold('Damaged')}: ${formatNumber(damage.length, 'path')} in ${plainText(path)} (${read}, ${how})`,
    )
}
