import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BackupRows, SourceRow } from '../src/source/backup-rows.ts'
import { TextsApart } from '../src/source/texts-apart.ts'

const PAGES = Array.from({ length: 1201 }, (_, index): SourceRow => {
  return { page_id: String(index).padStart(5, '0'), name: `Page ${index}`, summary: null, content: `text ${index}` }
})

/** Reads all pages, and the texts of some. */
async function read(asked: (index: number) => boolean): Promise<{ rows: SourceRow[]; readings: number[] }> {
  const readings: number[] = []
  async function* pages({ ids, columns = [] }: { ids?: readonly string[]; columns?: readonly string[] } = {}) {
    if (ids) readings.push(ids.length)
    for (const page of PAGES) {
      if (ids && !ids.includes(String(page['page_id']))) continue
      yield Object.fromEntries(Object.entries(page).filter(([name]) => columns.includes(name)))
    }
  }
  const source: Pick<BackupRows, 'rows'> = { rows: (_table, options) => pages(options) }
  await using texts = new TextsApart(source, 'pages', 'p')
  const rows: SourceRow[] = []
  for await (const row of texts.rows()) rows.push(asked(rows.length) ? await texts.whole() : row)
  return { rows, readings }
}

test('texts that are read apart are those of their rows, whichever are asked for', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat(PAGES.length - 1), { maxLength: 400 }), async (indexes) => {
      const asked = new Set(indexes)
      const { rows } = await read((index) => asked.has(index))
      expect(rows).toEqual(
        PAGES.map((page, index) => (asked.has(index) ? page : { page_id: page['page_id'], name: page['name'] })),
      )
    }),
    { numRuns: 10 },
  )
})

test('the text of one row is read alone, and those of all rows in few readings', async () => {
  expect((await read((index) => index === 700)).readings).toEqual([1])
  expect((await read(() => true)).readings).toEqual([
    ...[1, 2, 4, 8, 16, 32, 64, 128, 245],
    ...[1, 2, 4, 8, 16, 32, 64, 128, 245],
    ...[1, 2, 4, 8, 16, 32, 64, 74],
  ])
})
