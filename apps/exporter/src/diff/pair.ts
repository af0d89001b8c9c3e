import { UsageError } from '@collab-etl/cli'
import { pairCsv } from './csv-records.ts'
import type { FormPair } from './form.ts'
import { pairJsonl } from './jsonl-records.ts'
import { pairMarkdown } from './markdown-records.ts'
import type { OpenedBackup } from './opened-backup.ts'

/**
 * The form by which two backups are compared: CSV or JSON lines, which are exact; else Markdown, if both write names and
 * links in the same way.
 */
export async function pairBackups(a: OpenedBackup, b: OpenedBackup): Promise<FormPair> {
  const both = (format: string) => [a, b].every(({ certificate }) => certificate.formats.includes(format))
  if (both('csv')) return pairCsv(a, b)
  if (both('jsonl')) return pairJsonl(a, b)
  if (both('markdown')) {
    const links = ({ certificate }: OpenedBackup) =>
      JSON.stringify([certificate.names ?? null, certificate.links ?? null])
    if (links(a) === links(b)) return pairMarkdown(a, b)
    throw new UsageError(
      `${a.path} and ${b.path} were written with different --links or --names, so that their texts differ in any case`,
    )
  }
  throw new UsageError(
    `${a.path} (${formats(a)}) and ${b.path} (${formats(b)}) have no form in common that can be compared: csv, jsonl, or markdown`,
  )
}

function formats({ certificate }: OpenedBackup): string {
  return certificate.formats.join(',')
}
