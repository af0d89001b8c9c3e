import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { lstat, rename } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip, createZstdCompress, type ZstdCompress } from 'node:zlib'
import { ifExists, keepOwner } from '@collab-etl/lock'
import type { Encrypter } from 'age-encryption'
import { openChecked } from '../checked-file.ts'
import { BagError } from '../errors.ts'
import { flushFolder } from '../flush.ts'
import { BAG_FILES } from '../format.ts'
import { FILE_MODE } from '../hashed-file.ts'
import { type BagFile, payloadCount, payloadFiles, refuseExtraFiles, tagManifestFile } from '../manifest.ts'
import { tagFiles } from '../read-bag.ts'
import {
  type OnLeft,
  openTemporaryDirectory,
  removeStaleDirectories,
  type TemporaryDirectory,
} from '../temporary-directory.ts'
import { type ArchiveFormat, type ArchiveSink, tarSink, zipSink } from './sink.ts'

export interface ArchiveRequest {
  /** The backup's folder; its name becomes the one folder in the archive. */
  readonly bag: string
  readonly format: ArchiveFormat
  /** `null`: not encrypted. */
  readonly encrypter: Encrypter | null
  /** Time of every entry. */
  readonly mtime: Date
  readonly signal: AbortSignal
  /** Called after each file; `total` is `null` if the bag does not state it. */
  readonly onFile: (done: number, total: number | null) => void
}

export interface WrittenArchive {
  /** Absolute. */
  readonly path: string
  readonly bytes: number
  /** Of the archive itself. */
  readonly sha256: string
  /** In the archive: all files of the bag, and their bytes. */
  readonly files: number
  readonly fileBytes: number
}

/** The place of an archive that is about to be written. Disposing of it removes what was not finished. */
export interface ArchiveTarget extends AsyncDisposable {
  write(request: ArchiveRequest): Promise<WrittenArchive>
}

/**
 * Prepares to write an archive: opens a temporary directory beside `out`, and removes those of runs that have ended.
 * @param out path of the archive; it must not exist
 * @throws BagError `EXISTS`
 */
export async function openArchiveTarget(out: string, signal: AbortSignal, onLeft?: OnLeft): Promise<ArchiveTarget> {
  const path = resolve(out)
  const directory = dirname(path)
  if (await ifExists(lstat(path))) throw new BagError('EXISTS', `${path} exists`)
  await removeStaleDirectories(directory, { signal, ...(onLeft && { onLeft }) })
  const temporary = await openTemporaryDirectory(directory, onLeft)
  return {
    write: async (request) => ({ path, ...(await write(request, temporary, path)) }),
    [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
  }
}

/**
 * Writes a bag into one file and compares every byte with the manifest. The file gets its name when it is complete and flushed
 * to the disk. The same bag gives the same bytes, unless it is encrypted.
 * @throws DamagedBagError before the file has its name
 */
async function write(
  request: ArchiveRequest,
  temporary: TemporaryDirectory,
  out: string,
): Promise<Omit<WrittenArchive, 'path'>> {
  const fresh = join(temporary.path, 'archive')
  const sink = await (request.format === 'zip' ? zipSink : tarSink)(request.mtime)
  const tally = new Tally()
  const writing = pipeline(
    [
      sink.output,
      ...compression(request.format),
      ...encryption(request.encrypter),
      Duplex.from((chunks: AsyncIterable<Buffer>) => tally.of(chunks)),
      createWriteStream(fresh, { flags: 'wx', mode: FILE_MODE, flush: true }),
    ],
    { signal: request.signal },
  )
  const [filled] = await Promise.all([fillAndEnd(request, sink, writing), writing])
  temporary.check()
  keepOwner(fresh)
  await rename(fresh, out)
  await flushFolder(dirname(out))
  return { ...tally.result(), ...filled }
}

/** If filling or writing fails, the other is stopped. */
async function fillAndEnd(request: ArchiveRequest, sink: ArchiveSink, writing: Promise<unknown>): Promise<Filled> {
  const { promise: broken, reject } = Promise.withResolvers<never>()
  writing.catch(reject)
  try {
    const filled = await Promise.race([fill(request, sink), broken])
    sink.end()
    return filled
  } catch (error) {
    sink.output.destroy(error instanceof Error ? error : new Error(String(error)))
    await writing.catch(() => {}) // ends with the same failure, once its file is closed
    throw error
  }
}

interface Filled {
  readonly files: number
  readonly fileBytes: number
}

/** Adds the tag files first, so that a reader of the archive can check the others as they come. */
async function fill(request: ArchiveRequest, sink: ArchiveSink): Promise<Filled> {
  const { bag, signal, onFile } = request
  const filled = { files: 0, fileBytes: 0 }
  const folders = new Folders(sink, basename(bag))
  const tags = await tagFiles(bag)
  const payload = await payloadCount(bag)
  const total = payload === null ? null : payload + tags.length + 1
  const add = async (file: BagFile) => {
    signal.throwIfAborted()
    using opened = await openChecked(bag, file)
    await sink.file(await folders.place(file.path), opened)
    filled.files += 1
    filled.fileBytes += opened.bytes
    onFile(filled.files, total)
  }
  const inFront: string[] = [BAG_FILES.declaration, BAG_FILES.info]
  const rank = ({ path }: BagFile) => (inFront.includes(path) ? 0 : 1)
  const own = [...tags, await tagManifestFile(bag)]
  for (const file of own.sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1))) await add(file)
  for await (const file of payloadFiles(bag)) await add(file)
  await refuseExtraFiles(bag, own, filled.files)
  return filled
}

/** Adds an entry for every directory before its first file, so that it gets its mode and time when it is unpacked. */
class Folders {
  readonly #sink: ArchiveSink
  readonly #root: string
  readonly #made = new Set<string>()

  constructor(sink: ArchiveSink, root: string) {
    this.#sink = sink
    this.#root = root
  }

  /** The path in the archive of a path in the bag. */
  async place(path: string): Promise<string> {
    const place = `${this.#root}/${path}`
    for (let end = place.indexOf('/'); end !== -1; end = place.indexOf('/', end + 1)) {
      const folder = place.slice(0, end + 1)
      if (this.#made.has(folder)) continue
      this.#made.add(folder)
      await this.#sink.folder(folder)
    }
    return place
  }
}

function compression(format: ArchiveFormat): NodeJS.ReadWriteStream[] {
  if (format === 'tar.gz') return [createGzip()]
  return format === 'tar.zst' ? [Duplex.from((chunks: AsyncIterable<Buffer>) => zstdCompressed(chunks))] : []
}

function encryption(encrypter: Encrypter | null): Duplex[] {
  if (encrypter === null) return []
  async function* encrypted(encrypter: Encrypter, chunks: AsyncIterable<Buffer>) {
    yield* await encrypter.encrypt(ReadableStream.from<Uint8Array>(chunks))
  }
  return [Duplex.from((chunks: AsyncIterable<Buffer>) => encrypted(encrypter, chunks))]
}

/** Counts and hashes the bytes of the archive. */
class Tally {
  readonly #hash = createHash('sha256')
  #bytes = 0

  async *of(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of chunks) {
      this.#hash.update(chunk)
      this.#bytes += chunk.length
      yield chunk
    }
  }

  result(): { bytes: number; sha256: string } {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') }
  }
}

/**
 * Compresses into one frame. Node appends an empty second frame if its stream is ended while the last chunk is still being
 * compressed: it is ended after that.
 */
async function* zstdCompressed(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  const compressor = createZstdCompress()
  const feeding = feed(compressor, chunks)
  feeding.catch((error) => compressor.destroy(error))
  yield* compressor
  await feeding
}

async function feed(compressor: ZstdCompress, chunks: AsyncIterable<Buffer>): Promise<void> {
  for await (const chunk of chunks) {
    await new Promise<void>((resolve, reject) => {
      compressor.write(chunk, (error) => (error ? reject(error) : resolve()))
    })
  }
  compressor.end()
}
