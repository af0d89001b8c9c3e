import { describe, expect, test } from 'vitest'
import { PageReader } from '../src/walk/page-reader.ts'

/** Pages that are answered on command. */
class Pages {
  readonly asked: string[] = []
  readonly #waiting = new Map<number, PromiseWithResolvers<string>>()
  aborted = 0

  readonly fetch = (page: number, size: number, signal: AbortSignal): Promise<string> => {
    this.asked.push(`${page}/${size}`)
    const answer = Promise.withResolvers<string>()
    this.#waiting.set(page, answer)
    signal.addEventListener('abort', () => {
      this.aborted += 1
      answer.reject(new Error('aborted'))
    })
    return answer.promise
  }

  answer(page: number): void {
    this.#waiting.get(page)?.resolve(`page ${page}`)
  }

  fail(page: number): void {
    this.#waiting.get(page)?.reject(new Error(`page ${page} failed`))
  }
}

describe('asking for pages ahead', () => {
  test('never more than said, and in order however they come', async () => {
    const pages = new Pages()
    const reader = new PageReader(pages.fetch, undefined)
    const first = reader.take(1, 10, 3)
    expect(pages.asked).toEqual(['1/10', '2/10', '3/10'])
    for (const page of [3, 2, 1]) pages.answer(page)
    expect(await first).toBe('page 1')
    expect(pages.asked).toHaveLength(3)
    expect(await reader.take(2, 10, 3)).toBe('page 2')
    expect(pages.asked).toEqual(['1/10', '2/10', '3/10', '4/10'])
    await reader.close()
  })

  test('a page out of the row is asked for by itself', async () => {
    const pages = new Pages()
    const reader = new PageReader(pages.fetch, undefined)
    const taken = reader.take(1, 10, 2)
    pages.answer(1)
    await taken
    const again = reader.take(1, 5, 1)
    pages.answer(1)
    expect(await again).toBe('page 1')
    expect(pages.asked).toEqual(['1/10', '2/10', '1/5'])
    await reader.close()
  })

  test('a page asked for ahead that fails is heard of when it is taken', async () => {
    const pages = new Pages()
    const reader = new PageReader(pages.fetch, undefined)
    const first = reader.take(1, 10, 2)
    pages.fail(2)
    pages.answer(1)
    expect(await first).toBe('page 1')
    await expect(reader.take(2, 10, 1)).rejects.toThrow('page 2 failed')
    await reader.close()
  })

  test('closing aborts what is under way, discarded pages too, and waits for it', async () => {
    const pages = new Pages()
    const reader = new PageReader(pages.fetch, undefined)
    const first = reader.take(1, 10, 3)
    pages.answer(1)
    await first
    reader.discard()
    await reader.close()
    expect(pages.aborted).toBe(3)
  })

  test('a signal from outside reaches every page', async () => {
    const pages = new Pages()
    const stop = new AbortController()
    const reader = new PageReader(pages.fetch, stop.signal)
    const first = reader.take(1, 10, 3)
    stop.abort()
    await expect(first).rejects.toThrow('aborted')
    expect(pages.aborted).toBe(3)
    await reader.close()
  })
})
