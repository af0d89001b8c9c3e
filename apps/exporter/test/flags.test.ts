import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CONTENT } from '@collab-etl/backups'
import { parseLinkPatterns } from '@collab-etl/core'
import { scratch } from '@collab-etl/harness/scratch'
import { describe, expect, test } from 'vitest'
import { parseContent, parseDelimiter, parseFormats, readKnownPosts } from '../src/commands/backup-flags.ts'

describe('--format', () => {
  test('is a list in any order', () => {
    expect([...parseFormats('csv, markdown')]).toEqual(['markdown', 'csv'])
    expect([...parseFormats('csv')]).toEqual(['csv'])
  })

  test.each(['pdf', 'csv,pdf', '', ',', 'CSV'])('%j is refused', (text) => {
    expect(() => parseFormats(text)).toThrow(expect.objectContaining({ exitCode: 2 }))
  })
})

describe('--content', () => {
  const csv = new Set(['csv'] as const)

  test('is a list in any order; without it, it is everything', () => {
    expect([...parseContent('tasks, pages', csv)]).toEqual(['pages', 'tasks'])
    expect([...parseContent(undefined, csv)]).toEqual(CONTENT)
    expect([...parseContent(CONTENT.join(','), new Set(['markdown']))]).toEqual(CONTENT)
  })

  test.each([
    ...['todos', 'tasks,todos', '', ',', 'TASKS'].map(
      (text) => [text, 'csv', 'one or more of pages,posts,tasks,events,files,users, not'] as const,
    ),
    ['pages,users', 'markdown', '--content users cannot be written as markdown: add csv to --format'],
    ['users', 'jsonl', '--content users cannot be written as jsonl: add csv to --format'],
  ] as const)('%j is refused as %s', (text, format, message) => {
    expect(() => parseContent(text, new Set([format]))).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining(message) }),
    )
  })
})

describe('--delimiter', () => {
  test.each([
    [',', ','],
    [';', ';'],
    ['|', '|'],
    ['tab', '\t'],
    ['\\t', '\t'],
    ['\t', '\t'],
  ])('%j is %j', (word, delimiter) => {
    expect(parseDelimiter(word)).toBe(delimiter)
  })

  test.each(['', ';;', 'x', '"', '\n', '=', 'TAB'])('%j is refused', (word) => {
    expect(() => parseDelimiter(word)).toThrow(expect.objectContaining({ exitCode: 2 }))
  })
})

describe('--post and --posts-file', () => {
  test('name posts by project; an id may hold a colon', async () => {
    const file = join(await scratch(), 'posts.csv')
    await writeFile(file, '\uFEFFtitle,pid,post_id\r\n"a, b",p1,3\r\n')
    expect(await readKnownPosts(['p1:1', 'p2:x:y'], file)).toEqual(
      new Map([
        [
          'p1',
          [
            { id: '1', source: 'flag' },
            { id: '3', source: 'file' },
          ],
        ],
        ['p2', [{ id: 'x:y', source: 'flag' }]],
      ]),
    )
  })

  test.each(['7', ':7', 'p:', ' : '])('--post %j is refused', async (post) => {
    await expect(readKnownPosts([post], undefined)).rejects.toMatchObject({ exitCode: 2 })
  })

  test('a file that is not there is refused', async () => {
    await expect(readKnownPosts([], join(await scratch(), 'none.csv'))).rejects.toMatchObject({ exitCode: 2 })
  })
})

describe('links: of the config file', () => {
  test('are patterns with the kind of what they lead to', () => {
    expect(parseLinkPatterns([{ kind: 'page', pattern: 'doc=(?<id>\\d+)' }])).toEqual([
      { kind: 'page', pattern: /doc=(?<id>\d+)/gu },
    ])
  })

  test.each([
    ['a word', /must be a list/],
    [[1], /entry 1 must have kind and pattern/],
    [[{ kind: 'task', pattern: '(?<id>.)' }], /entry 1: kind must be one of post, page, file/],
    [[{ kind: 'post', pattern: '.' }], /group/],
    [[{ kind: 'post', pattern: '(?<id>' }], /no regular expression/],
  ])('%j is refused', (value, message) => {
    expect(() => parseLinkPatterns(value)).toThrow(message)
  })
})
