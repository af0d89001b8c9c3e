import { createHash, hash } from 'node:crypto'
import { closeSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { notAFile } from './damage.ts'
import { DamagedBagError } from './errors.ts'
import { type BagFile, guarded } from './manifest.ts'
import { chunksOf, LARGE_FILE_BYTES, openPlainFile } from './plain-file.ts'

/** A file of a bag that is being read. */
export interface CheckedFile extends Disposable {
  readonly bytes: number
  /** The content. A large file comes in chunks; reading its end throws if the file is not what the manifest says. */
  readonly content: Buffer | AsyncIterable<Buffer>
}

/**
 * Opens a file of a bag, to be read once, and compares it with the manifest while it is read.
 * @throws DamagedBagError
 */
export async function openChecked(bag: string, file: BagFile): Promise<CheckedFile> {
  const opened = await guarded(bag, file.path, async () => openPlainFile(join(bag, file.path)))
  if (opened === null) throw new DamagedBagError(bag, notAFile(file.path))
  const { size } = opened.stats
  if (size > LARGE_FILE_BYTES) {
    const content = checkedChunks(opened.file, bag, file, size)
    return { bytes: size, content, [Symbol.dispose]: () => closeSync(opened.file) }
  }
  try {
    const content = await guarded(bag, file.path, async () => readFileSync(opened.file))
    if (hash('sha256', content) !== file.sha256) throw changed(bag, file)
    return { bytes: content.length, content, [Symbol.dispose]: () => {} }
  } finally {
    closeSync(opened.file)
  }
}

async function* checkedChunks(
  opened: number,
  bag: string,
  file: BagFile,
  size: number,
): AsyncGenerator<Buffer, void, undefined> {
  const digest = createHash('sha256')
  const chunks = chunksOf(opened)
  let bytes = 0
  for (;;) {
    const { value: chunk, done } = await guarded(bag, file.path, () => chunks.next())
    if (done) break
    digest.update(chunk)
    bytes += chunk.length
    if (bytes > size) break
    yield chunk
  }
  if (bytes !== size || digest.digest('hex') !== file.sha256) throw changed(bag, file)
}

function changed(bag: string, { path }: BagFile): DamagedBagError {
  return new DamagedBagError(bag, { kind: 'changed', path, detail: null })
}
