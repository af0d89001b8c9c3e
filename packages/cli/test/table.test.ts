import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../../test/harness/any-character.ts'
import { fitText, formatTable, plainText, textWidth } from '../src/index.ts'

describe('a table', () => {
  test('lines up Chinese titles, and numbers to the right', () => {
    const text = formatTable(
      ['name', 'tasks'],
      [
        ['设计', 5],
        ['Design', 1200],
        [null, null],
      ],
    )
    expect(text.split('\n')).toEqual(['name    tasks', '──────  ─────', '设计        5', 'Design   1200', ''])
  })

  test('follows the alignment that was asked for', () => {
    expect(formatTable([{ header: 'size', align: 'right' }], [['1 kB']])).toBe('size\n────\n1 kB')
    expect(formatTable([{ header: 'long header', align: 'right' }], [['1']]).split('\n')[2]).toBe('          1')
  })

  test('shows objects as JSON, dates as ISO 8601, and line ends as spaces', () => {
    const text = formatTable(['a', 'b', 'c'], [[{ x: 1 }, new Date(0), 'one\r\n\ttwo']])
    expect(text.split('\n')[2]).toBe('{"x":1}  1970-01-01T00:00:00.000Z  one two')
  })

  test('is cut to the terminal, the widest column first', () => {
    const text = formatTable(['id', 'text'], [['p1', 'x'.repeat(100)]], { width: 40 })
    expect(text.split('\n').map(textWidth)).toEqual([8, 40, 40])
    expect(text).toContain('x…')
  })

  test('never cuts its first column, nor ids in columns that are not known', () => {
    const id = '0123456789abcdef01234567'
    const text = formatTable(['name', 'id', 'text'], [['a b '.repeat(8), id, 'some words '.repeat(9)]], {
      width: 80,
      keepsWords: true,
    })
    expect(text.split('\n').map(textWidth)).toEqual([63, 80, 80])
    expect(text.split('\n')[2]).toMatch(new RegExp(`^(?:a b ){8} ${id}  some words some word…$`))
  })

  test('that is still too wide is folded: a line for each value', () => {
    const id = 'x'.repeat(30)
    const rows = [
      [id, id, null],
      [id, id, 'long '.repeat(20)],
    ]
    const text = formatTable([{ header: 'pid' }, { header: 'tid', isWhole: true }, 'a text'], rows, { width: 64 })
    const ids = [`pid     ${id}`, `tid     ${id}`]
    expect(text.split('\n')).toEqual([...ids, 'a text', '', ...ids, `a text  ${'long '.repeat(11)}…`])
    expect(formatTable(['a'.repeat(40), 'b'.repeat(40)], [], { width: 45 })).toBe(
      `${'a'.repeat(40)}, ${'b'.repeat(40)}`,
    )
  })

  test('of no rows is its header', () => {
    expect(formatTable(['a', 'b'], [])).toBe('a  b\n─  ─')
  })
})

describe('text from elsewhere', () => {
  test('can neither colour, move the cursor, ring, retitle the window, nor turn its direction', () => {
    expect(plainText('\u001b[31mred\u001b[0m \u001b]0;title\u0007\u009b2Jx\u202egnp.exe')).toBe('red x gnp.exe')
  })

  test('any text becomes one line without controls', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(plainText(text)).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
      }),
    )
  })

  test('any text is cut to any width, and whole where it fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }).map(plainText), fc.nat(20), (text, width) => {
        const fitted = fitText(text, width)
        expect(textWidth(fitted)).toBeLessThanOrEqual(width)
        if (textWidth(text) <= width) expect(fitted).toBe(text)
      }),
    )
  })
})
