import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { UsageError } from '@collab-etl/cli'
import type { Decrypter } from 'age-encryption'
import { extract } from 'tar-stream'
import { openPromise } from 'yauzl'

/** A plain file in an archive. */
export interface ArchivedFile {
  /** As the archive has it, beginning with the backup's folder. */
  readonly path: string
  readonly content: AsyncIterable<Uint8Array>
}

const SIGNS = {
  age: Buffer.from('age-encryption.org/'),
  gzip: Buffer.from([0x1f, 0x8b]),
  zstd: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
  zip: Buffer.from('PK'),
} as const

type Sign = keyof typeof SIGNS

const LONGEST_SIGN = Math.max(...Object.values(SIGNS).map((sign) => sign.length))

/** What a file is, by its first bytes, whatever its name; `null` for what is no archive of ours. */
export async function archiveKind(path: string): Promise<Sign | null> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(LONGEST_SIGN), 0, LONGEST_SIGN, 0)
    return kindOf(buffer.subarray(0, bytesRead))
  } finally {
    await handle.close()
  }
}

/**
 * The files of an archive, each to be read before the next. Nothing is unpacked.
 * @throws UsageError where it is encrypted and not for this key, or a zip within, which is read from its end
 */
export async function* archivedFiles(path: string, decrypter: Decrypter | null): AsyncGenerator<ArchivedFile> {
  const kind = await archiveKind(path)
  if (kind === 'zip') yield* zippedFiles(path)
  else if (kind === 'age') yield* encryptedFiles(path, decrypter)
  else yield* tarFiles(createReadStream(path), kind)
}

async function* encryptedFiles(path: string, decrypter: Decrypter | null): AsyncGenerator<ArchivedFile> {
  if (decrypter === null) throw new UsageError(`${path} is encrypted: give --identity FILE or --passphrase-file FILE`)
  const source = createReadStream(path)
  try {
    const plain = await opened(path, decrypter, source)
    const chunks = plain[Symbol.asyncIterator]()
    const first = await chunks.next()
    const kind = first.done ? null : kindOf(Buffer.from(first.value))
    if (kind === 'zip') {
      const advice = `age -d -o FILE.zip ${path}, then verify FILE.zip`
      throw new UsageError(`${path} holds a zip, which is read from its end: decrypt it first: ${advice}`)
    }
    async function* whole() {
      if (!first.done) yield first.value
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
    }
    yield* tarFiles(Readable.from(whole()), kind)
  } finally {
    source.destroy()
  }
}

async function opened(path: string, decrypter: Decrypter, source: Readable): Promise<AsyncIterable<Uint8Array>> {
  try {
    return await decrypter.decrypt(ReadableStream.from<Uint8Array>(source))
  } catch (cause) {
    throw new UsageError(`${path} is not encrypted for this key, or is damaged at its very beginning`, { cause })
  }
}

async function* tarFiles(source: Readable, kind: Sign | null): AsyncGenerator<ArchivedFile> {
  if (kind !== 'gzip' && kind !== 'zstd') throw new UsageError('this is no archive of collab-export')
  const tar = extract()
  const reading = pipeline(source, kind === 'gzip' ? createGunzip() : createZstdDecompress(), async (chunks) => {
    for await (const chunk of chunks) {
      if (!tar.write(chunk)) await roomIn(tar)
    }
    tar.end(null)
  })
  reading.catch((error) => tar.destroy(error))
  try {
    for await (const entry of tar) {
      if (entry.header.type === 'file') yield { path: entry.header.name, content: chunksOf(entry) }
      entry.resume()
    }
    await reading
  } finally {
    source.destroy()
  }
}

/** Resolves once more can be written, or nothing any more. */
async function roomIn(tar: ReturnType<typeof extract>): Promise<void> {
  await new Promise<void>((resolve) => {
    const go = () => {
      tar.off('drain', go)
      tar.off('close', go)
      resolve()
    }
    tar.on('drain', go)
    tar.on('close', go)
  })
}

async function* chunksOf(entry: AsyncIterable<unknown>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of entry) yield chunk as Uint8Array // the library's types do not say it
}

async function* zippedFiles(path: string): AsyncGenerator<ArchivedFile> {
  const zip = await openPromise(path, { validateEntrySizes: true })
  for await (const entry of zip.eachEntry()) {
    if (!entry.fileName.endsWith('/')) yield { path: entry.fileName, content: await zip.openReadStreamPromise(entry) }
  }
}

function kindOf(beginning: Buffer): Sign | null {
  const kinds = Object.keys(SIGNS) as Sign[] // its own keys
  return kinds.find((kind) => beginning.subarray(0, SIGNS[kind].length).equals(SIGNS[kind])) ?? null
}
