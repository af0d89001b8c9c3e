import { scratch } from '@collab-etl/harness/scratch'
import { filesOf } from '@collab-etl/harness/trees'
import { describe, expect, test } from 'vitest'
import type { BackupOptions } from '../src/backup/options.ts'
import { writeBag } from './backup-in.ts'
import { goldenSource } from './golden-source.ts'
import { commentRow, fileRow, handMadeSource, pageRow, postRow, projectRow } from './rows.ts'

interface Losses {
  readonly losses: readonly {
    readonly record_key: string
    readonly field: string
    readonly kind: string
    readonly original: string
  }[]
}

/** What a backup of one page with a text holds, and what it says is lost. */
async function backedUp(content: string, options: Partial<BackupOptions> = {}) {
  const source = handMadeSource({
    tables: {
      projects: [projectRow('p1', 'One'), projectRow('p2', 'Two')],
      pages: [
        pageRow('p1', 'a', 'A', { content }),
        pageRow('p1', 'b', 'B', { content: '' }),
        pageRow('p2', 'c', 'C', { content: '' }),
      ],
      posts: [postRow('p1', '1', 'Post', { content: '' })],
      files: [fileRow('p1', 'f1', 'Plan.pdf'), fileRow('p2', 'A b', 'Other')],
      post_comments: [commentRow('p1', '1', 'c1', { raw_message: '[x](/pages/no) [x](/pages/b)' })],
    },
  })
  const bag = await scratch()
  await writeBag(bag, source, options)
  const files = await filesOf(bag)
  const manifest: Losses = JSON.parse(files.get('data/backup.json') ?? '')
  const missing = manifest.losses.filter(({ kind }) => kind === 'link_target_missing')
  const page = files.get('data/markdown/one--p1/pages/a--a.md') ?? ''
  return {
    text: page.slice(page.indexOf('\n---\n') + '\n---\n'.length),
    missing: missing.filter(({ record_key }) => record_key === 'a').map(({ original }): string => JSON.parse(original)),
    others: missing.filter(({ record_key }) => record_key !== 'a'),
    files,
  }
}

describe('links that lead nowhere', () => {
  test('are listed, each address once for a text, in their order, of pages, posts and projects', async () => {
    const { missing, others } = await backedUp(
      '[x](/posts/2) [y](/pages/no "t") <http://localhost/projects/p1/pages/no> [z](/projects/p3) [x](/posts/2) ' +
        '<a href="/projects/p3/pages/c">',
    )
    expect(missing).toEqual([
      '/posts/2',
      '/pages/no',
      'http://localhost/projects/p1/pages/no',
      '/projects/p3',
      '/projects/p3/pages/c',
    ])
    expect(others).toEqual([
      expect.objectContaining({ stream: 'posts', record_key: '1 c1', field: 'raw_message', original: '"/pages/no"' }),
    ])
  })

  test('are none of other sites, but for those that name a project that is in the backup', async () => {
    const { missing } = await backedUp(
      '[x](https://blog.example/posts/2) [y](https://github.com/o/projects/5) [z](//web.example/project/p2/page/no) ' +
        '[f](/files/7) [f](/posts/2/files/7) [s](/projects/p3/tasks)',
    )
    expect(missing).toEqual(['//web.example/project/p2/page/no', '/files/7', '/posts/2/files/7'])
  })

  test('of a form from the config file are listed, also with conditions on the text around it', async () => {
    const forms = [
      ...['^https://h/\\?doc=(?<id>\\w+)$', '(?<id>[a-z]+)$', '\\bhttps:.*=(?<id>\\w+)\\b', 'doc=(?<id>\\w+)(?![)])'],
      ...['(?<![(])https:.*doc=(?<id>\\w+)', '[$^]?doc=(?<id>\\w+)'],
    ]
    for (const form of forms) {
      const links = [{ kind: 'page' as const, pattern: new RegExp(form, 'gu') }]
      const { text, missing } = await backedUp('[x](https://h/?doc=b)\n\n_https://h/?doc=no_\n', { links })
      expect(text, form).toBe('[x](b--b.md)\n\n_https://h/?doc=no_\n')
      expect(missing, form).toEqual(['https://h/?doc=no'])
    }
  })

  test('of a form from the config file with a scheme are listed where the text has none', async () => {
    const links = [{ kind: 'page' as const, pattern: /http:\/\/www\.h\.co\/(?<id>\w+)/gu }]
    expect((await backedUp('www.h.co/b', { links })).text).toBe('[www.h.co/b](b--b.md)')
  })

  test('are none that are addresses of mail', async () => {
    const { text, missing } = await backedUp('<posts/1@h.co> posts/1@h.co <pages/no@h.co>')
    expect(text).toBe('<posts/1@h.co> posts/1@h.co <pages/no@h.co>')
    expect(missing).toEqual([])
  })

  test('are listed for every style of links', async () => {
    for (const linkStyle of ['relative', 'page', 'wiki', 'none'] as const) {
      expect((await backedUp('[x](/pages/no)', { linkStyle })).missing).toEqual(['/pages/no'])
    }
  })
})

describe('links to projects, pages, posts and files', () => {
  const text =
    '[all](/projects/p2#top) [c](http://x/project/p2/page/c#here) [post](/posts/1) <http://localhost/pages/b>'

  test('lead from file to file', async () => {
    expect((await backedUp(text)).text).toBe(
      '[all](../../two--p2/README.md#top) [c](../../two--p2/pages/c--c.md#here) [post](../posts/post--1.md) ' +
        '[http://localhost/pages/b](b--b.md)',
    )
  })

  test('lead from page to page', async () => {
    const { text: rewritten, files } = await backedUp(text, { linkStyle: 'page' })
    expect(rewritten).toBe(
      '[all](../../two--p2/README#top) [c](../../two--p2/pages/c--c#here) [post](../posts/post--1) ' +
        '[http://localhost/pages/b](./b--b)',
    )
    expect(files.get('data/markdown/README.md')).toContain(
      '- [One](./one--p1/README), pages: 2, posts: 1, tasks: 0, events: 0, files: 1\n',
    )
    expect(files.get('data/markdown/one--p1/README.md')).toContain('- [A](./pages/a--a), updated ')
  })

  test.each([
    ['relative', '[f](../files.md#file-f1) [g](../../two--p2/files.md#file-A~20~b)'],
    ['page', '[f](../files#file-f1) [g](../../two--p2/files#file-A~20~b)'],
    ['wiki', '[[one--p1/files#file-f1|f]] [[two--p2/files#file-A~20~b|g]]'],
    ['none', '[f](/posts/2/files/f1#top) [g](/projects/p2/files/A%20b)'],
  ] as const)('lead to the place of a file in its list: %s', async (linkStyle, expected) => {
    const links = '[f](/posts/2/files/f1#top) [g](/projects/p2/files/A%20b)'
    const { text, files } = await backedUp(links, { linkStyle })
    expect(text).toBe(expected)
    expect(files.get('data/markdown/two--p2/files.md')).toContain('<a id="file-A~20~b"></a>')
  })

  test('are wiki links from the top of the tree', async () => {
    expect((await backedUp(text, { linkStyle: 'wiki' })).text).toBe(
      '[[two--p2/README#top|all]] [[two--p2/pages/c--c#here|c]] [[one--p1/posts/post--1|post]] [[one--p1/pages/b--b|B]]',
    )
  })

  test('keep fragments in any letters', async () => {
    const places =
      '[a](/pages/b#第二章) [b](/pages/b#%E7%AC%AC) [c](</pages/b#a) "b>) <https://worktile.com/pages/b#第二章>'
    expect((await backedUp(places)).text).toBe(
      '[a](b--b.md#第二章) [b](b--b.md#%E7%AC%AC) [c](<b--b.md#a%29%20%22b>) [https://worktile.com/pages/b\\#第二章](b--b.md#第二章)',
    )
    expect((await backedUp(places, { linkStyle: 'wiki' })).text).toBe(
      '[[one--p1/pages/b--b#第二章|a]] [[one--p1/pages/b--b#第|b]] [[one--p1/pages/b--b#a) "b|c]] ' +
        '[[one--p1/pages/b--b#第二章|https://worktile.com/pages/b#第二章]]',
    )
  })

  test('to plain names have them encoded', async () => {
    const source = handMadeSource({
      tables: {
        projects: [projectRow('p1', 'Plan (2024)')],
        pages: [
          pageRow('p1', 'a', "It's 1 & 2", { content: '[b](/pages/b)' }),
          pageRow('p1', 'b', "it's 1 & 2", { content: '[a](/pages/a)' }),
        ],
      },
    })
    const bag = await scratch()
    await writeBag(bag, source, { naming: 'plain' })
    const files = await filesOf(bag)
    expect(files.get('data/markdown/README.md')).toContain('- [Plan (2024)](Plan%20%282024%29/README.md)')
    const [path = '', text] = [...files].find(([path]) => /1 & 2 \(\w{8}\)\.md$/.test(path)) ?? []
    expect(text).toMatch(/\n---\n\[a\]\(It%27s%201%20%26%202\.md\)$/)
    expect(path).toMatch(/^data\/markdown\/Plan \(2024\)\/pages\/it's 1 & 2 \(/)
  })
})

test('backup.json says how names and links are written', async () => {
  const bag = await scratch()
  await writeBag(bag, goldenSource(), { naming: 'plain', linkStyle: 'wiki' })
  const files = await filesOf(bag)
  expect(JSON.parse(files.get('data/backup.json') ?? '')).toMatchObject({
    names: 'plain',
    links: 'wiki',
    projects: [{ folder: 'markdown/Road Map' }, { folder: 'markdown/产品 & - Design' }],
  })
})

test('a text whose links cannot be looked for is left as it is, and listed', async () => {
  const content = `${'>'.repeat(10_000)} [x](/pages/b)`
  const { text, files } = await backedUp(content)
  expect(text).toBe(content)
  expect(JSON.parse(files.get('data/backup.json') ?? '').losses).toContainEqual({
    pid: 'p1',
    stream: 'pages',
    record_key: 'a',
    field: 'content',
    kind: 'links_not_rewritten',
    original: String(content.length),
  })
})
