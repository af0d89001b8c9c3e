import type { ArchiveFormat, WrittenArchive } from '@collab-etl/bagit/archive'
import { formatBytes, formatNumber, type Output, plainText, shellQuoted } from '@collab-etl/cli'

/** What opens an archive: a key of age, or a passphrase; `null`: nothing is needed. */
export type OpensWith = 'key' | 'passphrase' | null

/** An archive, and how it was made. */
export interface ShownArchive extends WrittenArchive {
  readonly format: ArchiveFormat
  readonly opensWith: OpensWith
}

/** An archive in a `--json` document. */
export function archiveDocument(archive: ShownArchive): Readonly<Record<string, unknown>> {
  const { path, format, opensWith, bytes, sha256, files, fileBytes } = archive
  const about = { archive: path, format, encrypted: opensWith !== null, bytes, sha256, files, file_bytes: fileBytes }
  return { ...about, open: openCommand(archive) }
}

/** The same for a person: what it is, and how it is opened. */
export function showArchive(stdout: Output, archive: ShownArchive): void {
  const { path, bytes, fileBytes, files, opensWith } = archive
  const share = fileBytes === 0 ? '' : `, ${Math.round((100 * bytes) / fileBytes)} % of ${formatBytes(fileBytes)}`
  const kept = opensWith ? 'encrypted in the age format' : 'not encrypted'
  stdout.line(`  archive   ${plainText(path)}`)
  stdout.line(`            ${formatBytes(bytes)}${share}, ${formatNumber(files, 'file')}, ${kept}`)
  stdout.line(`  open      ${openCommand(archive)}`)
}

/** Unpacks it in the working directory, where the key is in `key.txt`. */
function openCommand({ path, format, opensWith }: ShownArchive): string {
  const file = shellQuoted(plainText(path))
  const unpack = { 'tar.gz': 'tar -xzf', 'tar.zst': 'tar --zstd -xf', zip: 'unzip' }[format]
  if (opensWith === null) return `${unpack} ${file}`
  const decrypt = opensWith === 'key' ? 'age -d -i key.txt' : 'age -d'
  const plain = shellQuoted(plainText(path).replace(/\.age$/, ''))
  return format === 'zip' ? `${decrypt} -o ${plain} ${file} && unzip ${plain}` : `${decrypt} ${file} | ${unpack} -`
}
