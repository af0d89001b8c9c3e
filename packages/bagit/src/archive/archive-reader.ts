import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { Decrypter } from 'age-encryption'
import { BagError } from '../errors.ts'
import { gunzipped, zstdDecompressed } from './decompress.ts'
import type { ArchiveMember } from './member.ts'
import { tarMembers } from './read-tar.ts'
import { zipMembers } from './read-zip.ts'

const SIGNS = {
  age: Buffer.from('age-encryption.org/'),
  gzip: Buffer.from([0x1f, 0x8b]),
  zstd: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
  zip: Buffer.from('PK'),
} as const

type Sign = keyof typeof SIGNS

const LONGEST_SIGN = Math.max(...Object.values(SIGNS).map((sign) => sign.length))

/** The kind of a file by its first bytes, not by its name; `null` if it is no archive of ours. */
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
 * Reads the members of an archive, each before the next, without unpacking them. This is the only reader of archives.
 * @throws BrokenArchive if programs could unpack anything other than what is read here
 * @throws BagError where it is encrypted and not for this key, or a zip within, which is read from its end
 */
export async function* archiveMembers(path: string, decrypter: Decrypter | null): AsyncGenerator<ArchiveMember> {
  const kind = await archiveKind(path)
  if (kind === 'zip') yield* zipMembers(path)
  else if (kind === 'age') yield* encryptedMembers(path, decrypter)
  else yield* tarIn(createReadStream(path), kind)
}

async function* encryptedMembers(path: string, decrypter: Decrypter | null): AsyncGenerator<ArchiveMember> {
  if (decrypter === null) throw new BagError('KEY_NEEDED', `${path} is encrypted`)
  const source = createReadStream(path)
  try {
    const plain = await opened(path, decrypter, source)
    const chunks = plain[Symbol.asyncIterator]()
    const first = await chunks.next()
    const kind = first.done ? null : kindOf(Buffer.from(first.value))
    if (kind === 'zip') {
      const advice = `age -d -o FILE.zip ${path}, then use FILE.zip`
      throw new BagError(
        'NOT_AN_ARCHIVE',
        `${path} holds a zip, which is read from its end: decrypt it first: ${advice}`,
      )
    }
    async function* whole() {
      if (!first.done) yield first.value
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
    }
    yield* tarIn(whole(), kind)
  } finally {
    source.destroy()
  }
}

async function opened(path: string, decrypter: Decrypter, source: Readable): Promise<AsyncIterable<Uint8Array>> {
  try {
    return await decrypter.decrypt(ReadableStream.from<Uint8Array>(source))
  } catch (cause) {
    throw new BagError('WRONG_KEY', `${path} is not encrypted for this key, or its beginning is damaged`, { cause })
  }
}

async function* tarIn(source: AsyncIterable<Uint8Array>, kind: Sign | null): AsyncGenerator<ArchiveMember> {
  if (kind !== 'gzip' && kind !== 'zstd')
    throw new BagError('NOT_AN_ARCHIVE', 'the file is not an archive that collab-export writes')
  yield* tarMembers(kind === 'gzip' ? gunzipped(source) : zstdDecompressed(source))
}

function kindOf(beginning: Buffer): Sign | null {
  const kinds = Object.keys(SIGNS) as Sign[] // its own keys
  return kinds.find((kind) => beginning.subarray(0, SIGNS[kind].length).equals(SIGNS[kind])) ?? null
}
