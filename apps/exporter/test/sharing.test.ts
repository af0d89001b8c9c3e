import { execFile } from 'node:child_process'
import { chmod, lstat, mkdtemp, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { verifyBag } from '@collab-etl/bagit'
import { scratch } from '@collab-etl/harness/scratch'
import { times } from '@collab-etl/harness/thorough'
import { filesOf } from '@collab-etl/harness/trees'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { backupTo } from './backup-in.ts'
import { payload, writeTexts } from './bags.ts'
import { goldenSource } from './golden-source.ts'

const TEXTS = { 'a.md': 'alpha\n', 'folder/b.md': 'beta\n', 'empty.md': '', 'csv/t.csv': 'x,y\r\n'.repeat(500) }

async function inode(path: string): Promise<number> {
  return (await lstat(path)).ino
}

async function isShared(path: string, a: string, b: string): Promise<boolean> {
  return (await inode(payload(a, path))) === (await inode(payload(b, path)))
}

async function twoFolders(): Promise<[first: string, second: string]> {
  const folder = await scratch()
  return [join(folder, 'first'), join(folder, 'second')]
}

describe('a night without changes', () => {
  test('is another whole bag of the very same files, the manifest included', async () => {
    const directory = await scratch()
    const first = await backupTo(directory, goldenSource())
    const second = await backupTo(directory, goldenSource())
    expect(first.links).toMatchObject({ previous: null, refusal: null, linked: { files: 0, bytes: 0 } })
    expect(second.links).toMatchObject({ previous: first.name, refusal: null, newData: { files: 2 } })
    const own = []
    for (const path of (await filesOf(second.path)).keys()) {
      if ((await inode(join(first.path, path))) !== (await inode(join(second.path, path)))) own.push(path)
    }
    expect(own).toEqual(['bag-info.txt', 'tagmanifest-sha256.txt'])
    const info = await readFile(join(second.path, 'bag-info.txt'), 'utf8')
    expect(info).toContain(`Collab-Shares-With: ${first.name}\nCollab-New-Oxum: 0.0\n`)
    // By itself: the one before may go.
    await rm(first.path, { recursive: true })
    await promisify(execFile)('sha256sum', ['-c', '--strict', 'manifest-sha256.txt'], { cwd: second.path })
    expect((await verifyBag(second.path, { fast: false })).damage).toEqual([])
  })

  test('shares nothing with --link none, and says nothing of it', async () => {
    const directory = await scratch()
    await backupTo(directory, goldenSource())
    const second = await backupTo(directory, goldenSource(), undefined, 'none')
    expect(second.links).toMatchObject({ previous: null, refusal: null, linked: { files: 0 } })
  })

  test('clones with --link reflink, or writes and says why', async () => {
    const [first, second] = await twoFolders()
    await writeTexts(first, TEXTS)
    const { links, refusal } = await writeTexts(second, TEXTS, first, 'reflink')
    expect((await verifyBag(second, { fast: false })).damage).toEqual([])
    for (const path of Object.keys(TEXTS)) expect(await isShared(path, first, second)).toBe(false)
    if (refusal === null) expect(links.linked.files).toBeGreaterThan(Object.keys(TEXTS).length)
    else expect(links.linked.files).toBe(0)
  })
})

describe('what changed', () => {
  test('is written, the rest is shared, also under another name', async () => {
    const [first, second] = await twoFolders()
    await writeTexts(first, TEXTS)
    const { 'a.md': alpha, 'csv/t.csv': table, ...rest } = TEXTS
    const now = { ...rest, 'folder/b.md': 'BETA\n', 'moved/a.md': alpha, 'csv/moved.csv': table }
    const { links } = await writeTexts(second, now, first)
    expect(links.linked.files).toBe(5) // empty.md, moved/a.md, csv/moved.csv, bagit.txt, and bag-info.txt as it has no time here
    expect(await inode(payload(second, 'moved/a.md'))).toBe(await inode(payload(first, 'a.md')))
    expect(await inode(payload(second, 'csv/moved.csv'))).toBe(await inode(payload(first, 'csv/t.csv')))
    expect(await readFile(payload(first, 'folder/b.md'), 'utf8')).toBe('beta\n')
    for (const bag of [first, second]) expect((await verifyBag(bag, { fast: false })).damage).toEqual([])
  })
})

describe('a file of the previous backup is not shared', () => {
  const damages: Record<string, (path: string) => Promise<void>> = {
    'that has other bytes of the same number': (path) => writeFile(path, 'alphA\n'),
    'that was truncated': (path) => writeFile(path, 'alp'),
    'that grew': (path) => writeFile(path, 'alpha\nbeta\n'),
    'that is gone': (path) => rm(path),
    'that others may read': (path) => chmod(path, 0o644),
    'that is a link to one with the right bytes': async (path) => {
      await rename(path, `${path}.elsewhere`)
      await symlink(`${path}.elsewhere`, path)
    },
  }

  test.each(Object.entries(damages))('%s', async (_what, damage) => {
    const [first, second] = await twoFolders()
    await writeTexts(first, TEXTS)
    await damage(payload(first, 'a.md'))
    const { refusal } = await writeTexts(second, TEXTS, first)
    expect(refusal).toBe(null)
    expect((await verifyBag(second, { fast: false })).damage).toEqual([])
    const written = await lstat(payload(second, 'a.md'))
    expect({ plain: written.isFile(), names: written.nlink, mode: written.mode & 0o777 }).toEqual({
      plain: true,
      names: 1,
      mode: 0o600,
    })
    expect(await isShared('folder/b.md', first, second)).toBe(true)
  })

  test('if the files that describe that backup are damaged: it says so', async () => {
    const directory = await scratch()
    const { path, name } = await backupTo(directory, goldenSource())
    await writeFile(join(path, 'manifest-sha256.txt'), '')
    const { links, path: second } = await backupTo(directory, goldenSource())
    expect(links).toMatchObject({ previous: null, linked: { files: 0 } })
    expect(links.refusal).toBe(`${name}: it is damaged: manifest-sha256.txt is changed`)
    expect((await verifyBag(second, { fast: false })).damage).toEqual([])
  })

  test('if it is on another file system: it is written, and the first answer is remembered', async () => {
    const elsewhere = tmpdir().startsWith('/dev/shm') ? '/var/tmp' : '/dev/shm'
    const first = await mkdtemp(`${elsewhere}/collab-exporter-`)
    onTestFinished(() => rm(first, { recursive: true, force: true }))
    const second = join(await scratch(), 'second')
    const devices = [await stat(first), await stat(join(second, '..'))].map(({ dev }) => dev)
    expect(devices[0], `${elsewhere} must be another file system than ${tmpdir()}`).not.toBe(devices[1])
    await writeTexts(first, TEXTS)
    const { links, refusal } = await writeTexts(second, TEXTS, first)
    expect({ refusal, shared: links.linked.files }).toEqual({ refusal: 'EXDEV', shared: 0 })
    expect((await verifyBag(second, { fast: false })).damage).toEqual([])
  })
})

test('after any change or damage, the next backup is complete, the previous one unchanged', {
  tags: 'thorough',
}, async () => {
  const path = fc.constantFrom('a.md', 'b.md', 'x/a.md', 'x/b.md', 'y/z/c.md', 'csv/t.csv', 'csv/u.csv')
  const text = fc.constantFrom('', 'a', 'b', 'ab', 'ba', 'c'.repeat(3000), 'd'.repeat(3000))
  const texts = fc.dictionary(path, text, { maxKeys: 7 })
  const flips = fc.array(fc.record({ file: fc.nat(), at: fc.nat(), bit: fc.nat({ max: 7 }) }), { maxLength: 3 })
  const folder = await scratch()
  let round = 0
  await fc.assert(
    fc.asyncProperty(texts, texts, flips, async (before, now, damages) => {
      round += 1
      const [first, second] = [join(folder, `${round}-first`), join(folder, `${round}-second`)]
      await writeTexts(first, before)
      const paths = Object.keys(before)
      for (const { file, at, bit } of damages) {
        const damaged = paths[file % paths.length]
        if (damaged !== undefined) await flip(payload(first, damaged), at, bit)
      }
      const found = await filesOf(first)
      await writeTexts(second, now, first)
      expect((await verifyBag(second, { fast: false })).damage).toEqual([])
      expect(await filesOf(first)).toEqual(found)
    }),
    { numRuns: times(8, 60) },
  )
})

async function flip(path: string, at: number, bit: number): Promise<void> {
  const bytes = await readFile(path)
  if (bytes.length === 0) return
  const place = at % bytes.length
  bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << bit), place)
  await writeFile(path, bytes)
}
