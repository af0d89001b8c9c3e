import { describe, expect, test } from 'vitest'
import { FolderNames } from '../src/names/naming.ts'
import { plainName } from '../src/names/plain-name.ts'
import type { Head } from '../src/tree/head.ts'
import { placePages, placePosts } from '../src/tree/places.ts'
import { withPaths } from './places-with-paths.ts'

// Trees of any records with any titles, by all namings: any-names.test.ts.

const place = (pages: readonly Head[]) => withPaths(placePages('p', 'data/markdown/P', pages, 'plain'))

const head = (id: string, parentId: string | null, title: string): Head => ({ id, parentId, title, updatedAt: null })

describe('a plain name', () => {
  test.each([
    ['Meeting Notes: Q3', 'Meeting Notes - Q3'],
    ['产品路线图 2024', '产品路线图 2024'],
    ['A/B testing?', 'A-B testing'],
    ['"Quoted" <b>', 'Quoted - b'],
    ['[Draft] Plan', 'Draft - Plan'],
    ['.gitignore', 'gitignore'],
    ['_drafts', 'drafts'],
    ['README.md', 'README'],
    ['CON', 'CON_'],
    ['git~1', 'git~1_'],
    ['No\u200btes', 'Notes'],
    ['a`b', 'a-b'],
    ['nul.txt', 'nul_.txt'],
    ['Console', 'Console'],
    ['Wait... ', 'Wait'],
    ['  two\n lines ', 'two lines'],
    ['🎉 Party (2024)', '🎉 Party (2024)'],
    ['../../etc/passwd', 'etc-passwd'],
    ['???', 'Untitled'],
    [null, 'Untitled'],
  ])('of %j is %j', (title, name) => {
    expect(plainName(title)).toBe(name)
  })

  test('takes no time over a title of megabytes', () => {
    expect(plainName(`${'. -'.repeat(1_000_000)}x`)).toBe('Untitled')
  })
})

describe('records of one name', () => {
  const names = (...ids: string[]) => new FolderNames('plain').name(ids.map((id) => ({ id, title: 'Notes' })))

  test('are numbered from their own ids, but for the smallest', () => {
    const [b, a, c] = names('b', 'a', 'c')
    expect(a).toBe('Notes')
    expect([b, c]).toEqual([
      expect.stringMatching(/^Notes \([0-9a-f]{8}\)$/),
      expect.stringMatching(/^Notes \([0-9a-f]{8}\)$/),
    ])
    expect(names('a', 'c')[1]).toBe(c)
    expect(names('b', 'c')).toEqual(['Notes', c])
    expect(names('0', 'a', 'c')[2]).toBe(c)
  })

  test('are distinguished if only case, form or endings differ, and from reserved names', () => {
    const titles = ['Café', 'CAFE\u0301', 'café.md', 'Assets']
    const given = new FolderNames('plain', ['assets']).name(titles.map((title, index) => ({ id: `${index}`, title })))
    expect(given[0]).toBe('Café')
    expect(given.slice(1).every((name) => / \([0-9a-f]{8}\)$/.test(name))).toBe(true)
  })

  test('make way for a title that looks like a numbered name', () => {
    const [, second = ''] = names('a', 'b')
    const records = [...['a', 'b'].map((id) => ({ id, title: 'Notes' })), { id: 'c', title: second }]
    const given = new FolderNames('plain').name(records)
    expect(given[2]).toBe(second)
    expect(given[1]).toMatch(/^Notes \([0-9a-f]{12}\)$/)
  })
})

describe('a tree of plain names', () => {
  test('has titles for folders', () => {
    const { paths } = place([
      head('a', null, 'Guide'),
      head('b', 'a', 'Part 1'),
      head('c', 'a', 'part 1'),
      head('d', 'b', 'x'),
    ])
    expect(paths).toEqual([
      ...['pages/Guide.md', 'pages/Guide/Part 1.md'],
      ...[expect.stringMatching(/^pages\/Guide\/part 1 \([0-9a-f]{8}\)\.md$/), 'pages/Guide/Part 1/x.md'],
    ])
  })

  test('begins again at the top where it is too deep, beside those that belong there', () => {
    const chain = Array.from({ length: 100 }, (_, index) =>
      head(`p${String(index).padStart(3, '0')}`, index === 0 ? null : `p${String(index - 1).padStart(3, '0')}`, 'Deep'),
    )
    const { paths, issues } = place(chain)
    expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(100)
    expect(issues.map(({ record_key }) => record_key)).toEqual(['p032', 'p064', 'p096'])
    expect(paths[32]).toMatch(/^pages\/Deep \([0-9a-f]{8}\)\.md$/)
  })

  test('gives posts their titles', () => {
    expect(withPaths(placePosts([head('2', null, 'Hi'), head('1', null, 'hi')], 'plain')).paths).toEqual([
      ...[expect.stringMatching(/^posts\/Hi \([0-9a-f]{8}\)\.md$/), 'posts/hi.md'],
    ])
  })
})
