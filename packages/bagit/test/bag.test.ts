import { execFile } from 'node:child_process'
import { mkdir, readFile, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { scratch } from '@collab-etl/harness/scratch'
import { filesOf } from '@collab-etl/harness/trees'
import { describe, expect, test } from 'vitest'
import { BagWriter } from '../src/bag-writer.ts'
import { BAG_FILES } from '../src/format.ts'
import { verifyBag } from '../src/verify.ts'

const run = promisify(execFile)

/** A small bag: two files, one of them streamed, and an empty one. */
async function makeBag(): Promise<string> {
  const folder = join(await scratch(), 'bag')
  await mkdir(folder)
  const bag = await BagWriter.create(folder)
  await bag.add('markdown/文.md', 'Hello\n')
  const stream = await bag.stream('csv/pages.csv')
  await stream.write('a,')
  await stream.write('b\r\n')
  await stream.end()
  await bag.add('markdown/x/empty.md', '')
  await bag.finish(({ bytes, files }) => [['Payload-Oxum', `${bytes}.${files}`]])
  return folder
}

async function damageOf(bag: string, fast = false) {
  const { damage } = await verifyBag(bag, { fast })
  return damage.map(({ kind, path }) => `${kind} ${path}`)
}

test('sections written at the same time follow each other in the manifest', async () => {
  const folder = await scratch()
  const bag = await BagWriter.create(folder)
  const [one, two] = [bag.section(), bag.section()]
  for (let file = 10; file < 40; file++) {
    await Promise.all([bag.add(`a/${file}`, 'a'), one.add(`b/${file}`, 'b'), two.add(`c/${file}`, 'c')])
  }
  const stream = await one.stream('b/last')
  await stream.write('last')
  await stream.end()
  await one.end()
  await two.end()
  await bag.finish(({ bytes, files }) => [['Payload-Oxum', `${bytes}.${files}`]])
  const named = (await readFile(join(folder, 'manifest-sha256.txt'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => line.slice(66))
  expect(named).toHaveLength(91)
  expect(named).toEqual(named.toSorted())
  expect((await verifyBag(folder, { fast: false })).damage).toEqual([])
})

describe('a bag', () => {
  test('is verified by sha256sum alone', async () => {
    const bag = await makeBag()
    for (const manifest of ['manifest-sha256.txt', 'tagmanifest-sha256.txt']) {
      const { stdout } = await run('sha256sum', ['-c', '--strict', manifest], { cwd: bag })
      expect(stdout).not.toContain('FAILED')
    }
  })

  test('has the files of RFC 8493', async () => {
    const files = await filesOf(await makeBag())
    expect(files.get('bagit.txt')).toBe('BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n')
    expect(files.get('bag-info.txt')).toBe('Payload-Oxum: 11.3\n')
    expect(files.get('payload-sizes.txt')).toBe(
      '6  data/markdown/文.md\n5  data/csv/pages.csv\n0  data/markdown/x/empty.md\n',
    )
    expect(
      files
        .get('manifest-sha256.txt')
        ?.split('\n')
        .map((line) => line.slice(66)),
    ).toEqual([...['data/markdown/文.md', 'data/csv/pages.csv', 'data/markdown/x/empty.md', '']])
  })

  test('is for its owner only', async () => {
    const bag = await makeBag()
    expect((await stat(join(bag, 'data/csv/pages.csv'))).mode & 0o777).toBe(0o600)
    expect((await stat(join(bag, 'manifest-sha256.txt'))).mode & 0o777).toBe(0o600)
    expect((await stat(join(bag, 'data/markdown/x'))).mode & 0o777).toBe(0o700)
  })

  test('fails where a file cannot be written, and lets go of its files', async () => {
    const folder = await scratch()
    const bag = await BagWriter.create(folder)
    await bag.add('a', '1')
    await bag.add('a/b', '2')
    await expect(bag.finish(() => [])).rejects.toMatchObject({ code: expect.stringMatching(/ENOTDIR|EEXIST/) })
    await bag.abandon()
  })
})

describe('verify', () => {
  test('finds nothing wrong with a whole bag, and counts it', async () => {
    const bag = await makeBag()
    expect(await verifyBag(bag, { fast: false })).toEqual({ damage: [], files: 3, bytes: 11 })
    expect(await verifyBag(bag, { fast: true })).toEqual({ damage: [], files: 3, bytes: 11 })
  })

  test('names a file whose bytes changed; fast cannot know', async () => {
    const bag = await makeBag()
    await writeFile(join(bag, 'data/markdown/文.md'), 'Hallo\n')
    expect(await damageOf(bag)).toEqual(['changed data/markdown/文.md'])
    expect(await damageOf(bag, true)).toEqual([])
  })

  test('tells truncated, longer, missing and extra files apart, also fast', async () => {
    const bag = await makeBag()
    await truncate(join(bag, 'data/markdown/文.md'), 3)
    await writeFile(join(bag, 'data/markdown/x/empty.md'), '!')
    await rm(join(bag, 'data/csv/pages.csv'))
    await writeFile(join(bag, 'data/extra\n\u001b[31m'), '')
    await writeFile(join(bag, 'note.txt'), '')
    for (const fast of [false, true]) {
      expect(await damageOf(bag, fast)).toEqual([
        'missing data/csv/pages.csv',
        'extra data/extra\n\u001b[31m',
        'changed data/markdown/x/empty.md',
        'truncated data/markdown/文.md',
        'extra note.txt',
      ])
    }
  })

  test('does not follow a link in the place of a file, nor wait for a pipe', async () => {
    const bag = await makeBag()
    const file = join(bag, 'data/markdown/文.md')
    await rename(file, join(bag, '../elsewhere'))
    await symlink('../../../elsewhere', file)
    expect(await damageOf(bag)).toEqual(['changed data/markdown/文.md'])
    await rm(file)
    await run('mkfifo', [file])
    expect(await damageOf(bag)).toEqual(['changed data/markdown/文.md'])
  })

  test('waits for no pipe in the place of a file that describes the bag', async () => {
    const bag = await makeBag()
    for (const name of [...Object.values(BAG_FILES), 'data/csv/pages.csv']) {
      await rename(join(bag, name), join(bag, 'kept'))
      await run('mkfifo', [join(bag, name)])
      expect(await damageOf(bag)).toContain(`changed ${name}`)
      await rename(join(bag, 'kept'), join(bag, name))
    }
    expect(await damageOf(bag)).toEqual([])
  })

  test.each(['bagit.txt', 'bag-info.txt', 'manifest-sha256.txt', 'tagmanifest-sha256.txt', 'payload-sizes.txt'])(
    'misses %s, and does not take the payload for extra',
    async (name) => {
      const bag = await makeBag()
      await rm(join(bag, name))
      expect(await damageOf(bag)).toEqual([`missing ${name}`])
    },
  )

  test('refuses a manifest that leads out of the bag', async () => {
    const bag = await makeBag()
    await writeFile(join(bag, 'manifest-sha256.txt'), `${'0'.repeat(64)}  data/../../elsewhere\n`)
    expect(await damageOf(bag)).toEqual(['malformed manifest-sha256.txt'])
  })
})
