import { mkdir, readdir } from 'node:fs/promises'
import { scratchDirectory } from '@collab-etl/harness/commands'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { expect, onTestFinished, test } from 'vitest'
import { parquetFormat } from '../src/export/parquet.ts'

const TABLE = {
  name: 'tasks',
  columns: [
    { name: 'tid', type: 'text' },
    { name: 'description', type: 'text' },
    { name: 'size', type: 'bigint' },
  ],
}

/** Lines that look like rows where a reader begins within them. */
const LOOKS_LIKE_ROWS = 'a","b",3\n"x","y",4\n,"",5\n\r\n","\n'

testThoroughly('rows of many files and of unusual size reach Parquet as they are, in their order', async () => {
  const scratch = await scratchDirectory()
  onTestFinished(() => scratch[Symbol.asyncDispose]())
  const directory = `${scratch.path}/what's [this]*`
  await mkdir(directory)
  const texts = Array.from({ length: 1500 }, (_, at) => LOOKS_LIKE_ROWS.repeat((at * 37) % 300).slice(at % 5))
  texts[700] = LOOKS_LIKE_ROWS.repeat(250_000)
  texts[701] = ''
  await using format = await parquetFormat(`${directory}/spool`, 3 * 1024 * 1024)
  const writer = format.begin(directory, TABLE)
  for (const [at, text] of texts.entries()) {
    await writer.row(Buffer.from(`"${at}","${text.replaceAll('"', '""')}",${at % 7 === 0 ? '' : at}\n`))
  }
  const files = await writer.end()
  expect(files.length).toBeGreaterThan(3)
  expect(files.map(({ path }) => path)).toEqual(
    (await readdir(`${directory}/tasks`)).map((name) => `tasks/${name}`).sort(),
  )
  const rows: Record<string, unknown>[] = []
  for (const { path, rows: count } of files) {
    const read = await parquetReadObjects({ file: await asyncBufferFromFile(`${directory}/${path}`) })
    expect(read.length).toBe(count)
    rows.push(...read)
  }
  expect(rows.length).toBe(texts.length)
  const wrong = rows.findIndex(
    (row, at) =>
      row['tid'] !== String(at) ||
      row['description'] !== texts[at] ||
      row['size'] !== (at % 7 === 0 ? null : BigInt(at)),
  )
  expect(wrong).toBe(-1)
})

test('a value that Parquet cannot hold ends the export with the name of its table', async () => {
  const scratch = await scratchDirectory()
  onTestFinished(() => scratch[Symbol.asyncDispose]())
  await using format = await parquetFormat(`${scratch.path}/spool`)
  const writer = format.begin(scratch.path, { name: 'tasks', columns: [{ name: 'due_at', type: 'timestamptz' }] })
  void writer.row(Buffer.from('294276-01-01 00:00:00+00\n'))
  await expect(writer.end()).rejects.toThrow(
    /^table tasks cannot be written as Parquet: .*; --format csv takes every value$/,
  )
})
