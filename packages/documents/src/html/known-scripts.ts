import { hash } from 'node:crypto'
import { readAsset, readStartScript, SHIPPED } from './assets.ts'
import { readReportScript } from './report-layout.ts'

/** SHA-256 of the scripts of sites that this program wrote. A release that changes a script keeps the digests of the one before. */
export interface KnownScripts {
  /** Of the inline scripts of pages, and of the report of a backup, in base64. */
  readonly inline: readonly string[]
  /** Of files, in hexadecimal. */
  readonly files: ReadonlySet<string>
}

export async function knownScripts(): Promise<KnownScripts> {
  const start = await readStartScript()
  const scripts = SHIPPED.filter((name) => name.endsWith('.js'))
  const files = await Promise.all(scripts.map(async (name) => hash('sha256', await readAsset(name))))
  return { inline: [start.hash, hash('sha256', await readReportScript('backup'), 'base64')], files: new Set(files) }
}
