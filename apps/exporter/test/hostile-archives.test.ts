import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isDeepStrictEqual, promisify } from 'node:util'
import { gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { unpackArchive } from '@collab-etl/bagit/archive'
import { newScratch, scratch } from '@collab-etl/harness/scratch'
import { times } from '@collab-etl/harness/thorough'
import { filesOf } from '@collab-etl/harness/trees'
import { Decrypter, generateIdentity, identityToRecipient } from 'age-encryption'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encrypterFor, verifyArchive, writeArchive } from './archives.ts'
import { asCommand } from './as-command.ts'
import { backupTo } from './backup-in.ts'
import { writeTexts } from './bags.ts'
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

async function archived(format: 'tar.gz' | 'zip', recipient?: string, of = bag): Promise<Buffer> {
  const out = join(await mkdtemp(join(own.path, 'archive-')), `archive.${format}`)
  const recipients = recipient === undefined ? undefined : [recipient]
  const encrypter = await encrypterFor({ recipients, passphraseFile: undefined })
  await writeArchive({ bag: of, out, format, encrypter, signal, onFile: () => {} })
  return readFile(out)
}

async function damageOf(bytes: Buffer, decrypter: Decrypter | null = null) {
  const path = join(await scratch(), 'archive')
  await writeFile(path, bytes)
  return (await verifyArchive(path, { decrypter, signal, onProgress: () => {} })).damage
}

/** Unpacks an archive two folders deep, so that a path upwards would be seen. */
async function unpack(bytes: Buffer): Promise<{ around: string; folder: string; unpacking: Promise<void> }> {
  const around = await scratch()
  const folder = join(around, 'a/b')
  await mkdir(folder, { recursive: true })
  const path = join(await scratch(), 'archive')
  await writeFile(path, bytes)
  const options = { decrypter: null, signal, onProgress: () => {} }
  return { around, folder, unpacking: asCommand(() => unpackArchive(path, folder, options)) }
}

/** The members of a tar of one's own making, each as the name and content of a file. */
function tarOf(files: readonly (readonly [name: string, content: string])[]): Buffer {
  const [attack] = TAR_ATTACKS.filter(([what]) => what === 'a file at the top')
  if (attack === undefined) throw new Error('no such attack')
  const members = files.map(([name, content]) => {
    const header = Buffer.from(attack[1](Buffer.alloc(0), 'x').subarray(0, 512))
    header.fill(0, 0, 100).write(name, 0)
    header.write(`${Buffer.byteLength(content).toString(8).padStart(11, '0')}\0`, 124)
    header.fill(' ', 148, 156)
    header.write(
      `${header
        .reduce((total, byte) => total + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    )
    return Buffer.concat([header, Buffer.from(content), Buffer.alloc((512 - (Buffer.byteLength(content) % 512)) % 512)])
  })
  return gzipSync(Buffer.concat([...members, Buffer.alloc(1024)]))
}

/** Expects that verify finds damage, and that unpacking stops without a file outside of its folder. */
async function expectRefused(bytes: Buffer): Promise<void> {
  expect(await damageOf(bytes)).not.toEqual([])
  const { around, unpacking } = await unpack(bytes)
  await expect(unpacking).rejects.toMatchObject({ exitCode: 5 })
  expect([...(await filesOf(around)).keys()].filter((path) => !path.startsWith('a/b/'))).toEqual([])
}

describe('verify and unpack refuse', () => {
  test('no archive that this tool or tar wrote', async () => {
    const end = Buffer.alloc(1024)
    const honest = [gzip, zip, zstdCompressSync(Buffer.concat([members, end]))]
    for (const bytes of honest) expect(await damageOf(bytes)).toEqual([])
    // Records of ten kilobytes, as GNU tar writes them.
    expect(await damageOf(gzipSync(Buffer.concat([members, Buffer.alloc(10_240)])))).toEqual([])
  })

  test.each(TAR_ATTACKS)('a tar with %s', async (_what, make) => {
    const tar = make(members, basename(bag))
    await expectRefused(gzipSync(tar))
    await expectRefused(zstdCompressSync(tar))
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
    await expectRefused(make(zip))
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
const runs = () => Number(process.env['ARCHIVE_RUNS'] ?? times(3, 60))

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

/** Where the headers of a member are: before its content, and in the list. */
interface Headers {
  readonly local: readonly [start: number, end: number]
  readonly central: readonly [start: number, end: number]
}

/** The members of a zip by name. */
function membersOf(bytes: Buffer): Map<string, Headers> {
  const end = bytes.length - 22
  const members = new Map<string, Headers>()
  for (let at = bytes.readUInt32LE(end + 16); at < end; ) {
    const [name, extra] = [bytes.readUInt16LE(at + 28), bytes.readUInt16LE(at + 30)]
    const local = bytes.readUInt32LE(at + 42)
    const next = at + 46 + name + extra
    members.set(bytes.toString('utf8', at + 46, at + 46 + name), {
      local: [local, local + 30 + name],
      central: [at, next],
    })
    at = next
  }
  return members
}

/** Changes of one bit: in any header of a folder, a file and an empty file, in both headers of a file at once, and in the end. */
function changesOf(bytes: Buffer, root: string): (readonly number[])[] {
  const bitsIn = ([start, end]: readonly [number, number]) =>
    Array.from({ length: (end - start) * 8 }, (_, bit) => start * 8 + bit)
  const members = membersOf(bytes)
  const changes: number[][] = bitsIn([bytes.length - 22, bytes.length]).map((bit) => [bit])
  for (const name of [`${root}/data/`, `${root}/data/page.md`, `${root}/data/é.md`]) {
    const { local, central } = members.get(name) ?? { local: [0, 0], central: [0, 0] }
    changes.push(...[...bitsIn(local), ...bitsIn(central)].map((bit) => [bit]))
    const [before, listed] = [local[0], central[0]]
    changes.push(...bitsIn([4, 26]).map((bit) => [before * 8 + bit, (listed + 2) * 8 + bit]))
    changes.push(
      ...bitsIn([0, local[1] - before - 30]).map((bit) => [(before + 30) * 8 + bit, (listed + 46) * 8 + bit]),
    )
  }
  return changes
}

/** Whether the owner may read each file that was unpacked, and use each folder. */
const FOR_ITS_OWNER = 'test -z "$(find . -type f ! -perm -400 -o -type d ! -perm -700)"'

describe('whichever bit of the headers of a zip changed, if verify accepts it', () => {
  test.each(ZIP_PROGRAMS.slice(0, 2))(
    '%s unpacks the same files',
    { tags: 'thorough', timeout: 300_000 },
    async (tool, command) => {
      if (!hasTool(tool)) return
      const small = join(await scratch(), 'small')
      await writeTexts(small, {
        'page.md': 'of some length, of some length.\n',
        'é.md': '',
        'csv/pages.csv': 'a,b\r\n',
      })
      const zip = await archived('zip', undefined, small)
      const path = join(await scratch(), 'archive.zip')
      const unpackedFrom = async (bytes: Buffer) => {
        await writeFile(path, bytes)
        return await unpacked(`${command} && ${FOR_ITS_OWNER}`, path)
      }
      const expected = await unpackedFrom(zip)
      expect(expected?.get('small/data/é.md')).toBe('')
      const wrong: string[] = []
      for (const [index, bits] of changesOf(zip, 'small').entries()) {
        if (index % times(31, 1) !== 0) continue
        const bytes = bits.reduce((before, bit) => changed(before, bit >> 3, 1 << (bit & 7)), zip)
        if ((await damageOf(bytes).catch(() => ['no archive'])).length > 0) continue
        if (!isDeepStrictEqual(await unpackedFrom(bytes), expected))
          wrong.push(bits.map((bit) => `byte ${bit >> 3}, bit ${bit & 7}`).join())
      }
      expect(wrong).toEqual([])
    },
  )
})

describe('unpackArchive', () => {
  test('writes every file of a backup, readable for its owner only', async () => {
    for (const bytes of [gzip, zip]) {
      const { folder, unpacking } = await unpack(bytes)
      await unpacking
      expect(await filesOf(folder)).toEqual(await filesOf(bag))
      expect((await stat(join(folder, 'data/backup.json'))).mode & 0o777).toBe(0o600)
      expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o700)
    }
  })

  test('stops at more bytes or files than bag-info.txt states, before it writes them', async () => {
    const beginning = (oxum: string) => [
      ['b/bagit.txt', 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n'] as const,
      ['b/bag-info.txt', `Payload-Oxum: ${oxum}\n`] as const,
    ]
    const many = Array.from({ length: 5 }, (_, index) => [`b/data/${index}`, ''] as const)
    for (const [oxum, files] of [
      ['10.1', [['b/data/large', 'x'.repeat(100_000)] as const]],
      ['10.2', [...many, ['b/data/x', 'x'] as const]],
    ] as const) {
      const { folder, unpacking } = await unpack(tarOf([...beginning(oxum), ...files]))
      await expect(unpacking).rejects.toMatchObject({ exitCode: 5, message: expect.stringMatching(/holds more than/) })
      const written = [...(await filesOf(folder)).values()].map((text) => text.length)
      expect(written.every((length) => length < 100)).toBe(true)
    }
  })

  test('writes no payload for which there is no space, and says what to do', async () => {
    const stated = tarOf([
      ['b/bagit.txt', 'x'],
      ['b/bag-info.txt', 'Payload-Oxum: 900000000000000.1\n'],
      ['b/data/x', 'x'],
    ])
    const { folder, unpacking } = await unpack(stated)
    await expect(unpacking).rejects.toMatchObject({ exitCode: 2, message: expect.stringMatching(/set TMPDIR/) })
    expect([...(await filesOf(folder)).keys()]).not.toContain('data/x')
  })
})
