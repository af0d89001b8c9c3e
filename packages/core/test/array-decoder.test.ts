import { exactNumber } from '@collab-etl/contract/exact-json'
import { describe, expect, test } from 'vitest'
import { ArrayDecoder, decodeArray } from '../src/http/array-decoder.ts'
import { isDecodeError } from '../src/index.ts'
import { runsOf } from './helpers/decoder-judge.ts'

const valuesOf = (chunks: readonly Uint8Array[]) => runsOf(chunks).flatMap(({ values }) => values)
const decode = (text: string) => valuesOf([Buffer.from(text)])

function problemOf(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return isDecodeError(error) ? error.problem : error
  }
  return 'none'
}

describe('what is whole', () => {
  test.for([
    ['[]', []],
    [' \r\n\t[ ] \n', []],
    ['\ufeff[1]', [1]],
    ['[1e400,-0,"\\ud800"]', [exactNumber('1e400'), exactNumber('-0'), '\ud800']],
    ['["a\\\\","],[\\"",{"]":"["}]', ['a\\', '],["', { ']': '[' }]],
  ] as const)('%s', ([text, expected]) => {
    expect(decode(text)).toEqual(expected)
  })

  test('a key __proto__ is data', () => {
    const [value] = decode('[{"__proto__":{"polluted":true}}]')
    expect(Object.hasOwn(Object(value), '__proto__')).toBe(true)
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  test('one byte at a time', () => {
    const array = [{ a: '"\\,]中😀' }, [1, [2]], 'é']
    const bytes = Buffer.from(`\ufeff${JSON.stringify(array)}`)
    expect(valuesOf([...bytes].map((byte) => Buffer.of(byte)))).toEqual(array)
  })
})

describe('what is not one whole array', () => {
  test.for([
    ['', 'empty'],
    [' \n', 'empty'],
    ['\ufeff', 'empty'],
    ['[', 'truncated'],
    ['[1', 'truncated'],
    ['[1,', 'truncated'],
    ['["]', 'truncated'],
    ['["a\\', 'truncated'],
    ['[{"a":1]', 'truncated'],
    ['[1,,2]', 'invalid_json'],
    ['[,1]', 'invalid_json'],
    ['[1,]', 'invalid_json'],
    ['[,]', 'invalid_json'],
    ['[1 2]', 'invalid_json'],
    ['[1}', 'invalid_json'],
    ['[{"a":1,}]', 'invalid_json'],
    ['[1][2]', 'invalid_json'],
    ['[1],', 'invalid_json'],
    ['[1]\u0000', 'invalid_json'],
    ['[NaN]', 'invalid_json'],
    ['<html><body>Bad Gateway</body></html>', 'invalid_json'],
    ['{"a":1', 'truncated'],
    ['null', 'wrong_type'],
    ['{}', 'wrong_type'],
    ['"[]"', 'wrong_type'],
    ['true', 'wrong_type'],
  ] as const)('%j is %s', ([text, problem]) => {
    expect(problemOf(() => decode(text))).toBe(problem)
  })

  test('half a byte order mark', () => {
    expect(problemOf(() => valuesOf([Buffer.of(0xef, 0xbb, 0x5b, 0x5d)]))).toBe('invalid_json')
  })

  test.for([',', '[]', 'x', '\u0000'])('%j behind it in a chunk of its own', (rest) => {
    expect(problemOf(() => valuesOf([Buffer.from('[1]'), Buffer.from(' \n'), Buffer.from(rest)]))).toBe('invalid_json')
  })

  test('an object longer than an error body is not waited for', () => {
    expect(problemOf(() => decode(`{"a":"${'x'.repeat(70_000)}`))).toBe('wrong_type')
  })

  test('the error names the element and the byte', () => {
    const good = '{"a":"中"}'
    expect(() => decode(`[${good},${good},{"a":x}]`)).toThrow(expect.objectContaining({ element: 2, byte: 25 }))
  })

  test('far into the answer, after runs were emitted', () => {
    const good = JSON.stringify({ text: 'x'.repeat(1000) })
    const text = `[${`${good},`.repeat(1000)}oops]`
    expect(() => decode(text)).toThrow(expect.objectContaining({ element: 1000, byte: 1 + 1000 * (good.length + 1) }))
  })
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
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
          bytes.subarray(n * size, (n + 1) * size),
        )
        const runs = runsOf(chunks)
        const goods = Array.from({ length: around }, () => good)
        expect(runs.flatMap(({ values }) => values)).toEqual([...goods, value, ...goods, value])
        const places = runs.flatMap(({ tooDeep, firstElement }) => [...tooDeep].map((index) => firstElement + index))
        expect(places).toEqual([around, 2 * around + 1])
      }
    }
  })

  test('do not hide an element that is not JSON, nor its offset', () => {
    const deep = nested(1500)
    const text = `[1,${deep},x]`
    expect(() => runsOf([Buffer.from(text)])).toThrow(expect.objectContaining({ element: 2, byte: text.indexOf('x') }))
  })
})

describe('runs', () => {
  const records = Array.from({ length: 2000 }, (_, index) => ({ index, text: 'ü'.repeat(500) }))
  const bytes = Buffer.from(JSON.stringify(records))

  test('are emitted while the answer arrives, each with the index of its first element', () => {
    const decoder = new ArrayDecoder()
    const runs = [...decoder.push(bytes.subarray(0, bytes.length / 2))]
    expect(runs.length).toBeGreaterThan(2)
    runs.push(...decoder.push(bytes.subarray(bytes.length / 2)))
    decoder.end()
    expect(runs.flatMap(({ values }) => values)).toEqual(records)
    let next = 0
    for (const { firstElement, values } of runs) {
      expect(firstElement).toBe(next)
      next += values.length
    }
  })

  test('stay small when everything comes in one chunk', () => {
    for (const { values } of runsOf([bytes])) expect(JSON.stringify(values).length).toBeLessThan(300_000)
  })

  test('an element of many chunks is read once it is whole', () => {
    const huge = 'x'.repeat(10_000_000)
    const text = Buffer.from(JSON.stringify([1, { huge }, 2]))
    const chunks = Array.from({ length: Math.ceil(text.length / 16_000) }, (_, i) =>
      text.subarray(i * 16_000, (i + 1) * 16_000),
    )
    expect(valuesOf(chunks)).toEqual([1, { huge }, 2])
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

  test('the same wherever the chunks are cut', () => {
    for (let at = 0; at <= bad.length; at++) {
      expect(runsOf([bad.subarray(0, at), bad.subarray(at)])).toEqual(runsOf([bad]))
    }
  })
})
