import { cp, rm } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { readLinks } from '@collab-etl/documents'
import { scratch } from '@collab-etl/harness/scratch'
import { filesOf } from '@collab-etl/harness/trees'
import { expect, test } from 'vitest'
import { writeBag } from './backup-in.ts'
import { goldenSource } from './golden-source.ts'

/** To be looked at when it changes: `UPDATE_GOLDEN=1 vitest run golden`. */
const GOLDEN = join(import.meta.dirname, 'golden')

test('a backup has exactly the files and bytes of the golden tree', async () => {
  const bag = await scratch()
  await writeBag(bag, goldenSource(), { serviceHosts: ['x.example'] })
  if (process.env['UPDATE_GOLDEN']) {
    await rm(GOLDEN, { recursive: true, force: true })
    await cp(bag, GOLDEN, { recursive: true })
  }
  expect(Object.fromEntries(await filesOf(bag))).toEqual(Object.fromEntries(await filesOf(GOLDEN)))
})

test('every relative link of it leads to a file of it', async () => {
  const files = await filesOf(GOLDEN)
  let links = 0
  for (const [path, text] of files) {
    if (!path.endsWith('.md')) continue
    for (const { url } of readLinks(text).destinations) {
      if (/^(https?:)?\//.test(url) || url === '') continue
      expect(files.has(normalize(join(dirname(path), url.replace(/#.*/, '')))), `${path}: ${url}`).toBe(true)
      links += 1
    }
  }
  expect(links).toBeGreaterThan(15)
})
