import { describe, expect, test } from 'vitest'
import { ArrayDecoder } from '../src/http/array-decoder.ts'
import { damagedStrings } from '../src/http/json-run.ts'
import { ValueDecoder } from '../src/http/value-decoder.ts'
import { runsOf } from './helpers/decoder-judge.ts'
import { rejection } from './helpers/server.ts'

const errorOf = (work: () => unknown) => rejection((async () => work())())
const ofList = (text: string) => errorOf(() => runsOf([Buffer.from(text)]))
const ofValue = (text: string) =>
  errorOf(() => {
    const decoder = new ValueDecoder()
    decoder.push(Buffer.from(text))
    decoder.end()
  })

describe('what a list that is none says', () => {
  const good = `"${'x'.repeat(50_000)}",`

  test.each([
    ['', 'it is empty', undefined, undefined],
    ['[1', 'it ends before its list does', undefined, 2],
    ['null', 'null in place of a list', undefined, undefined],
    ['{}', 'an object in place of a list', undefined, undefined],
    ['"a"', 'a string in place of a list', undefined, undefined],
    ['true', 'a boolean in place of a list', undefined, undefined],
    [`"${'x'.repeat(65_536)}`, 'something long in place of a list', undefined, undefined],
    ['[1] 2', 'something follows its list', undefined, undefined],
    ['[1,x]', 'an element that is not JSON', 1, 3],
    ['[1}', 'its brackets do not match', undefined, undefined],
    [`[${good},1]`, 'an element that is not JSON', 1, 50_004],
    [`[${'['.repeat(1000)}`, 'it ends before its list does', undefined, 1001],
  ])('%#', async (text, what, element, byte) => {
    const error = await ofList(text)
    expect(error).toMatchObject({ what })
    if (element !== undefined) expect(error).toMatchObject({ element })
    if (byte !== undefined) expect(error).toMatchObject({ byte })
  })

  test('nothing between the last comma and the end, after all elements were emitted', async () => {
    const error = await errorOf(() => runsOf([Buffer.from(`[${good}`), Buffer.from(']')]))
    expect(error).toMatchObject({ what: 'nothing between two commas', element: 1, byte: good.length + 1 })
  })

  test('is what the caller can explain, where it can', () => {
    const decoder = new ArrayDecoder((other) => new RangeError(JSON.stringify(other)))
    expect([...decoder.push(Buffer.from('{"a":1}'))]).toEqual([])
    expect(() => decoder.end()).toThrow(new RangeError('{"a":1}'))
  })
})

test('runs of a long list are neither single elements nor much of it', () => {
  const element = JSON.stringify('x'.repeat(998))
  const runs = runsOf([Buffer.from(`[${Array(1000).fill(element).join(',')}]`)])
  expect(runs.flatMap(({ values }) => values)).toHaveLength(1000)
  // a piece of 64 KiB each
  expect(runs.length).toBeGreaterThanOrEqual(15)
  expect(runs.length).toBeLessThanOrEqual(21)
})

describe('what a value that is none says', () => {
  test.each([
    [' ', 'it is empty'],
    ['1,2', 'it is more than one value'],
    ['{"a":1', 'it ends before its value does'],
    ['<html>', 'it is HTML or XML'],
    ['<html "', 'it is HTML or XML'],
    ['nope', 'it is not JSON'],
  ])('%j', async (text, what) => {
    expect(await ofValue(text)).toMatchObject({ what })
  })

  test('where it ends', async () => {
    expect(await ofValue('{"a":1')).toMatchObject({ byte: 6 })
  })
})

describe('strings that are no UTF-8, read as Latin-1', () => {
  const loss = (field: string, original: string) => ({
    field,
    kind: 'invalid_utf8',
    original: JSON.stringify(original),
  })

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
  ])('%s', (_, value, losses) => {
    expect(damagedStrings(value)).toEqual(losses)
  })
})
