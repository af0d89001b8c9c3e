import { once } from 'node:events'
import { Readable } from 'node:stream'
import { pack } from 'tar-stream'
import { type ArchiveSink, FILE_ENTRY_MODE, FOLDER_ENTRY_MODE } from './sink.ts'

/** A tar in POSIX form: long names and those beyond ASCII in pax headers, sizes beyond 8 GB in base 256. */
export function tarSink(mtime: Date): ArchiveSink {
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
