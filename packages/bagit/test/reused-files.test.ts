import { appendFile, lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratch } from '@collab-etl/harness/scratch'
import { describe, expect, test } from 'vitest'
import { BagWriter, ManifestReader, PreviousBag, verifyBag } from '../src/index.ts'

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
async function nextTo(previous: string) {
  using reader = new ManifestReader(previous)
  const listed = reader.take(3)
  const table = reader.take(1)
  const folder = `${previous}-next`
  await mkdir(folder)
  const open = new PreviousBag(previous, 'hard')
  const bag = await BagWriter.create(folder, open)
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

describe('files of the previous bag that are reused unread', () => {
  test('are hard links, and the new bag is intact', async () => {
    const previous = await bagIn(join(await scratch(), 'bag'))
    const { folder, bag, listed, end } = await nextTo(previous)
    expect(await bag.addUnread(listed)).toBe(true)
    expect(bag.linkTotals.linked).toEqual({ files: 3, bytes: 30 })
    expect(await end()).toEqual([])
    expect(await areLinked(previous, folder, 'data/sub/b 100%.md')).toBe(true)
  })

  test('are listed one by one between files that are written, in the bag and in a section of it', async () => {
    const previous = await bagIn(join(await scratch(), 'bag'))
    const { folder, bag, listed, end } = await nextTo(previous)
    const section = bag.section()
    const [a = '', , c = ''] = listed.manifest.toString().split('\n')
    await section.add('sub/new.md', 'new\n')
    expect(await section.link('sub/c 100%.md', { bytes: 10, sha256: c.slice(0, 64) })).toBe(true)
    expect(await bag.link('sub/a 100%.md', { bytes: 10, sha256: a.slice(0, 64) })).toBe(true)
    await bag.add('sub/b 100%.md', 'other\n')
    await section.end()
    expect(await end()).toEqual([])
    const manifest = await readFile(join(folder, 'manifest-sha256.txt'), 'utf8')
    expect(manifest.match(/(?<=data\/).*/g)).toEqual(['sub/a 100%.md', 'sub/b 100%.md', 'sub/new.md', 'sub/c 100%.md'])
  })

  test.each([
    ['was modified', (file: string) => appendFile(file, 'more')],
    ['is missing', (file: string) => rm(file)],
  ])('are none if one %s', async (_what, change) => {
    const previous = await bagIn(join(await scratch(), 'bag'))
    await change(join(previous, 'data/sub/b 100%.md'))
    const { folder, bag, listed, end } = await nextTo(previous)
    expect(await bag.link('sub/b 100%.md', { bytes: 10, sha256: '' })).toBe(false)
    expect(await bag.addUnread(listed)).toBe(false)
    expect(await readdir(join(folder, 'data/sub'))).toEqual([])
    expect(await end()).toEqual([])
  })

  test('are not linked if the two lists of the previous bag differ', async () => {
    const previous = await bagIn(join(await scratch(), 'bag'))
    const { bag, listed } = await nextTo(previous)
    const differing = { ...listed, sizes: Buffer.from(listed.sizes.toString().replace('/b ', '/x ')) }
    await expect(bag.addUnread(differing)).rejects.toMatchObject({ code: 'PREVIOUS_CHANGED' })
    await bag.abandon()
  })

  test('report the error of the file system with its code', async () => {
    const previous = await bagIn(join(await scratch(), 'bag'))
    const { folder, bag, listed } = await nextTo(previous)
    await writeFile(join(folder, 'data'), 'no folder')
    await expect(bag.addUnread(listed)).rejects.toMatchObject({ code: 'ENOTDIR' })
    await bag.abandon()
  })

  test.each([
    ['is a link if all parts are copied', false],
    ['has copied parts and new text', true],
  ])('a spliced file %s', async (_what, hasMore) => {
    const previous = await bagIn(join(await scratch(), 'bag'))
    const { folder, bag, table, end } = await nextTo(previous)
    const [sha256 = ''] = table.manifest.toString().split(' ')
    const file = bag.splice({ path: CSV, sha256, bytes: 19 }, 'head\n')
    await file.copy(5, 8)
    if (hasMore) await file.write('new\n')
    await file.copy(13, 6)
    await file.end()
    expect(await end()).toEqual([])
    expect(await readFile(join(folder, CSV), 'utf8')).toBe(`head\none\ntwo\n${hasMore ? 'new\n' : ''}three\n`)
    expect(await areLinked(previous, folder, CSV)).toBe(!hasMore)
  })
})
