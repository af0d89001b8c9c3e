import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseIsoTime, readCsvFile } from '../src/index.ts'
import { scratch } from './fixture/run.ts'

describe('a time on the command line', () => {
  test.each([
    ['2024-02-29', 'start', '2024-02-29T00:00:00.000Z'],
    ['2024-02-29', 'end', '2024-02-29T23:59:59.999Z'],
    ['2024-02-29T12:00Z', 'end', '2024-02-29T12:00:00.000Z'],
    ['2024-02-29T12:00:01.5+08:00', 'start', '2024-02-29T04:00:01.500Z'],
  ] as const)('%s, %s, is %s', (text, edge, time) => {
    expect(parseIsoTime(text, { name: '--at', edge }).toISOString()).toBe(time)
  })

  test.each([
    ...['2023-02-29', '2024-02-30T12:00Z', '2024-13-01', '2024-02-29T25:00Z', '2024-02-29T12:00', '29.2.2024'],
    ...['1709164800000', 'now'],
  ])('%s is refused', (text) => {
    expect(() => parseIsoTime(text, { name: '--at', edge: 'start' })).toThrow(/^--at must be a date such as/)
  })

  test('every instant is read back as itself', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date(253402300799999), noInvalidDate: true }), (date) => {
        expect(parseIsoTime(date.toISOString(), { name: '--at', edge: 'end' })).toEqual(date)
      }),
    )
  })
})

describe('a CSV file on the command line', () => {
  async function read(text: string | Buffer) {
    using directory = scratch()
    const path = join(directory.path, 'posts.csv')
    writeFileSync(path, text)
    return await readCsvFile(path, { name: '--posts-file', columns: ['pid', 'post_id'] })
  }

  test('with byte-order mark, CRLF, quotes, further columns and empty lines', async () => {
    expect(await read('\ufeffpost_id,name,pid\r\n1,"a, ""b""\r\nc",p\r\n\r\n 2 ,,q\r\n')).toEqual([
      { pid: 'p', post_id: '1' },
      { pid: 'q', post_id: '2' },
    ])
  })

  test('of no rows', async () => {
    expect(await read('pid,post_id\n')).toEqual([])
  })

  test.each([
    ['without header', 'p,1\n', /posts\.csv: the first line must be a header with the columns pid,post_id/],
    ['that is empty', '', /the first line must be a header/],
    ['with a missing value', 'pid,post_id\np,1\nq,\n', /posts\.csv: line 3 has no post_id/],
    ['with a short row', 'pid,post_id\np,1\nq\n', /posts\.csv: line 3: is no CSV/],
    ['with an open quote', 'pid,post_id\np,"1\n', /posts\.csv: line \d: is no CSV/],
  ])('%s', async (_edge, text, says) => {
    await expect(read(text)).rejects.toThrow(says)
  })

  test('that is not there', async () => {
    const missing = readCsvFile('/none.csv', { name: '--posts-file', columns: ['pid'] })
    await expect(missing).rejects.toThrow('--posts-file: /none.csv cannot be read (ENOENT)')
  })
})
