import { describe, expect, test } from 'vitest'
import { isDecodeError } from '../src/index.ts'
import { ArrayDecoder, decodeArray } from '../src/json/array-decoder.ts'
import { damagedStrings } from '../src/json/json-run.ts'
import { ValueDecoder } from '../src/json/value-decoder.ts'
import { runsOf } from './helpers/decoder-judge.ts'

// What lists and values hold, however their bytes are cut, is compared with JSON.parse in decoder-properties.test.ts.

const valuesOf = (chunks: readonly Uint8Array[]) => runsOf(chunks).flatMap(({ values }) => values)
const decode = (text: string) => valuesOf([Buffer.from(text)])

function decodeValue(text: string): unknown {
  const decoder = new ValueDecoder()
  decoder.push(Buffer.from(text))
  return decoder.end().value
}

function errorOf(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

/** A string of a list, longer than a run. */
const LONG = `"${'x'.repeat(50_000)}",`

describe('what is not one whole array', () => {
  test.for<[text: string, problem: string, what: string, place?: object]>([
    ['', 'empty', 'it is empty'],
    [' \n', 'empty', 'it is empty'],
    ['\ufeff', 'empty', 'it is empty'],
    ['[', 'truncated', 'it ends before its list does'],
    ['[1', 'truncated', 'it ends before its list does', { byte: 2 }],
    ['[1,', 'truncated', 'it ends before its list does'],
    ['["]', 'truncated', 'it ends before its list does'],
    ['["a\\', 'truncated', 'it ends before its list does'],
    ['[{"a":1]', 'truncated', 'it ends before its list does'],
    [`[${'['.repeat(1000)}`, 'truncated', 'it ends before its list does', { byte: 1001 }],
    ['[1,,2]', 'invalid_json', 'an element that is not JSON'],
    ['[1,x]', 'invalid_json', 'an element that is not JSON', { element: 1, byte: 3 }],
    ['[{"a":"中"},{"a":"中"},{"a":x}]', 'invalid_json', 'an element that is not JSON', { element: 2, byte: 25 }],
    [`[${LONG},1]`, 'invalid_json', 'an element that is not JSON', { element: 1, byte: 50_004 }],
    ['[1}', 'invalid_json', 'its brackets do not match'],
    ['[1][2]', 'invalid_json', 'something follows its list'],
    ['[1]\u0000', 'invalid_json', 'something follows its list'],
    ['{"a":1', 'truncated', 'it ends before its value does'],
    ['null', 'wrong_type', 'null in place of a list'],
    ['{}', 'wrong_type', 'an object in place of a list'],
    ['"[]"', 'wrong_type', 'a string in place of a list'],
    ['true', 'wrong_type', 'a boolean in place of a list'],
    [`"${'x'.repeat(65_536)}`, 'wrong_type', 'something long in place of a list'],
    [`{"a":"${'x'.repeat(70_000)}`, 'wrong_type', 'something long in place of a list'],
  ])('%#: it is $1', ([text, problem, what, place = {}]) => {
    expect(errorOf(() => decode(text))).toMatchObject({ problem, what, ...place })
  })

  test.for([',', '[]', 'x', '\u0000'])('%j behind it in a chunk of its own', (rest) => {
    const chunks = [Buffer.from('[1]'), Buffer.from(' \n'), Buffer.from(rest)]
    expect(errorOf(() => valuesOf(chunks))).toMatchObject({ problem: 'invalid_json' })
  })

  test('nothing between the last comma and the end, after all elements were emitted', () => {
    const error = errorOf(() => runsOf([Buffer.from(`[${LONG}`), Buffer.from(']')]))
    expect(error).toMatchObject({ what: 'nothing between two commas', element: 1, byte: LONG.length + 1 })
  })

  test('far into the answer, after runs were emitted', () => {
    const good = JSON.stringify({ text: 'x'.repeat(1000) })
    const error = errorOf(() => decode(`[${`${good},`.repeat(1000)}oops]`))
    expect(error).toMatchObject({ element: 1000, byte: 1 + 1000 * (good.length + 1) })
  })

  test('is what the caller can explain, where it can', () => {
    const decoder = new ArrayDecoder((other) => new RangeError(JSON.stringify(other)))
    expect([...decoder.push(Buffer.from('{"a":1}'))]).toEqual([])
    expect(() => decoder.end()).toThrow(new RangeError('{"a":1}'))
  })
})

describe('what is not one whole value', () => {
  test.for([
    ['', 'empty', 'it is empty'],
    [' ', 'empty', 'it is empty'],
    ['{"a":1', 'truncated', 'it ends before its value does'],
    ['"abc', 'truncated', 'it ends before its value does'],
    ['{"a":tru', 'truncated', 'it ends before its value does'],
    ['{}{}', 'invalid_json', 'it is not JSON'],
    ['1,2', 'invalid_json', 'it is more than one value'],
    ['<html "', 'invalid_json', 'it is HTML or XML'],
    ['nope', 'invalid_json', 'it is not JSON'],
    ['['.repeat(1001), 'too_large', expect.any(String)],
  ] as const)('%j is %s', ([text, problem, what]) => {
    expect(errorOf(() => decodeValue(text))).toMatchObject({ problem, what })
  })

  test('the error says where it ends, and holds nothing of the body', () => {
    expect(errorOf(() => decodeValue('{"a":1'))).toMatchObject({ byte: 6 })
    expect(String(errorOf(() => decodeValue('{"secret": secret-text}')))).not.toContain('secret-text')
  })
})

test('a record beyond what V8 can hold in a string is refused before any memory is taken for it', () => {
  const huge = new Uint8Array(256 * 1024 * 1024)
  const error = errorOf(() => new ValueDecoder().push(huge))
  expect(isDecodeError(error, 'too_large')).toBe(true)
  expect(error).toMatchObject({ message: expect.stringContaining('a record larger than 256 MiB') })
})

describe('records nested too deep', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

  test('are those of 1000 levels, the list included', () => {
    expect(runsOf([Buffer.from(`[${nested(999)}]`)])[0]?.tooDeep).toEqual(new Set())
    expect(runsOf([Buffer.from(`[${nested(1000)}]`)])).toMatchObject([{ values: [[null]], tooDeep: new Set([0]) }])
  })

  test.each([
    [`{"id":"b","x":${nested(3000)},"s":"]\\"}","y":[1]}`, { id: 'b', x: null, s: ']"}', y: [1] }],
    [`{"x":${'{"a":'.repeat(3000)}1${'}'.repeat(3000)},"n":[[]]}`, { x: null, n: [[]] }],
    [`{"s":"${'['.repeat(2000)}\\\\","x":${nested(1000)}}`, { s: `${'['.repeat(2000)}\\`, x: null }],
  ])('have null for what is; the others are whole, however the bytes are cut (%#)', (deep, value) => {
    const good = { id: 'a', text: 'ü'.repeat(60), list: [[1]] }
    for (const around of [1, 1000]) {
      const others = Array.from({ length: around }, () => JSON.stringify(good)).join(',')
      const bytes = Buffer.from(`[${others},${deep},${others},${deep}]`)
      for (const size of [7, 1000, 70_000, bytes.length]) {
        const runs = runsOf(chunksOf(bytes, size))
        const goods = Array.from({ length: around }, () => good)
        expect(runs.flatMap(({ values }) => values)).toEqual([...goods, value, ...goods, value])
        const places = runs.flatMap(({ tooDeep, firstElement }) => [...tooDeep].map((index) => firstElement + index))
        expect(places).toEqual([around, 2 * around + 1])
      }
    }
  })

  test('do not hide an element that is not JSON, nor its offset', () => {
    const text = `[1,${nested(1500)},x]`
    expect(errorOf(() => decode(text))).toMatchObject({ element: 2, byte: text.indexOf('x') })
  })
})

describe('runs', () => {
  const records = Array.from({ length: 2000 }, (_, index) => ({ index, text: 'ü'.repeat(500) }))
  const bytes = Buffer.from(JSON.stringify(records))

  test('are emitted while the answer arrives, and stay small when everything comes in one chunk', () => {
    const decoder = new ArrayDecoder()
    expect([...decoder.push(bytes.subarray(0, bytes.length / 2))].length).toBeGreaterThan(2)
    const runs = runsOf([bytes])
    for (const { values } of runs) expect(JSON.stringify(values).length).toBeLessThan(300_000)
    // neither single elements nor much of the list: a piece of 64 KiB each
    expect(runs.length).toBeGreaterThan(25)
    expect(runs.length).toBeLessThanOrEqual(42)
  })

  test('an element of many chunks is read once it is whole', () => {
    const huge = 'x'.repeat(10_000_000)
    expect(valuesOf(chunksOf(Buffer.from(JSON.stringify([1, { huge }, 2])), 16_000))).toEqual([1, { huge }, 2])
  })

  test('a broken source breaks the decoding with its own error', async () => {
    const source = async function* () {
      yield Buffer.from('[1,')
      throw new RangeError('broken source')
    }
    const drain = async () => {
      for await (const _ of decodeArray(source()));
    }
    await expect(drain()).rejects.toThrow('broken source')
  })
})

describe('bytes that are no UTF-8', () => {
  const bad = Buffer.concat([
    Buffer.from('[{"a":"fine 中"},{"a":{"b":["ok","x'),
    Buffer.of(0xff, 0xc3),
    Buffer.from('"]},"u":"\\u00ff"},{"a":"\ufffd"}]'),
  ])

  test('become U+FFFD, and a loss at the field where they stood', () => {
    const [run] = runsOf([bad])
    expect(run?.values).toEqual([{ a: 'fine 中' }, { a: { b: ['ok', 'x\ufffd\ufffd'] }, u: 'ÿ' }, { a: '\ufffd' }])
    expect([...(run?.damage ?? [])].map(([index, losses]) => [index, losses[0]])).toEqual([
      [1, { field: 'a.b[1]', kind: 'invalid_utf8', original: '"xÿÃ"' }],
    ])
  })

  const loss = (field: string, original: string) => {
    return { field, kind: 'invalid_utf8', original: JSON.stringify(original) }
  }
  test.each([
    ['é in UTF-8', 'Ã©', []],
    ['a lone byte', '\xe9', [loss('', '\xe9')]],
    ['characters beyond Latin-1, of escapes', '\u4e2d\u0100', []],
    ['a lone byte beside such a character', '\u4e2d\xe9', [loss('', '\u4e2d\xe9')]],
    ['in lists of lists', ['a', ['b', '\xff']], [loss('[1][1]', '\xff')]],
    ['in fields of fields', { a: { b: ['\xff'] }, c: '\xfe' }, [loss('a.b[0]', '\xff'), loss('c', '\xfe')]],
    ['in the name of a field', { a: { '\xff': 1 } }, [loss('a', '\xff')]],
    ['below such a name', { '\xff': '\xfe' }, [loss('', '\xff'), loss('\ufffd', '\xfe')]],
    ['below a name in UTF-8', { 'Ã©': { 'Ã¨': '\xff' } }, [loss('é.è', '\xff')]],
    ['no strings', [1, null, true, {}], []],
  ])('read as Latin-1: %s', (_, value, losses) => {
    expect(damagedStrings(value)).toEqual(losses)
  })
})

function chunksOf(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size))
}
