import type { ArchiveFormat, WrittenArchive } from '@collab-etl/bagit/archive'
import { formatBytes, formatNumber, type Output, plainText, shellQuoted } from '@collab-etl/cli'

/** An archive, and how it was made. */
export interface ShownArchive extends WrittenArchive {
  readonly format: ArchiveFormat
  readonly encrypted: boolean
}

/** An archive in a `--json` document. */
export function archiveDocument(archive: ShownArchive): Readonly<Record<string, unknown>> {
  const { path, format, encrypted, bytes, sha256, files, fileBytes } = archive
  return { archive: path, format, encrypted, bytes, sha256, files, file_bytes: fileBytes }
}

/** The same for a person: what it is, and how it is opened. */
export function showArchive(stdout: Output, archive: ShownArchive): void {
  const { path, bytes, fileBytes, files, encrypted } = archive
  const share = fileBytes === 0 ? '' : `, ${Math.round((100 * bytes) / fileBytes)} % of ${formatBytes(fileBytes)}`
  const kept = encrypted ? 'encrypted in the age format' : 'not encrypted'
  stdout.line(`  archive   ${plainText(path)}`)
  stdout.line(`            ${formatBytes(bytes)}${share}, ${formatNumber(files, 'file')}, ${kept}`)
  stdout.line(`  open      ${openCommand(archive)}`)
}

function openCommand({ path, format, encrypted }: ShownArchive): string {
  const file = shellQuoted(plainText(path))
  const unpack = { 'tar.gz': 'tar -xzf', 'tar.zst': 'tar --zstd -xf', zip: 'unzip' }[format]
  if (!encrypted) return `${unpack} ${file}`
  const plain = shellQuoted(plainText(path).replace(/\.age$/, ''))
  return format === 'zip' ? `age -d -o ${plain} ${file} && unzip ${plain}` : `age -d ${file} | ${unpack} -`
}
