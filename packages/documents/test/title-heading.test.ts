import { anyCharacter } from '@collab-etl/harness/any-character'
import fc from 'fast-check'
import { micromark } from 'micromark'
import { describe, expect, test } from 'vitest'
import { titleHeading } from '../src/markdown/title-heading.ts'

describe('the title as heading', () => {
  test.each([
    ...['# Own', '#', '\n\n  # Own', '\uFEFF# Own', 'Own\n===', 'Own\r\n  =  \r\ntext', 'Own\n  heading\r\n='],
    ...['<h1>Own</h1>', '<H1 id="a">', '[x]: /u\n [y]: /v \r\n\n# Own'],
  ])('is not added to a text that begins with a heading: %j', (text) => {
    expect(titleHeading('Title', text)).toBe('')
  })

  test.each([
    ...['', 'text', '## Second', '#tag', '    # code', '\n\n\t# code', 'text\n# Later', '<h1x>', 'a\n\n==='],
    ...['- # item', '[x]: /u\ntext', '    [x]: /u\n# Own'],
  ])('is added to a text that begins otherwise: %j', (text) => {
    expect(titleHeading('Title', text)).toBe('# Title\n\n')
  })

  test.each([null, '', ' \n'])('is not added without a title: %j', (title) => {
    expect(titleHeading(title, 'text')).toBe('')
  })

  test('gives one heading of the first level at the beginning, with any title and text', () => {
    const part = fc.constantFrom(
      ...['#', ' ', '\r\n', '\n', '\t', '=', 'a', '>', '-', '[x]: /u', '<h1>', '```', '\\', '&amp;'],
    )
    const text = fc.array(fc.oneof(part, fc.string({ unit: anyCharacter, maxLength: 3 })), { maxLength: 8 })
    const texts = text.map((parts) => parts.join('').toWellFormed())
    fc.assert(
      fc.property(texts, texts, (title, content) => {
        const heading = titleHeading(title, content)
        if (heading === '') return
        expect(heading.split('\n')).toHaveLength(3)
        const html = micromark(heading + content, { allowDangerousHtml: true })
        expect(html).toMatch(/^<h1>[^\n]*<\/h1>/)
        expect(micromark(content, { allowDangerousHtml: true })).not.toMatch(/^<h1>/)
      }),
      { numRuns: 300 },
    )
  })

  test('is found in reasonable time in a text of many line ends', () => {
    const before = process.cpuUsage()
    titleHeading('Title', '\r\n'.repeat(200_000))
    titleHeading('Title', `${'\r\n'.repeat(200_000)}x`)
    titleHeading('Title', ' '.repeat(400_000))
    titleHeading('Title', '[x]: /u\n'.repeat(50_000))
    titleHeading('Title', 'x\r\n'.repeat(100_000))
    titleHeading('Title', `[${'x '.repeat(200_000)}`)
    const { user, system } = process.cpuUsage(before)
    expect(user + system).toBeLessThan(1_000_000)
  })
})
