import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ArchiveFormat, WrittenArchive } from '@collab-etl/bagit/archive'
import { scratch } from '@collab-etl/harness/scratch'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { filesOf } from '@collab-etl/harness/trees'
import { Decrypter, generateIdentity, identityToRecipient } from 'age-encryption'
import { describe, expect, test } from 'vitest'
import { encrypterFor, writeArchive } from './archives.ts'
import { backupTo } from './backup-in.ts'
import { goldenSource } from './golden-source.ts'
import { handMadeSource, pageRow, projectRow } from './rows.ts'
import { hasTool, shell } from './tools.ts'

const FORMATS = ['tar.gz', 'tar.zst', 'zip'] as const

/** Unpacks into the working directory. */
const UNPACK = { 'tar.gz': 'tar -xzf', 'tar.zst': 'tar --zstd -xf', zip: 'unzip -q' } as const

const canOpen = { 'tar.gz': hasTool('tar'), 'tar.zst': hasTool('zstd'), zip: hasTool('unzip') } as const

interface Options {
  readonly out?: string
  readonly recipients?: readonly string[]
  readonly passphraseFile?: string
}

async function archived(bag: string, format: ArchiveFormat, options: Options = {}): Promise<WrittenArchive> {
  const { recipients, passphraseFile } = options
  return writeArchive({
    bag,
    format,
    out: options.out ?? `${bag}.${format}`,
    encrypter: await encrypterFor({ recipients, passphraseFile }),
    signal: new AbortController().signal,
    onFile: () => {},
  })
}

/** A backup with what is hard for archives: long and Chinese names, an empty page, a file of more than one piece. */
async function hardBackup(): Promise<string> {
  const title = '产品路线图与发布计划'.repeat(9)
  const page = (id: string, parent_id: string | null, content: string) =>
    pageRow('P1', id, title, { parent_id, content })
  const large = Array.from({ length: 60_000 }, (_, line) => `line ${line} of a page\n`).join('')
  const pages = [page('a', null, ''), page('b', 'a', large), page('c', 'b', 'c'), page('d', 'c', 'd')]
  const { path } = await backupTo(
    await scratch(),
    handMadeSource({ tables: { projects: [projectRow('P1', title)], pages } }),
  )
  return path
}

async function small(): Promise<string> {
  return (await backupTo(await scratch(), goldenSource())).path
}

/** Everything beside a backup. */
async function beside(bag: string): Promise<string[]> {
  const names = await readdir(dirname(bag))
  return names.filter((name) => name !== basename(bag) && name !== 'latest')
}

describe.each(FORMATS)('an archive as %s', (format) => {
  test.runIf(canOpen[format])('unpacks elsewhere into the same bag, for its owner only, at its time', async () => {
    const bag = await hardBackup()
    const { path, bytes, files, fileBytes } = await archived(bag, format)
    const found = await filesOf(bag)
    expect({ files, fileBytes }).toEqual({
      files: [...found].length,
      fileBytes: [...found].reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0),
    })
    expect(await stat(path)).toMatchObject({ size: bytes, mode: 0o100600 })
    expect(await beside(bag)).toEqual([basename(path)])
    const folder = await scratch()
    await shell(folder, `umask 022; ${UNPACK[format]} '${path}'`)
    const copy = join(folder, basename(bag))
    expect([...(await filesOf(copy))]).toEqual([...found])
    await shell(copy, 'sha256sum --quiet -c manifest-sha256.txt tagmanifest-sha256.txt')
    const modes = await shell(folder, "find . -mindepth 1 -printf '%y %m\\n' | sort -u")
    expect(modes).toBe('d 700\nf 600\n')
    const begun = /Collab-Begun: (.*)\.\d+Z/.exec(await readFile(join(bag, 'bag-info.txt'), 'utf8'))?.[1]
    const time = (await stat(join(copy, 'data/backup.json'))).mtime.toISOString()
    // Zip counts in steps of two seconds, and in hours of the day of whoever unpacks it.
    expect(format === 'zip' ? time.slice(14, 17) : time).toBe(format === 'zip' ? begun?.slice(14, 17) : `${begun}.000Z`)
  })

  test('is the same bytes for the same bag, in any directory', async () => {
    const bag = await small()
    const first = await archived(bag, format)
    const copy = join(await scratch(), basename(bag))
    await shell(dirname(bag), `cp -r '${bag}' '${copy}' && touch '${copy}'/data/*`)
    const second = await archived(copy, format)
    expect(second.sha256).toBe(first.sha256)
    expect(await readFile(second.path)).toEqual(await readFile(first.path))
    await expect(archived(bag, format)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/exists: remove it first/),
    })
  })
})

describe('an archive is not written, and nothing of it left, of a backup', () => {
  test.each<[what: string, harm: (bag: string) => Promise<unknown>, message: RegExp]>([
    ['with a changed file', (bag) => flip(join(bag, 'data/csv/posts.csv')), /changed data\/csv\/posts\.csv/],
    ['without one of its files', (bag) => rm(join(bag, 'data/csv/posts.csv')), /missing data\/csv\/posts\.csv/],
    ['with a file more', (bag) => writeFile(join(bag, 'data/more.txt'), ''), /extra data\/more\.txt/],
    ['with a changed manifest', (bag) => flip(join(bag, 'manifest-sha256.txt')), /manifest-sha256\.txt/],
    ['without its manifest', (bag) => rm(join(bag, 'manifest-sha256.txt')), /missing manifest-sha256\.txt/],
    [
      'with a link in the place of a file',
      async (bag) => {
        await rm(join(bag, 'bagit.txt'))
        await symlink('/etc/hostname', join(bag, 'bagit.txt'))
      },
      /bagit\.txt/,
    ],
  ])('%s', async (_what, harm, message) => {
    const bag = await small()
    await harm(bag)
    for (const format of ['tar.gz', 'zip'] as const) {
      const writing = archived(bag, format)
      await expect(writing).rejects.toMatchObject({ exitCode: 5, message: expect.stringMatching(message) })
    }
    expect(await beside(bag)).toEqual([])
  })

  test('whose large file was changed in its middle', async () => {
    const bag = await hardBackup()
    await flip(join(bag, 'data/csv/pages.csv'))
    for (const format of FORMATS) {
      const writing = archived(bag, format)
      await expect(writing).rejects.toMatchObject({
        exitCode: 5,
        message: expect.stringMatching(/changed.*pages\.csv/),
      })
    }
    expect(await beside(bag)).toEqual([])
  })
})

describe('an encrypted archive', () => {
  test.runIf(hasTool('age'))('is opened by age with either of two keys, and holds the same bytes', async () => {
    const bag = await small()
    const plain = await archived(bag, 'tar.gz')
    const identities = [await generateIdentity(), await generateIdentity()]
    const recipients = await Promise.all(identities.map(identityToRecipient))
    const { path } = await archived(bag, 'tar.gz', { recipients, out: `${plain.path}.age` })
    for (const identity of identities) {
      const folder = await scratch()
      await writeFile(join(folder, 'key'), `${identity}\n`)
      await shell(folder, `age -d -i key '${path}' | cmp - '${plain.path}'`)
      await shell(
        folder,
        `age -d -i key '${path}' | tar -xz && cd ${basename(bag)} && sha256sum -c --quiet manifest-sha256.txt`,
      )
    }
    expect((await readFile(path)).includes('backup.json')).toBe(false)
  })

  // `age` asks a terminal for passphrases, so the key schedule is compared through the library that encrypts.
  testThoroughly('is opened with its passphrase', async () => {
    const bag = await small()
    const plain = await archived(bag, 'zip')
    const passphraseFile = join(await scratch(), 'passphrase')
    await writeFile(passphraseFile, 'correct horse battery staple\nnot this\n')
    const { path } = await archived(bag, 'zip', { passphraseFile, out: `${plain.path}.age` })
    const decrypter = new Decrypter()
    decrypter.addPassphrase('correct horse battery staple')
    expect(Buffer.from(await decrypter.decrypt(await readFile(path)))).toEqual(await readFile(plain.path))
  })

  test('is refused for keys that are none, without showing a secret one', async () => {
    const secret = await generateIdentity()
    const empty = join(await scratch(), 'empty')
    await writeFile(empty, '\n')
    await expect(encrypterFor({ recipients: ['age1x'], passphraseFile: undefined })).rejects.toMatchObject({
      exitCode: 2,
    })
    const given = encrypterFor({ recipients: [secret], passphraseFile: undefined })
    await expect(given).rejects.toMatchObject({ exitCode: 2, message: expect.not.stringContaining(secret) })
    await expect(encrypterFor({ recipients: undefined, passphraseFile: empty })).rejects.toMatchObject({ exitCode: 2 })
    const both = encrypterFor({ recipients: ['age1x'], passphraseFile: empty })
    await expect(both).rejects.toMatchObject({ exitCode: 2, message: expect.stringMatching(/either/) })
  })
})

test('an archive that cannot be written where it should be is refused with exit code 2', async () => {
  const bag = await small()
  const out = join(await scratch(), 'none/here.zip')
  await expect(archived(bag, 'zip', { out })).rejects.toMatchObject({ exitCode: 2 })
  const folder = join(await scratch(), 'file')
  await mkdir(folder)
  await chmod(folder, 0o700)
  await expect(archived(bag, 'zip', { out: folder })).rejects.toMatchObject({ exitCode: 2 })
})

async function flip(path: string): Promise<void> {
  const bytes = await readFile(path)
  const middle = bytes.length >> 1
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  await writeFile(path, bytes)
}
