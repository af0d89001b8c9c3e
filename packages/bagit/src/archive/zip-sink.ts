import { Readable } from 'node:stream'
import ZipStream from 'zip-stream'
import { type ArchiveSink, FILE_ENTRY_MODE, FOLDER_ENTRY_MODE } from './sink.ts'

/** As gzip by itself does. */
const DEFLATE_LEVEL = 6

/**
 * A zip with names in UTF-8, and its 64-bit forms where a file, the archive or its number of entries asks for them. A zip
 * ends with the list of its entries, so it keeps that list: some hundred bytes for each file.
 */
export function zipSink(mtime: Date): ArchiveSink {
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
