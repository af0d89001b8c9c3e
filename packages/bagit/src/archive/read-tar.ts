import { ByteReader } from './byte-reader.ts'
import { type ArchiveMember, BrokenArchive, decodeName } from './member.ts'
import { BLOCK_BYTES, isZero, namesLink, paxPath, readTarHeader, type TarHeader } from './tar-header.ts'

/** Longer than any path that file systems support. */
const LONGEST_PAX_BYTES = 64 * 1024

const OTHER_TYPES: Readonly<Record<string, string>> = {
  '1': 'a hard link',
  '2': 'a symbolic link',
  '3': 'a character device',
  '4': 'a block device',
  '6': 'a FIFO',
  '7': 'a contiguous file',
  g: 'a pax header for all members after it',
  K: 'a long link name of GNU tar',
  L: 'a long name of GNU tar (use tar --format=posix)',
  S: 'a sparse file',
}

/**
 * The members of a tar, each to be read before the next. Every byte is accounted for. Anything that programs could read
 * differently is refused, so that every program unpacks what was checked.
 * @throws BrokenArchive
 */
export async function* tarMembers(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveMember, void, undefined> {
  const bytes = new ByteReader(chunks)
  let pax: { readonly path: string | null } | null = null
  for (;;) {
    const at = bytes.position
    const block = await bytes.take(BLOCK_BYTES)
    if (block.every(isZero)) {
      if (pax !== null) throw new BrokenArchive(`the pax header before byte ${at} is followed by no member`)
      await expectEnd(bytes)
      return
    }
    const header = readTarHeader(block, at)
    if (header.type === 'x') {
      if (pax !== null || header.size > LONGEST_PAX_BYTES)
        throw new BrokenArchive(`the pax header at byte ${at} is damaged`)
      pax = { path: paxPath(await bytes.take(header.size), at) }
      await expectPadding(bytes, header.size)
      continue
    }
    const path: string = pax?.path ?? decodeName(header.path, `the header at byte ${at}`)
    pax = null
    yield* memberOf(bytes, { ...header, path }, namesLink(block))
    await expectPadding(bytes, header.size)
  }
}

async function* memberOf(
  bytes: ByteReader,
  { path, type, size }: Omit<TarHeader, 'path'> & { readonly path: string },
  isLinked: boolean,
): AsyncGenerator<ArchiveMember, void, undefined> {
  const content = bytes.content(size)
  if (type === '5' && size === 0 && !isLinked) yield { kind: 'folder', path: path.replace(/\/$/, '') }
  else if (type === '0' && !isLinked && !path.endsWith('/')) yield { kind: 'file', path, content }
  else yield { kind: 'other', path, detail: OTHER_TYPES[type] ?? 'neither a plain file nor a folder' }
  // Read the rest of the content.
  for await (const _chunk of content);
}

async function expectPadding(bytes: ByteReader, size: number): Promise<void> {
  const at = bytes.position
  const padding = await bytes.take((BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES)
  if (!padding.every(isZero)) throw new BrokenArchive(`the bytes at ${at} belong to no member`)
}

/** One block of zeros is followed by another, and then only by zeros. */
async function expectEnd(bytes: ByteReader): Promise<void> {
  const at = bytes.position
  let zeros = 0
  for await (const chunk of bytes.rest()) {
    if (!chunk.every(isZero)) throw new BrokenArchive(`has content after its end, at byte ${at}`)
    zeros += chunk.length
  }
  if (zeros < BLOCK_BYTES || zeros % BLOCK_BYTES !== 0) throw new BrokenArchive('ends too early')
}
