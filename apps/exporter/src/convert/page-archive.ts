import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { BagWriter, FILE_MODE, FOLDER_MODE, openChecked, PAYLOAD_FOLDER, payloadFiles } from '@collab-etl/bagit'
import { zipSink } from '@collab-etl/bagit/archive'
import { CALENDAR_LINK } from '@collab-etl/documents'
import type { BackupOptions } from '../backup/options.ts'
import { writeBackup } from '../backup/write-backup.ts'
import type { BackupRows } from '../source/backup-rows.ts'

/** The archive of a conversion. */
export const PAGES = 'pages.zip'

interface ArchiveOptions {
  /** Kinds of content, and the forms of links. */
  readonly options: Pick<BackupOptions, 'content' | 'links' | 'serviceHosts'>
  /** Directory for temporary files. */
  readonly temporary: string
  /** A folder to be made in it, and removed. */
  readonly folder: string
  readonly signal: AbortSignal
}

const MARKDOWN = `${PAYLOAD_FOLDER}/markdown/`

/** Writes the Markdown of a source, by the same code that writes it for a backup, as a zip: a folder for each project. */
export async function writePages(
  path: string,
  source: BackupRows,
  { options, temporary, folder, signal }: ArchiveOptions,
): Promise<number> {
  await mkdir(folder, { mode: FOLDER_MODE })
  const bag = await BagWriter.create(folder)
  try {
    const csv = { rawCells: false, bom: false, delimiter: ',' }
    const form = {
      formats: new Set(['markdown'] as const),
      linkStyle: 'relative',
      titleHeading: 'auto',
      naming: 'plain',
    } as const
    const context = { signal, temporaryPath: temporary, onRecord: () => {} }
    await writeBackup(source, bag, { ...options, ...form, csv, pids: null }, context)
    await bag.finish(() => [])
  } catch (error) {
    await bag.abandon()
    throw error
  }
  const readAt = Date.parse(source.origin.readAt)
  // Outline takes it for the time of the page.
  const zip = await zipSink(new Date(readAt || 0))
  const writing = pipeline(zip.output, createWriteStream(path, { flags: 'wx', mode: FILE_MODE }))
  writing.catch(() => {}) // reported where it is awaited, below
  let files = 0
  const folders = new Set<string>()
  for await (const file of payloadFiles(folder)) {
    signal.throwIfAborted()
    const name = file.path.slice(MARKDOWN.length)
    // Beside the folders is only the list of projects, which no collection holds.
    if (!file.path.startsWith(MARKDOWN) || !name.endsWith('.md') || !name.includes('/')) continue
    for (const each of foldersOf(name)) {
      if (folders.has(each)) continue
      folders.add(each)
      await zip.folder(each)
    }
    using checked = await openChecked(folder, file)
    const { content } = checked
    const head = /^[^/]+\/events\.md$/.test(name) ? withoutCalendar : withoutFrontMatter
    const text = Buffer.isBuffer(content) ? head(content) : withFirst(content, head)
    await Promise.race([zip.file(name, { ...checked, content: text }), writing])
    files += 1
  }
  zip.end()
  await writing
  await rm(folder, { recursive: true, force: true })
  return files
}

/** The folders that a file is in, from the top. */
function foldersOf(name: string): string[] {
  const parts = name.split('/').slice(0, -1)
  return parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}/`)
}

const CLOSING = '\n---\n'

/** The tools would show it as text. */
function withoutFrontMatter(text: Buffer): Buffer {
  const end = text.subarray(0, 4).equals(Buffer.from('---\n')) ? text.indexOf(CLOSING, 3) : -1
  return end === -1 ? text : text.subarray(end + CLOSING.length)
}

/** Removes the link to events.ics, which is left out because Outline would import it as a page. */
function withoutCalendar(text: Buffer): Buffer {
  const list = withoutFrontMatter(text)
  const at = list.indexOf(CALENDAR_LINK)
  return at === -1 ? list : Buffer.concat([list.subarray(0, at), list.subarray(at + CALENDAR_LINK.length)])
}

async function* withFirst(
  chunks: AsyncIterable<Buffer>,
  head: (chunk: Buffer) => Buffer,
): AsyncGenerator<Buffer, void, undefined> {
  let isFirst = true
  for await (const chunk of chunks) {
    yield isFirst ? head(chunk) : chunk
    isFirst = false
  }
}
