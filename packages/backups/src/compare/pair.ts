import { UsageError } from '@collab-etl/cli'
import type { OpenedBackup } from '../opened-backup.ts'
import { pairCsv } from './csv-records.ts'
import type { FormPair } from './form.ts'
import { pairJsonl } from './jsonl-records.ts'
import { pairMarkdown } from './markdown-records.ts'

/**
 * The format in which two backups are compared: CSV or JSON lines, which are exact; otherwise Markdown, if both use the same names
 * and links.
 */
export async function pairBackups(a: OpenedBackup, b: OpenedBackup): Promise<FormPair> {
  const both = (format: string) => [a, b].every(({ manifest }) => manifest.formats.includes(format))
  if (both('csv')) return pairCsv(a, b)
  if (both('jsonl')) return pairJsonl(a, b)
  if (both('markdown')) {
    const links = ({ manifest }: OpenedBackup) => JSON.stringify([manifest.names ?? null, manifest.links ?? null])
    if (links(a) === links(b)) return pairMarkdown(a, b)
    throw new UsageError(
      `${a.path} and ${b.path} were written with different --links or --names, so all their texts differ`,
    )
  }
  throw new UsageError(
    `${a.path} (${formats(a)}) and ${b.path} (${formats(b)}) have no common format that can be compared: csv, jsonl or markdown`,
  )
}

function formats({ manifest }: OpenedBackup): string {
  return manifest.formats.join(',')
}
