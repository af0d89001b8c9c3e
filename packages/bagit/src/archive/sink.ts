import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { CheckedFile } from '../checked-file.ts'

/** The formats of archives. */
export const ARCHIVE_FORMATS = ['tar.gz', 'tar.zst', 'zip'] as const

export type ArchiveFormat = (typeof ARCHIVE_FORMATS)[number]

/** The additional extension of an encrypted archive. */
const ENCRYPTED_SUFFIX = '.age'

/** The end of an archive's file name: `.tar.gz`, `.zip.age`. */
export function archiveSuffix(format: ArchiveFormat, encrypted: boolean): string {
  return `.${format}${encrypted ? ENCRYPTED_SUFFIX : ''}`
}

/** Receives the entries of an archive, one after the other. */
export interface ArchiveSink {
  /** The archive's bytes, before compression if the format does not compress by itself. */
  readonly output: Readable
  folder(path: string): Promise<void>
  /** Resolves once there is room for another. */
  file(path: string, file: CheckedFile): Promise<void>
  /** Must be called once, after the last entry. */
  end(): void
}

/** Unpacked files are accessible to their owner only. */
const FILE_ENTRY_MODE = 0o600
const FOLDER_ENTRY_MODE = 0o700

/** A tar in POSIX form: long names and those beyond ASCII in pax headers, sizes beyond 8 GB in base 256. */
export async function tarSink(mtime: Date): Promise<ArchiveSink> {
  const { pack } = await import('tar-stream') // only for writing: verifying a backup need not load it
  const tar = pack()
  const owner = { uid: 0, gid: 0, mtime }
  const entry = (header: Parameters<typeof tar.entry>[0], content?: Buffer) =>
    new Promise<void>((resolve, reject) => {
      const done = (error?: Error | null) => (error ? reject(error) : resolve())
      if (content) tar.entry(header, content, done)
      else tar.entry(header, done)
    })
  return {
    output: Readable.from(tar, { objectMode: false, highWaterMark: 256 * 1024 }),
    async folder(name) {
      await entry({ ...owner, name, type: 'directory', mode: FOLDER_ENTRY_MODE })
    },
    async file(name, { bytes, content }) {
      const header = { ...owner, name, type: 'file' as const, mode: FILE_ENTRY_MODE, size: bytes }
      if (Buffer.isBuffer(content)) {
        await entry(header, content)
        return
      }
      const { promise, resolve, reject } = Promise.withResolvers<undefined>()
      const sink = tar.entry(header, (error) => (error ? reject(error) : resolve(undefined)))
      promise.catch(() => {}) // reported where it is awaited, below
      sink.on('error', () => {}) // the one that it was destroyed with, which is thrown below
      try {
        for await (const chunk of content) if (!sink.write(chunk)) await once(sink, 'drain')
        sink.end(null)
      } catch (error) {
        sink.destroy(error instanceof Error ? error : new Error(String(error)))
        throw error
      }
      await promise
    },
    end: () => tar.finalize(),
  }
}

/** As gzip by itself does. */
const DEFLATE_LEVEL = 6

/**
 * A zip with names in UTF-8, and its 64-bit forms where a file, the archive or its number of entries asks for them. A zip
 * ends with the list of its entries, so it keeps that list: some hundred bytes for each file.
 */
export async function zipSink(mtime: Date): Promise<ArchiveSink> {
  const { default: ZipStream } = await import('zip-stream')
  const zip = new ZipStream({ zlib: { level: DEFLATE_LEVEL } })
  // Zip files know no time before 1980.
  const date = new Date(Math.max(mtime.getTime(), Date.UTC(1980, 0, 1)))
  const entry = (content: Buffer | Readable, about: { name: string; type: 'file' | 'directory'; mode: number }) =>
    new Promise<void>((resolve, reject) => {
      zip.entry(content, { ...about, date }, (error) => (error ? reject(error) : resolve()))
    })
  return {
    output: zip,
    async folder(name) {
      await entry(Buffer.alloc(0), { name, type: 'directory', mode: FOLDER_ENTRY_MODE })
    },
    async file(name, { content }) {
      const about = { name, type: 'file', mode: FILE_ENTRY_MODE } as const
      if (Buffer.isBuffer(content)) await entry(content, about)
      else await addLarge(content, (stream) => entry(stream, about))
    },
    end: () => zip.finalize(),
  }
}

/** The library continues if its source fails, so the failure is kept here. */
async function addLarge(content: AsyncIterable<Buffer>, add: (stream: Readable) => Promise<void>): Promise<void> {
  const stream = Readable.from(content, { objectMode: false })
  const { promise: broken, reject } = Promise.withResolvers<never>()
  stream.once('error', reject)
  await Promise.race([add(stream), broken])
}
