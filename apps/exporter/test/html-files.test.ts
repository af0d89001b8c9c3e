import { dirname, join, normalize } from 'node:path'
import { loadTerms } from '@collab-etl/documents/html'
import { scratch } from '@collab-etl/harness/scratch'
import { filesOf } from '@collab-etl/harness/trees'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { writeBag } from './backup-in.ts'
import { goldenSource } from './golden-source.ts'
import { writeSite } from './html-site.ts'
import { htmlSource } from './html-source.ts'
import { handMadeSource, pageRow, postRow, projectRow } from './rows.ts'

test('every page and post is a file of the name that it has in Markdown, and in the manifest', async () => {
  const bag = await scratch()
  await writeBag(bag, goldenSource(), { formats: new Set(['markdown', 'html']) })
  const files = await filesOf(bag)
  const markdown = [...files.keys()].filter((path) =>
    /^data\/markdown\/[^/]+\/(?:README\.md|(?:pages|posts)\/)/.test(path),
  )
  expect(markdown.length).toBeGreaterThan(8)
  for (const path of markdown) {
    const name = path.replace('/markdown/', '/html/').replace('README.md', 'index.html').replace(/\.md$/, '.html')
    expect(files.has(name), name).toBe(true)
    expect(files.get('manifest-sha256.txt')).toContain(`  ${name}\n`)
  }
})

test.each(['id-suffix', 'plain', 'docusaurus'] as const)(
  'every link to a file leads to one of the site, with names %s',
  async (naming) => {
    const titles = ['README', 'index', 'About README', 'README']
    const pages = titles.map((title, index) => pageRow('P1', `r${index}`, title))
    for (const source of [goldenSource(), htmlSource(pages)]) {
      const bag = await scratch()
      await writeBag(bag, source, { formats: new Set(['html']), naming })
      const files = await filesOf(join(bag, 'data'))
      let links = 0
      for (const [path, text] of files) {
        if (!path.endsWith('.html')) continue
        for (const [, href = ''] of text.matchAll(/ href="([^"]*)"/g)) {
          if (/^(https?:|mailto:|#)/.test(href)) continue
          const [file = '', fragment] = href.split('#')
          const target = normalize(join(dirname(path), decodeURIComponent(file)))
          expect(files.has(target), `${path}: ${href}`).toBe(true)
          if (fragment === 't-code') expect(files.get(target)).toContain(' id="t-code"')
          links += 1
        }
      }
      expect(links).toBeGreaterThan(40)
    }
  },
)

test('no page grows with the number of those beside it', async () => {
  const beside = (count: number) =>
    handMadeSource({
      tables: {
        projects: [projectRow('P1', 'Many')],
        pages: Array.from({ length: count }, (_, index) => pageRow('P1', `${index + 1000}`, 'Same title')),
        posts: Array.from({ length: count }, (_, index) => postRow('P1', `${index + 1000}`, 'Same title')),
      },
    })
  const largest = async (count: number) => {
    const files = await filesOf((await writeSite(beside(count))).site)
    const sizes = [...files].filter(([path]) => /\/(pages|posts)\//.test(path)).map(([, text]) => text.length)
    expect(sizes).toHaveLength(2 * count)
    return Math.max(...sizes)
  }
  expect(await largest(150)).toBeLessThan((await largest(60)) + 500)
})

test('what the site could not show is a conversion issue, also without Markdown beside it', async () => {
  const pages = [
    pageRow('P1', 'a', 'Long', { content: 'x'.repeat(300_001) }),
    pageRow('P1', 'b', 'Orphan', { parent_id: 'gone', content: '[x](/pages/nowhere)' }),
  ]
  const { bag } = await writeSite(handMadeSource({ tables: { projects: [projectRow('P1', 'One')], pages } }))
  const { losses } = JSON.parse((await filesOf(bag)).get('data/backup.json') ?? '')
  expect(losses.map(({ record_key, kind }: Record<string, string>) => `${record_key} ${kind}`)).toEqual([
    'b parent_missing',
    'a html_not_rendered',
    'b link_target_missing',
  ])
})

test('any part of a text is found by its terms, where there are no spaces between words', async () => {
  const { ofText, ofQuestion, mayContinue } = await loadTerms()
  const han = fc.string({ unit: fc.constantFrom(...'数据库迁移权限管理ひらがなไทย𠀀'), minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(han, fc.nat(), fc.nat(), (text, from, length) => {
      const characters = [...text]
      const start = from % characters.length
      const part = characters.slice(start, start + 1 + (length % 8)).join('')
      const terms = ofText(`before ${text}, after`)
      for (const asked of ofQuestion(part)) {
        expect(terms.some((term) => term === asked || (mayContinue(asked) && term.startsWith(asked)))).toBe(true)
      }
    }),
  )
})
