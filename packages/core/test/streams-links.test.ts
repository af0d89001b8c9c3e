import { times } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { linkedProject, linkTargets } from '../src/streams/link-target.ts'
import { findLinks } from '../src/streams/links.ts'

/** `post:ID` or `post:ID@PID`. */
const found = (text: string, ...patterns: Parameters<typeof findLinks>[1] & object) =>
  findLinks(text, patterns).map(({ kind, id, pid }) => `${kind}:${id}${pid === null ? '' : `@${pid}`}`)

describe('the project that a URL leads to', () => {
  test.each([
    ['https://host/projects/P1', 'P1'],
    ['/project/P%2D1/?tab=2#top', 'P-1'],
    ['https://host/#/projects/P1', 'P1'],
    ['https://host/app#!/project/P1/', 'P1'],
    ['https://host/projects/P1/tasks', null],
    ['https://host/projects/P1/post/A1', null],
    ['https://host/project/P1#/post/A1', null],
    ['https://host/projects', null],
    ['https://host/?projects/P1', null],
    ['https://host/projects/..', null],
  ])('%s: %s', (url, pid) => {
    expect(linkedProject(url)).toBe(pid)
  })
})

describe('where a URL leads', () => {
  test.each([
    ['https://host/project/P1/post/A-1', ['post:A-1@P1']],
    ['https://host/projects/P1/posts/A1/', ['post:A1@P1']],
    ['https://host/posts/A1', ['post:A1']],
    ['https://host/team/7/projects/P1/pages/G1', ['page:G1@P1']],
    ['https://host/project/P1/files/F1?download=1', ['file:F1@P1']],
    ['https://host/#/project/P1/post/A1', ['post:A1@P1']],
    ['https://host/app#!/projects/P1/posts/A1?x=1', ['post:A1@P1']],
    ['https://host/project/P1#/post/A1', ['post:A1@P1']],
    ['https://host/project/P1/post/A1#comment-7', ['post:A1@P1']],
    ['https://host/PROJECT/P1/Posts/A1', ['post:A1@P1']],
    ['https://host/project/P1/post/A1/file/F1', ['post:A1@P1', 'file:F1@P1']],
    ['https://host/post/A1/project/P1', ['post:A1']],
    ['https://host/project/P%201/post/A%2D1', ['post:A-1@P 1']],
    ['https://host/post/a.b~c_d', ['post:a.b~c_d']],
    ['https://host/project/P1/posts', []],
    ['https://host/project/P1/posts/', []],
    ['https://host/project//post/A1', ['post:A1']],
    ['https://host/search?q=/post/A1', []],
    ['https://host/post/%E0%A4%A', []],
    ['https://host/post/..%2Fadmin', []],
    ['https://host/post/%2e%2e', []],
    ['https://host/post/a%00b', []],
    ['https://host/v1/posts/:post_id', []],
    ['https://host/post/{id}', []],
    ['https://host/compost/A1', []],
    [`https://host/post/${'a'.repeat(257)}`, []],
  ])('%s', (url, targets) => {
    const found = linkTargets(url).map(({ kind, id, pid }) => `${kind}:${id}${pid === null ? '' : `@${pid}`}`)
    expect(found).toEqual(targets)
  })
})

describe('links in texts', () => {
  test.each([
    ['plain text', 'See https://host/post/A1, please.', ['post:A1']],
    ['the end of a sentence', 'It is in https://host/post/A1.', ['post:A1']],
    ['brackets', 'There (https://host/post/A1) and [https://host/post/A2].', ['post:A1', 'post:A2']],
    ['Chinese text without spaces', '请看https://host/post/A1，然后https://host/post/A2。', ['post:A1', 'post:A2']],
    ['Chinese letters after an id', 'https://host/post/A1请看', ['post:A1']],
    ['a path behind Chinese letters', 'https://host/project/P1/post/A1请看/page/2', ['post:A1@P1']],
    ['emphasis glued to Chinese letters', '__https://host/post/A1__请看', ['post:A1']],
    ['a Chinese path', 'https://host/文档/post/A1 [two](/v2版本/post/A2)', ['post:A1', 'post:A2']],
    ['Markdown', '[one](https://host/post/A1 "title") and <https://host/post/A2>', ['post:A1', 'post:A2']],
    ['a Markdown link relative to the root', '[one](/project/P1/post/A1)', ['post:A1@P1']],
    [
      'a relative Markdown link',
      '[one](../posts/A1) [two](<posts/A2>) [three](posts/A3#x)',
      ['post:A1', 'post:A2', 'post:A3'],
    ],
    ['a Markdown reference', '[one]: posts/A1\n[two]: <posts/A2>', ['post:A1', 'post:A2']],
    ['HTML', '<a href="posts/A1">one</a> <img src=\'/file/F1\'>', ['post:A1', 'file:F1']],
    ['HTML without quotes', '<a href=https://host/post/A1>one</a>', ['post:A1']],
    ['emphasis', '**https://host/post/A1** __https://host/post/A2__ _/post/A3_', ['post:A1', 'post:A2', 'post:A3']],
    ['an id that ends with an underscore', 'https://host/post/A1_', ['post:A1_']],
    ['a path alone', 'It is at /projects/P1/posts/A1', ['post:A1@P1']],
    ['a host without a scheme', '[one](//host/post/A1)', ['post:A1']],
    ['a list joined by commas', 'https://host/post/A1?x=1,https://host/post/A2', ['post:A1', 'post:A2']],
    ['a link within a link', 'https://away/?to=https://host/post/A1', ['post:A1']],
    ['the same link twice', '/post/A1 https://host/post/A1', ['post:A1']],
    ['two words and a slash', 'files/folders or post/put, and/or pages/A1', []],
    ['another scheme', '[one](mailto:posts/A1@host) [two](app:posts/A1)', []],
    ['code', '`/post/A1` and\n```\n/post/A2\n```', ['post:A1', 'post:A2']],
    ['an escaped bracket', '[one](/post/A1\\)', ['post:A1']],
    ['nothing', '', []],
  ])('%s', (_, text, targets) => {
    expect(found(text)).toEqual(targets)
  })

  test('further patterns, with and without the project', () => {
    const short = { kind: 'post' as const, pattern: /#(?<id>\d+)/ }
    const long = { kind: 'file' as const, pattern: /(?<pid>\w+)!(?<id>\w+)/gi }
    expect(found('see #12 and #13, P1!f1', short, long)).toEqual(['post:12', 'post:13', 'file:f1@P1'])
  })

  test('a pattern that names no id, or an empty one, finds nothing', () => {
    expect(found('x', { kind: 'post', pattern: /x(?<id>)/ }, { kind: 'post', pattern: /x/ })).toEqual([])
  })
})

describe('any text', () => {
  const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,20}[A-Za-z0-9]$/)
  const break_ = fc.constantFrom(' ', '\n', '(', ')', '<', '>', '"', '，', '。', '】')

  test('a link between breaks is found in any text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), id, id, break_, break_, (before, behind, pid, post, open, close) => {
        const url = `https://host/projects/${encodeURIComponent(pid)}/posts/${post}`
        expect(findLinks(`${before}${open}${url}${close}${behind}`)).toContainEqual({ kind: 'post', id: post, pid })
      }),
    )
  })

  test('never throws, and names only ids that can be asked for', { tags: 'thorough' }, () => {
    const parts = fc.constantFrom(
      ...['/', 'post', 'posts/', 'project/', '%', '%2F', '#', '?', 'https://', '](', '"', 'A', '.'],
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(parts, fc.string({ maxLength: 3 })), { maxLength: 40 }), (pieces) => {
        for (const target of findLinks(pieces.join(''))) {
          expect(target.id).not.toMatch(/^$|^\.\.?$|[/\\\p{Cc}]/u)
          expect(target.pid).not.toBe('')
        }
      }),
      { numRuns: times(200, 2_000) },
    )
  })

  test.each(['/', 'post/', 'https://', '__', '](', '%41', 'posts/a', '"', ' ', 'https://h/post/1,', '*_~'])(
    'the time for %j over and over grows with its length',
    (piece) => {
      // Hundreds of thousands of characters: anything worse than linear would not come back.
      const text = piece.repeat(Math.ceil(400_000 / piece.length))
      expect(findLinks(text).length).toBeLessThan(3)
    },
  )
})
