import { join } from 'node:path'
import { PAYLOAD_FOLDER } from '../bag/format.ts'
import { linesOf } from '../lines.ts'

/** What a backup says about what it holds. */
export interface CertificateFacts {
  readonly formats: readonly string[]
  /** Whether all that it is made from was read to its end. */
  readonly data: 'whole' | 'partial'
}

const NOT_WHOLE: readonly unknown[] = ['failed', 'drifted', 'refused']

/**
 * Reads data/backup.json, entry by entry, as far as its scopes: losses may be many. `null` where it does not have its form.
 */
export async function readCertificateFacts(bag: string): Promise<CertificateFacts | null> {
  let formats: string[] | null = null
  let inScopes = false
  let data: CertificateFacts['data'] = 'whole'
  try {
    for await (const line of linesOf(join(bag, PAYLOAD_FOLDER, 'backup.json'))) {
      if (inScopes) {
        const scope = line.startsWith('{') ? fieldsOf(line) : null
        if (scope === null) return formats && { formats, data }
        if (NOT_WHOLE.includes(scope['status'])) data = 'partial'
      } else if (line.startsWith('"formats": ')) {
        const found: unknown = fieldsOf(`{${trimmed(line)}}`)?.['formats']
        formats = Array.isArray(found) ? found.map(String) : null
      } else if (line.startsWith('"scopes": [')) {
        if (line.includes(']')) return formats && { formats, data }
        inScopes = true
      }
    }
  } catch {
    // Not there, or not of the form of ours: no more is known of it than that.
  }
  return null
}

function fieldsOf(line: string): Readonly<Record<string, unknown>> | null {
  const value: unknown = JSON.parse(trimmed(line))
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null // just checked
}

function trimmed(line: string): string {
  return line.trimEnd().replace(/,$/, '')
}
