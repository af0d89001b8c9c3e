import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { unpackArchive } from '@collab-etl/bagit/archive'
import { newScratch, scratch } from '@collab-etl/harness/scratch'
import { filesOf } from '@collab-etl/harness/trees'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeArchive } from './archives.ts'
import { asCommand } from './as-command.ts'
import { backupTo } from './backup-in.ts'
import { goldenSource } from './golden-source.ts'
import { TAR_ATTACKS } from './hostile-archives.ts'
import { ZIP_ATTACKS } from './hostile-zips.ts'

const signal = new AbortController().signal

let own: Awaited<ReturnType<typeof newScratch>>
let bag: string
let gzip: Buffer
let zip: Buffer

beforeAll(async () => {
  own = await newScratch()
  bag = (await backupTo(own.path, goldenSource())).path
  gzip = await archived('tar.gz')
  zip = await archived('zip')
})

afterAll(() => own.remove())

async function archived(format: 'tar.gz' | 'zip'): Promise<Buffer> {
  const out = join(own.path, `archive.${format}`)
  await writeArchive({ bag, out, format, encrypter: null, signal, onFile: () => {} })
  return readFile(out)
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

  test('refuses every hostile tar and zip, and writes nothing outside of its folder', async () => {
    const members = gunzipSync(gzip).subarray(0, -1024)
    const hostile = [
      ...TAR_ATTACKS.map(([what, make]) => [what, gzipSync(make(members, basename(bag)))] as const),
      ...ZIP_ATTACKS.map(([what, make]) => [what, make(zip)] as const),
    ]
    for (const [what, bytes] of hostile) {
      const { around, unpacking } = await unpack(bytes)
      await expect(unpacking, what).rejects.toMatchObject({ exitCode: 5 })
      const outside = [...(await filesOf(around)).keys()].filter((path) => !path.startsWith('a/b/'))
      expect(outside, what).toEqual([])
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
