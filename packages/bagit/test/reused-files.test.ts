import { appendFile, lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratch } from '@collab-etl/harness/scratch'
import { describe, expect, onTestFinished, test } from 'vitest'
import { BagWriter, ManifestReader, PreviousBag, verifyBag } from '../src/index.ts'
import { openReuseTasks } from '../src/reuse-tasks.ts'

const CSV = 'data/csv/pages.csv'

/** A bag with three files and a table. */
async function bagIn(folder: string): Promise<string> {
  await mkdir(folder)
  const bag = await BagWriter.create(folder)
  for (const name of ['a', 'b', 'c']) await bag.add(`sub/${name} 100%.md`, `text of ${name}\n`)
  const table = await bag.stream('csv/pages.csv')
  await table.write('head\none\ntwo\nthree\n')
  await table.end()
  await bag.finish(({ bytes, files }) => [['Payload-Oxum', `${bytes}.${files}`]])
  return folder
}

/** A new bag beside the previous one, the files that the previous one lists, and a function that ends the new one. */
async function nextTo(previous: string, threadFromBytes: number) {
  using reader = new ManifestReader(previous)
  const listed = reader.take(3)
  const table = reader.take(1)
  const folder = `${previous}-next`
  await mkdir(folder)
  const open = new PreviousBag(previous, 'hard')
  const bag = await BagWriter.create(folder, open, { threadFromBytes })
  const end = async () => {
    await bag.finish(({ bytes, files }) => [['Payload-Oxum', `${bytes}.${files}`]])
    await open.close()
    return (await verifyBag(folder, { fast: false })).damage
  }
  return { folder, bag, listed, table, end }
}

async function areLinked(one: string, other: string, path: string): Promise<boolean> {
  return (await lstat(join(one, path))).ino === (await lstat(join(other, path))).ino
}

describe.each([
  ['in the same thread', Number.POSITIVE_INFINITY],
  ['in another thread', 0],
])('files of the previous bag, reused %s', (_where, threadFromBytes) => {
  test('are hard links, and the new bag is intact', async () => {
    const previous = await bagIn(join(await scratch(), 'bag'))
    const { folder, bag, listed, end } = await nextTo(previous, threadFromBytes)
    expect(await bag.linkUnread(listed, 'all')).toEqual([true, true, true])
    await bag.addLinked(listed)
    expect(bag.linkTotals.linked).toEqual({ files: 3, bytes: 30 })
    expect(await end()).toEqual([])
    expect(await areLinked(previous, folder, 'data/sub/b 100%.md')).toBe(true)
  })

  test('if one was modified: `all` links none, `each` the others', async () => {
    const previous = await bagIn(join(await scratch(), 'bag'))
    await appendFile(join(previous, 'data/sub/b 100%.md'), 'more')
    const { folder, bag, listed, end } = await nextTo(previous, threadFromBytes)
    expect(await bag.linkUnread(listed, 'all')).toEqual([false, false, false])
    await expect(lstat(join(folder, 'data/sub/a 100%.md'))).rejects.toThrow('ENOENT')
    expect(await bag.linkUnread(listed, 'each')).toEqual([true, false, true])
    await rm(join(folder, 'data'), { recursive: true })
    await end()
  })

  test('are not linked if the two lists of the previous bag differ', async () => {
    const previous = await bagIn(join(await scratch(), 'bag'))
    const { bag, listed } = await nextTo(previous, threadFromBytes)
    const differing = { ...listed, sizes: Buffer.from(listed.sizes.toString().replace('/b ', '/x ')) }
    await expect(bag.linkUnread(differing, 'all')).rejects.toMatchObject({ code: 'PREVIOUS_CHANGED' })
    await bag.abandon()
  })

  test('report the error of the file system with its code', async () => {
    const previous = await bagIn(join(await scratch(), 'bag'))
    const { folder, bag, listed } = await nextTo(previous, threadFromBytes)
    await writeFile(join(folder, 'data'), 'no folder')
    await expect(bag.linkUnread(listed, 'all')).rejects.toMatchObject({ code: 'ENOTDIR' })
    await bag.abandon()
  })

  test.each([
    ['is a link if all parts are copied', false],
    ['has copied parts and new text', true],
  ])('a spliced file %s', async (_what, hasMore) => {
    const previous = await bagIn(join(await scratch(), 'bag'))
    const { folder, bag, table, end } = await nextTo(previous, threadFromBytes)
    const [sha256 = ''] = table.manifest.toString().split(' ')
    const file = await bag.splice({ path: CSV, sha256, bytes: 19 })
    await file.copy(0, 5)
    await file.copy(5, 8)
    if (hasMore) await file.write('new\n')
    await file.copy(13, 6)
    await file.end()
    expect(await end()).toEqual([])
    expect(await readFile(join(folder, CSV), 'utf8')).toBe(`head\none\ntwo\n${hasMore ? 'new\n' : ''}three\n`)
    expect(await areLinked(previous, folder, CSV)).toBe(!hasMore)
  })
})

describe('many files that a thread and its caller link at once', () => {
  const FILES = 700

  async function nextToMany() {
    const previous = join(await scratch(), 'bag')
    await mkdir(previous)
    const writer = await BagWriter.create(previous)
    for (let file = 0; file < FILES; file++) await writer.add(`${file % 20}/${file}.md`, `text of ${file}\n`)
    await writer.finish(() => [])
    using reader = new ManifestReader(previous)
    const listed = reader.take(FILES)
    const folder = `${previous}-next`
    await mkdir(folder)
    const open = new PreviousBag(previous, 'hard')
    onTestFinished(() => open.close())
    return { previous, folder, listed, bag: await BagWriter.create(folder, open, { threadFromBytes: 0 }) }
  }

  test('are all linked', async () => {
    const { folder, listed, bag } = await nextToMany()
    expect(await bag.linkUnread(listed, 'all')).toEqual(new Array(FILES).fill(true))
    await bag.addLinked(listed)
    await bag.finish(({ bytes, files }) => [['Payload-Oxum', `${bytes}.${files}`]])
    expect((await verifyBag(folder, { fast: false })).damage).toEqual([])
  })

  test.each([0, 300, FILES - 1])('are all unlinked if number %i was modified', async (number) => {
    const { previous, folder, listed, bag } = await nextToMany()
    await appendFile(join(previous, `data/${number % 20}/${number}.md`), 'more')
    expect(await bag.linkUnread(listed, 'all')).toEqual(new Array(FILES).fill(false))
    const left = await readdir(join(folder, 'data'), { recursive: true, withFileTypes: true })
    expect(left.filter((entry) => entry.isFile())).toEqual([])
    await bag.abandon()
  })

  test('stop both if the lists differ', async () => {
    const { listed, bag } = await nextToMany()
    const differing = { ...listed, sizes: Buffer.from(listed.sizes.toString().replace('/350.md', '/x.md')) }
    await expect(bag.linkUnread(differing, 'all')).rejects.toMatchObject({ code: 'PREVIOUS_CHANGED' })
    await bag.abandon()
  })
})

test('a task for a thread that has ended fails instead of waiting', async () => {
  const previous = await bagIn(join(await scratch(), 'bag'))
  const open = new PreviousBag(previous, 'hard')
  const tasks = openReuseTasks(`${previous}-next`, open, 0)
  await tasks.close()
  await expect(tasks.run({ kind: 'end', path: CSV })).rejects.toThrow('has ended')
})
