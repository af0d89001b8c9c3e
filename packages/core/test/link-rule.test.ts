import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findLinks, LinkRule, parseServiceHosts } from '../src/index.ts'

const rule = new LinkRule({
  baseUrl: 'https://collab.example.co.uk:8443/api',
  serviceHosts: ['old-wiki.test', 'xn--bcher-kva.example'],
  hasProject: (pid) => pid === 'P1',
})

/** Ids of the posts that a text refers to. */
const posts = (text: string, by = rule) => findLinks(text, [], by).map(({ id }) => id)

describe('an address refers to a post', () => {
  test.each([
    ['relative to the root', '/posts/1'],
    ['relative, in a Markdown link', '[x](../posts/1)'],
    ['on the host of the base URL', 'https://collab.example.co.uk/posts/1'],
    ['on another port of it', 'http://collab.example.co.uk:99/posts/1'],
    ['on another host of its domain', 'https://example.co.uk/posts/1'],
    ['in capitals', 'HTTPS://COLLAB.EXAMPLE.CO.UK/posts/1'],
    ['with a trailing dot', 'https://collab.example.co.uk./posts/1'],
    ['with credentials', 'https://somebody:word@collab.example.co.uk/posts/1'],
    ['without a scheme', '//collab.example.co.uk/posts/1'],
    ["on the service's own site", 'https://acme.worktile.com/posts/1'],
    ['on a host of the configuration', 'https://old-wiki.test/posts/1'],
    ['below a host of the configuration', 'https://en.old-wiki.test/posts/1'],
    ['on a host with other letters', 'https://bücher.example/posts/1'],
    ['anywhere, if it names a project of the run', 'https://blog.example.com/project/P1/posts/1'],
    ["inside another site's address", 'https://go.example.com/?to=https://acme.worktile.com/posts/1'],
  ])('%s: %s', (_, text) => {
    expect(posts(text)).toEqual(['1'])
  })

  test.each([
    ['on another site', 'https://blog.example.com/posts/hello-world'],
    ['on a site of the same suffix', 'https://other.co.uk/posts/1'],
    ['of a project that is none of the run', 'https://blog.example.com/project/P2/posts/1'],
    ['on another site without a scheme', '//blog.example.com/posts/1'],
    ['on a site whose credentials look like the service', 'https://worktile.com@evil.example/posts/1'],
    ['on a site whose name begins like the service', 'https://worktile.com.evil.example/posts/1'],
    ['on a site whose name ends like the service', 'https://notworktile.com/posts/1'],
    ['on a site with a letter that looks like one of the service', 'https://wоrktile.com/posts/1'],
    ['without a host', 'https:///posts/1/'],
  ])('not %s: %s', (_, text) => {
    expect(posts(text)).toEqual([])
  })

  test.each([
    ['127.0.0.1', 'http://127.0.0.1:4010/posts/1', 'http://127.0.0.2/posts/1'],
    ['[::1]', 'http://[::1]:4010/posts/1', 'http://[::2]/posts/1'],
    ['localhost', 'http://localhost/posts/1', 'http://other/posts/1'],
    ['collab.github.io', 'https://collab.github.io/posts/1', 'https://blog.github.io/posts/1'],
  ])('of a service on %s by that host, with any port', (host, own, other) => {
    const of = new LinkRule({ baseUrl: `http://${host}:80`, hasProject: () => false })
    expect(of.isOwn(own)).toBe(true)
    expect(of.isOwn(other)).toBe(false)
  })

  test('by a pattern of the user, on any host', () => {
    const pattern = { kind: 'post', pattern: /https:\/\/forum\.test\/t\/(?<id>\d+)/gu } as const
    expect(findLinks('https://forum.test/t/7', [pattern], rule)).toEqual([{ kind: 'post', id: '7', pid: null }])
  })

  test('never by a host that only begins or ends like one of the service', () => {
    const label = fc.stringMatching(/^[a-z0-9]{1,10}$/)
    fc.assert(
      fc.property(label, fc.constantFrom('worktile.com', 'old-wiki.test', 'example.co.uk'), (some, own) => {
        expect(posts(`https://${own}.${some}.example/posts/1`)).toEqual([])
        expect(posts(`https://${some}${own}/posts/1`)).toEqual([])
        expect(posts(`https://${some}.${own}/posts/1`)).toEqual(['1'])
      }),
    )
  })
})

describe('service_hosts', () => {
  test('are host names, in lower case and ASCII', () => {
    expect(parseServiceHosts(['Wiki.Example.com', 'bücher.example', '10.0.0.1', 'localhost', 'a.test.'])).toEqual([
      ...['wiki.example.com', 'xn--bcher-kva.example', '10.0.0.1', 'localhost', 'a.test'],
    ])
  })

  test.each([
    ['wiki.example.com', /must be a list of host names/],
    [[1], /entry 1 must be a host name without scheme, port and path/],
    [['a.test', 'https://b.test'], /entry 2 must be a host name/],
    [['b.test:8080'], /entry 1 must be a host name/],
    [['b.test/path'], /entry 1 must be a host name/],
    [['*.b.test'], /entry 1 must be a host name/],
    [['co.uk'], /entry 1: co\.uk is shared/],
    [['com'], /entry 1: com is shared/],
    [['github.io'], /entry 1: github\.io is shared/],
  ])('%j is refused', (value, message) => {
    expect(() => parseServiceHosts(value)).toThrow(message)
  })
})
