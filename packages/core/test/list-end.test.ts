import { describe, expect, test } from 'vitest'
import { ApiError } from '../src/errors/api-error.ts'
import { TransportError } from '../src/errors/transport-error.ts'
import { type AskListPage, endingByError, isRefusal, testEnd } from '../src/walk/list-end.ts'

const { signal } = new AbortController()

function serviceError(code: number, status = 500, rateLimited = false): ApiError {
  return new ApiError({ operation: 'list', code, status, meaning: '', serviceMessage: '', rateLimited })
}

function httpError(status: number): TransportError {
  return new TransportError('refused', { operation: 'list', kind: 'http_status', status })
}

/** What a page answers: that many records, or an error. The first of several is the first answer, the last one stays. */
type Answers = Readonly<Record<number, number | Error | readonly (number | Error)[]>>

/** Pages with these answers, and the pages that were requested, each with its retries. */
function service(answers: Answers) {
  const asked: string[] = []
  const turns = new Map<number, number>()
  const ask: AskListPage<string> = async (page, size, _signal, retries) => {
    asked.push(`${page}/${size}${retries === undefined ? '' : ` retries ${retries}`}`)
    const turn = turns.get(page) ?? 0
    turns.set(page, turn + 1)
    const all = [answers[page] ?? 0].flat()
    const answer = all[Math.min(turn, all.length - 1)] ?? 0
    if (typeof answer !== 'number') throw answer
    return { records: Array.from({ length: answer }, (_, index) => `${page}-${index}`), losses: [] }
  }
  return { ask, asked }
}

const END = serviceError(600027)

describe('a page after the last one that the service answers with an error', () => {
  /** Reads pages of ten; gives the number of records of each, the requests, and the codes that were taken for the end. */
  async function read(answers: Answers, pages: readonly number[]) {
    const { ask, asked } = service(answers)
    const ends: string[] = []
    const fetch = endingByError(ask, (code) => ends.push(code))
    const counts: number[] = []
    for (const page of pages) counts.push((await fetch(page, 10, signal)).records.length)
    return { counts, asked, ends, fetch }
  }

  test('is empty once the last page is answered, and it and the next page fail alike twice', async () => {
    const { counts, asked, ends } = await read({ 1: 10, 2: 10, 3: END, 4: END }, [1, 2, 3])
    expect(counts).toEqual([10, 10, 0])
    const confirmation = ['3/10', '4/10', '3/10'].flatMap((page) => ['2/10', `${page} retries 0`])
    expect(asked).toEqual(['1/10', '2/10 retries 1', '3/10 retries 1', ...confirmation])
    expect(ends).toEqual(['600027'])
  })

  test('is confirmed by itself alone after the same error was confirmed, and is named once', async () => {
    const { counts, asked, ends } = await read({ 1: 10, 2: END, 3: END }, [1, 2, 3])
    expect(counts).toEqual([10, 0, 0])
    expect(asked.slice(-3)).toEqual(['3/10 retries 1', '1/10', '3/10 retries 0'])
    expect(ends).toEqual(['600027'])
  })

  test('has no records and no conversion issues', async () => {
    const { fetch } = await read({ 1: 10, 2: END, 3: END }, [1])
    expect(await fetch(2, 10, signal)).toEqual({ records: [], losses: [] })
  })

  test.each<[what: string, answers: Answers]>([
    ['the last page has no records any more', { 1: [10, 0], 2: END, 3: END }],
    ['the next page has records', { 1: 10, 2: END, 3: 10 }],
    ['the next page fails in another way', { 1: 10, 2: END, 3: serviceError(600001) }],
  ])('is requested once more, and its error thrown, if %s', async (_what, answers) => {
    await expect(read(answers, [1, 2])).rejects.toBe(END)
  })

  test('is no end if it is answered in the confirmation', async () => {
    const { counts, ends } = await read({ 1: 10, 2: [END, 7] }, [1, 2])
    expect([counts, ends]).toEqual([[10, 7], []])
  })

  test('is no end before the last page with records, nor as the first page', async () => {
    await expect(read({ 1: END }, [1])).rejects.toBe(END)
    const { ask, asked } = service({ 2: END, 3: 10 })
    const fetch = endingByError(ask)
    fetch.note(3, 10, await ask(3, 10, signal))
    await expect(fetch(2, 10, signal)).rejects.toBe(END)
    expect(asked).toEqual(['3/10', '2/10'])
  })

  test('is compared with the page before it where a walk was resumed', async () => {
    const { asked, counts } = await read({ 4: 10, 5: END, 6: END }, [5])
    expect(counts).toEqual([0])
    expect(asked.slice(0, 2)).toEqual(['5/10 retries 1', '4/10'])
  })

  test('is compared with the last page that had records, not with an empty one', async () => {
    const { asked } = await read({ 1: 10, 2: 0, 3: END, 4: END }, [1, 2, 3])
    expect(asked).toContain('1/10')
    expect(asked.filter((page) => page === '2/10')).toEqual([])
  })

  test('is an error at once if the connection broke', async () => {
    const broken = new TransportError('reset', { operation: 'list', kind: 'reset' })
    const { ask, asked } = service({ 1: 10, 2: broken })
    const fetch = endingByError(ask)
    await fetch(1, 10, signal)
    await expect(fetch(2, 10, signal)).rejects.toBe(broken)
    expect(asked).toEqual(['1/10', '2/10 retries 1'])
  })
})

describe('a list that ends with a full page is tested by a page of another size', () => {
  /** Asks for the end of ten records read in pages of five; the test is page 3 of four, which has two of them. */
  function tested(answers: Answers, isSeen: (record: string) => boolean = () => true, read = 10, size = 5) {
    const { ask, asked } = service(answers)
    return testEnd({ read, size, ask, signal }, isSeen).then((result) => ({ result, asked }))
  }

  test('whole: it has exactly the last records', async () => {
    expect(await tested({ 3: 2 })).toEqual({ result: 'whole', asked: ['3/4'] })
  })

  test('cut: it has a record that was not read', async () => {
    const { result } = await tested({ 3: 2 }, (record) => record !== '3-1')
    expect(result).toBe('cut')
  })

  test('cut: it has fewer, although the service respects the size', async () => {
    expect(await tested({ 3: 1, 1: 4 })).toEqual({ result: 'cut', asked: ['3/4', '1/4'] })
  })

  test('whole: the service does not respect the size', async () => {
    expect((await tested({ 3: 5, 1: 5 })).result).toBe('whole')
  })

  test('whole, without a request: every smaller size ends there as well', async () => {
    expect(await tested({}, () => true, 6, 4)).toEqual({ result: 'whole', asked: [] })
    expect(await tested({}, () => true, 2, 2)).toEqual({ result: 'whole', asked: [] })
  })

  test('a size that divides the list is passed over', async () => {
    // four and two end with it, three does not
    expect((await tested({ 3: 2 }, () => true, 8, 5)).asked).toEqual(['3/3'])
  })

  test('untested: the service refuses the page; other errors are thrown', async () => {
    expect((await tested({ 3: END })).result).toBe('untested')
    const broken = new TransportError('reset', { operation: 'list', kind: 'reset' })
    await expect(tested({ 3: broken })).rejects.toBe(broken)
  })
})

test.each<[what: string, error: unknown, expected: boolean]>([
  ['an error of the service', serviceError(600027), true],
  ['an unknown error of the service', serviceError(1, 404), true],
  ['a rejected token', serviceError(100006, 400), false],
  ['a rate limit with any status', serviceError(600429, 400, true), false],
  ...[401, 403, 408, 429, 502, 503, 504].map((status): [string, unknown, boolean] => [
    `an error of the service with status ${status}`,
    serviceError(600027, status),
    false,
  ]),
  ['HTTP 400 without a body of the service', httpError(400), true],
  ['HTTP 500 without a body of the service', httpError(500), true],
  ['HTTP 399', httpError(399), false],
  ['HTTP 503 of a gateway', httpError(503), false],
  ['a broken connection', new TransportError('reset', { operation: 'list', kind: 'reset' }), false],
  ['another error', new Error('bug'), false],
])('whether the service refused a page: %s', (_what, error, expected) => {
  expect(isRefusal(error)).toBe(expected)
})
