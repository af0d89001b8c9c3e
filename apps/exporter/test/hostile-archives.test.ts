import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { newScratch, scratch } from '@collab-etl/harness/scratch'
import { times } from '@collab-etl/harness/thorough'
import { filesOf } from '@collab-etl/harness/trees'
import { Decrypter, generateIdentity, identityToRecipient } from 'age-encryption'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encrypterFor, verifyArchive, writeArchive } from './archives.ts'
import { backupTo } from './backup-in.ts'
import { goldenSource } from './golden-source.ts'
import { changed, GZIP_ATTACKS, TAR_ATTACKS } from './hostile-archives.ts'
import { ZIP_ATTACKS } from './hostile-zips.ts'
import { hasTool, type Tool } from './tools.ts'

const signal = new AbortController().signal

let bag: string
/** The members of an honest tar, without its end. */
let members: Buffer
let gzip: Buffer
let zip: Buffer

let own: Awaited<ReturnType<typeof newScratch>>

beforeAll(async () => {
  own = await newScratch()
  bag = (await backupTo(own.path, goldenSource())).path
  gzip = await archived('tar.gz')
  zip = await archived('zip')
  members = gunzipSync(gzip).subarray(0, -1024)
})

afterAll(() => own.remove())

async function archived(format: 'tar.gz' | 'zip', recipient?: string): Promise<Buffer> {
  const out = join(await mkdtemp(join(own.path, 'archive-')), `archive.${format}`)
  const recipients = recipient === undefined ? undefined : [recipient]
  const encrypter = await encrypterFor({ recipients, passphraseFile: undefined })
  await writeArchive({ bag, out, format, encrypter, signal, onFile: () => {} })
  return readFile(out)
}

async function damageOf(bytes: Buffer, decrypter: Decrypter | null = null) {
  const path = join(await scratch(), 'archive')
  await writeFile(path, bytes)
  return (await verifyArchive(path, { decrypter, signal, onProgress: () => {} })).damage
}

describe('verify reports as damaged:', () => {
  test('no archive that this tool or tar wrote', async () => {
    const end = Buffer.alloc(1024)
    const honest = [gzip, zip, zstdCompressSync(Buffer.concat([members, end]))]
    for (const bytes of honest) expect(await damageOf(bytes)).toEqual([])
    // Records of ten kilobytes, as GNU tar writes them.
    expect(await damageOf(gzipSync(Buffer.concat([members, Buffer.alloc(10_240)])))).toEqual([])
  })

  test.each(TAR_ATTACKS)('a tar with %s', async (_what, make) => {
    const tar = make(members, basename(bag))
    expect(await damageOf(gzipSync(tar))).not.toEqual([])
    expect(await damageOf(zstdCompressSync(tar))).not.toEqual([])
  })

  test.each(GZIP_ATTACKS)('a gzip stream with %s', async (_what, make) => {
    expect(await damageOf(make(gzip))).not.toEqual([])
  })

  test('a zstd stream with a second frame, bytes after its end, or its last bytes cut off', async () => {
    const zstd = zstdCompressSync(Buffer.concat([members, Buffer.alloc(1024)]))
    const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 0])
    for (const more of [zstdCompressSync('owned'), skippable, Buffer.from('x'), Buffer.alloc(512)]) {
      expect(await damageOf(Buffer.concat([zstd, more]))).not.toEqual([])
    }
    for (let cut = 1; cut < 20; cut++) expect(await damageOf(zstd.subarray(0, -cut)), `cut by ${cut}`).not.toEqual([])
  })

  test.each(ZIP_ATTACKS)('a zip with %s', async (_what, make) => {
    expect(await damageOf(make(zip))).not.toEqual([])
  })

  test('an encrypted archive with bytes after its end, or cut off anywhere', async () => {
    const identity = await generateIdentity()
    const decrypter = new Decrypter()
    decrypter.addIdentity(identity)
    const encrypted = await archived('tar.gz', await identityToRecipient(identity))
    expect(await damageOf(encrypted, decrypter)).toEqual([])
    const spoilt = [Buffer.concat([encrypted, Buffer.from('x')]), Buffer.concat([encrypted, encrypted])]
    for (const bytes of [...spoilt, encrypted.subarray(0, -1), changed(encrypted, encrypted.length - 1)]) {
      expect(await damageOf(bytes, decrypter)).not.toEqual([])
    }
  })

  test('a link that replaces a file, by its path and type', async () => {
    const [, make] = TAR_ATTACKS[0] ?? []
    const damage = await damageOf(gzipSync(make?.(members, basename(bag)) ?? ''))
    expect(damage).toEqual([{ kind: 'extra', path: 'data/csv/pages.csv', detail: 'is a symbolic link' }])
  })
})

/** More runs are for a manual search, as each may start a program. */
const runs = () => Number(process.env['ARCHIVE_RUNS'] ?? times(8, 60))

const TAR_PROGRAMS: readonly [tool: Tool, command: string][] = [
  ['tar', 'tar -xf "$1"'],
  ['bsdtar', 'bsdtar -xf "$1"'],
  ['python3', 'python3 -c "import sys, tarfile; tarfile.open(sys.argv[1]).extractall()" "$1"'],
]

const ZIP_PROGRAMS: readonly [tool: Tool, command: string][] = [
  ['unzip', 'unzip -qq -o "$1"'],
  ['bsdtar', 'bsdtar -xf "$1"'],
  ['python3', 'python3 -c "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall()" "$1"'],
]

/** The files that a program unpacks from an archive, by path; `null` if it fails. */
async function unpacked(command: string, archive: string): Promise<ReadonlyMap<string, string> | null> {
  const folder = await scratch()
  const into = join(folder, 'out')
  await mkdir(into)
  try {
    await promisify(execFile)('bash', ['-c', command, 'bash', archive], { cwd: into })
    return await filesOf(into)
  } catch {
    return null
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Mutations of bytes: the place as a fraction of the archive, and the change. */
const mutations = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 0.999, noNaN: true }),
    how: fc.constantFrom('flip', 'zero', 'repeat', 'drop', 'number'),
    value: fc.nat(255),
  }),
  { minLength: 1, maxLength: 3 },
)

function mutated(bytes: Buffer, list: Parameters<Parameters<typeof mutations.map>[0]>[0], unit: number): Buffer {
  let result = bytes
  for (const { at, how, value } of list) {
    const place = Math.floor((at * result.length) / unit) * unit
    const [before, part, after] = [
      result.subarray(0, place),
      result.subarray(place, place + unit),
      result.subarray(place + unit),
    ]
    if (how === 'flip') result = changed(result, place + (value % unit), value || 1)
    else if (how === 'number') result = changed(result, place + Math.min(unit - 1, value), 1 << (value % 8))
    else if (how === 'zero') result = Buffer.concat([before, Buffer.alloc(part.length), after])
    else if (how === 'repeat') result = Buffer.concat([before, part, part, after])
    else result = Buffer.concat([before, after])
  }
  return result
}

/** Recalculates the checksum of each tar header, so that changes are not found by the checksum alone. */
function withChecksums(tar: Buffer): Buffer {
  const copy = Buffer.from(tar)
  for (let at = 0; at + 512 <= copy.length; at += 512) {
    const block = copy.subarray(at, at + 512)
    if (block.toString('latin1', 257, 262) !== 'ustar') continue
    block.fill(' ', 148, 156)
    block.write(
      `${block
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')} `,
      148,
    )
  }
  return copy
}

describe('programs unpack an archive that verify accepts to the files of the backup:', () => {
  test.each(TAR_PROGRAMS)('%s', { tags: 'thorough' }, async (tool, command) => {
    if (!hasTool(tool)) return
    const root = basename(bag)
    const expected = new Map([...(await filesOf(bag))].map(([path, text]) => [`${root}/${path}`, text]))
    const path = join(await scratch(), 'archive.tar.gz')
    await fc.assert(
      fc.asyncProperty(mutations, fc.constantFrom(512, 1), async (list, unit) => {
        const tar = withChecksums(mutated(Buffer.concat([members, Buffer.alloc(1024)]), list, unit))
        const bytes = gzipSync(tar)
        if ((await damageOf(bytes)).length > 0) return
        await writeFile(path, bytes)
        expect(await unpacked(command, path)).toEqual(expected)
      }),
      { numRuns: runs() },
    )
    await writeFile(path, gzip)
    expect(await unpacked(command, path)).toEqual(expected)
  })

  test.each(ZIP_PROGRAMS)('zip: %s', { tags: 'thorough' }, async (tool, command) => {
    if (!hasTool(tool)) return
    const root = basename(bag)
    const expected = new Map([...(await filesOf(bag))].map(([path, text]) => [`${root}/${path}`, text]))
    const path = join(await scratch(), 'archive.zip')
    await fc.assert(
      fc.asyncProperty(mutations, async (list) => {
        const bytes = mutated(zip, list, 1)
        if (!bytes.subarray(0, 2).equals(Buffer.from('PK')) || (await damageOf(bytes)).length > 0) return
        await writeFile(path, bytes)
        expect(await unpacked(command, path)).toEqual(expected)
      }),
      { numRuns: runs() },
    )
    await writeFile(path, zip)
    expect(await unpacked(command, path)).toEqual(expected)
  })
})
