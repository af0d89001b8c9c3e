import { describe, expect, test } from 'vitest'
import { shareRecords } from '../src/share-records.ts'

async function* numbers(to: number, read: number[] = []): AsyncGenerator<number> {
  for (let number = 1; number <= to; number++) {
    read.push(number)
    yield number
  }
}

async function collect(records: AsyncIterable<number>): Promise<number[]> {
  const all: number[] = []
  for await (const record of records) all.push(record)
  return all
}

describe('shareRecords', () => {
  test.each([1, 2, 5])('gives %i consumers every record, in order', async (consumers) => {
    const results = await shareRecords(numbers(100), new Array(consumers).fill(collect))
    expect(results).toEqual(new Array(consumers).fill([...(await collect(numbers(100)))]))
  })

  test('reads a record only when the slowest consumer is done with the one before', async () => {
    const read: number[] = []
    const slow = async (records: AsyncIterable<number>) => {
      for await (const record of records) {
        await new Promise((resolve) => setTimeout(resolve, 1))
        expect(read.at(-1)).toBe(record)
      }
      return []
    }
    await shareRecords(numbers(20, read), [collect, slow])
    expect(read).toHaveLength(20)
  })

  test('fails with the error of a consumer, and stops the others and the source', async () => {
    const read: number[] = []
    const failing = async (records: AsyncIterable<number>) => {
      for await (const record of records) if (record === 3) throw new Error('disk full')
      return []
    }
    let ended = 0
    const other = (records: AsyncIterable<number>) => collect(records).finally(() => ended++)
    await expect(shareRecords(numbers(100, read), [other, failing, other])).rejects.toThrow('disk full')
    expect(read.length).toBeLessThanOrEqual(4)
    expect(ended).toBe(2)
  })

  test('fails with the error of the source', async () => {
    async function* broken(): AsyncGenerator<number> {
      yield 1
      throw new Error('connection lost')
    }
    await expect(shareRecords(broken(), [collect, collect])).rejects.toThrow('connection lost')
  })

  test('a consumer may stop early', async () => {
    const first = async (records: AsyncIterable<number>) => {
      for await (const record of records) return [record]
      return []
    }
    expect(await shareRecords(numbers(3), [first, collect])).toEqual([[1], [1, 2, 3]])
  })
})
