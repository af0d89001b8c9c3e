import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join, normalize } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { readLinks } from '@collab-etl/documents'
import { scratch } from '@collab-etl/harness/scratch'
import { runScript } from '@collab-etl/harness/scripts'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { filesOf } from '@collab-etl/harness/trees'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { buildSite, fileIn } from './docusaurus.ts'

const ROOT = join(import.meta.dirname, '../../..')

const run = promisify(execFile)

let sandbox: Sandbox

/** A service whose titles and texts are hard on other tools. */
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 5, projects: 3, tasks: 5, archived: 5, pages: 24, posts: 12, events: 4 })
  const [first = '', second = ''] = sandbox.pids
  const titles = ['README', 'readme.md', 'Home', '_draft', '1. Plan', 'A/B: why? [x] #1 ^2 | 100%', 'CON', '<b>{x}</b>']
  sandbox.store.change(first, ({ pages }) => {
    for (const [index, name] of titles.entries()) Object.assign(pages[index] ?? {}, { name, parent_id: '' })
    const links = pages.map(({ page_id }) => `[to it](/projects/${first}/pages/${page_id})`).join(' ')
    const html = `<p><a href="/pages/${pages[0]?.page_id}">first</a> {x} <br></p>`
    Object.assign(pages[9] ?? {}, {
      content: `${links} http://h/pages/${pages[5]?.page_id} [p](/projects/${second})\n\n${html}\n`,
    })
  })
})

afterAll(() => sandbox.close())

/** Runs a recipe of docs/other-tools.md, and returns the directory in which it ran. */
async function follow(name: string): Promise<string> {
  const page = await readFile(join(ROOT, 'docs/other-tools.md'), 'utf8')
  const script = new RegExp(`<!-- run: ${name} -->\\n\`\`\`sh\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1]
  if (script === undefined) throw new Error(`docs/other-tools.md has no recipe "${name}"`)
  const cwd = await scratch()
  const someone = { name: 'A', email: 'a@example.com' }
  const env = {
    ...{ COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token },
    ...{ GIT_AUTHOR_NAME: someone.name, GIT_AUTHOR_EMAIL: someone.email },
    ...{ GIT_COMMITTER_NAME: someone.name, GIT_COMMITTER_EMAIL: someone.email },
  }
  await runScript(script, { cwd, env })
  return cwd
}

/** The links of a text that lead to files, without their fragments; those of the service that lead nowhere are as they were. */
function relativeLinks(text: string): string[] {
  const urls = readLinks(text).destinations.map(({ url }) => decodeURI(url.replace(/#.*/, '')))
  // The report is beside the folder of the Markdown files, and stays in the backup.
  return urls.filter(
    (url) =>
      url !== '' && url !== '../report.html' && !/^(?:\/|[a-z]+:|\.\.\/(?:pages|posts)\/[0-9a-f]{24}$)/i.test(url),
  )
}

/** Where a link of a file leads. */
const target = (path: string, url: string) => normalize(join(dirname(path), url))

const withoutEnding = (path: string) => path.slice(0, -'.md'.length)

function frontMatterOf(text: string): Record<string, unknown> {
  const [, yaml = ''] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? []
  return yaml === '' ? {} : parse(yaml)
}

const folded = (path: string) => path.normalize('NFC').toLowerCase()

test('Obsidian: every [[link]] leads to one note, by its rule of the shortest path', async () => {
  const files = await filesOf(join(await follow('obsidian'), 'vault'))
  const notes = [...files.keys()].map((path) => folded(withoutEnding(path)))
  let links = 0
  for (const [path, text] of files) {
    expect(path).not.toMatch(/[#^[\]|\\:*"<>?]/)
    for (const [, link = ''] of text.matchAll(/\[\[([^\]|\\]+)\\?\|[^\]|]+\]\]/g)) {
      const named = notes.filter((note) => note === folded(link) || note.endsWith(`/${folded(link)}`))
      expect(named.includes(folded(link)) ? 1 : named.length, `${path}: ${link}`).toBe(1)
      links += 1
    }
    for (const url of relativeLinks(text)) expect(files.has(target(path, url)), `${path}: ${url}`).toBe(true)
  }
  expect(links).toBeGreaterThan(20)
  const [, renamed] = [...files].find(([path]) => path.endsWith('/pages/A-B - why - x - 1 - 2 - 100.md')) ?? []
  expect(frontMatterOf(renamed ?? '')['aliases']).toEqual(['A/B: why? [x] #1 ^2 | 100%'])
  const [, home] = [...files].find(([path]) => path.endsWith('/pages/Home.md')) ?? []
  expect(frontMatterOf(home ?? '')).toMatchObject({ title: 'Home' })
  expect(frontMatterOf(home ?? '')).not.toHaveProperty('aliases')
  expect(frontMatterOf(home ?? '')['tags']).toEqual(['page'])
  for (const [path, text] of files) {
    const { tags = [], aliases } = frontMatterOf(text)
    for (const tag of tags as string[])
      expect(tag, path).toMatch(/^(?:page|post|tasks|project|label\/[\p{L}\p{M}\p{N}_-]+)$/u)
    if (/^[^/]+\/README\.md$/.test(path))
      expect([tags, aliases]).toEqual([expect.arrayContaining(['project']), [expect.any(String)]])
  }
})

/** What Docusaurus checks in the front matter of a document, of the keys that stand there (`docFrontMatter` of its documentation). */
const DOCUSAURUS_TEXTS = ['id', 'title', 'description', 'slug', 'sidebar_label', 'pagination_label']

test('Docusaurus: front matter is valid, ids are unique, every link leads to a document', async () => {
  const files = await filesOf(join(await follow('docusaurus'), 'website/docs'))
  const ids = new Set<string>()
  let links = 0
  for (const [path, text] of files) {
    expect(path).not.toMatch(/(^|\/)_|\.mdx$/)
    const about = frontMatterOf(text)
    for (const key of DOCUSAURUS_TEXTS) if (key in about) expect(about[key], `${path}: ${key}`).toBeTypeOf('string')
    for (const key of ['draft', 'unlisted', 'tags', 'keywords', 'image', 'last_update', 'format'])
      expect(about).not.toHaveProperty(key)
    const id = String(about['id'] ?? withoutEnding(path.slice(path.lastIndexOf('/') + 1)))
    expect(id).toMatch(/^[^/]+$/)
    expect(ids.has(join(dirname(path), id)), path).toBe(false)
    ids.add(join(dirname(path), id))
    for (const url of relativeLinks(text)) {
      expect(files.has(target(path, url)), `${path}: ${url}`).toBe(true)
      links += 1
    }
  }
  expect(links).toBeGreaterThan(60)
  expect(files.has('README.md')).toBe(true)
})

interface SidebarItem {
  readonly type: 'doc' | 'category'
  readonly id?: string
  readonly label?: string
  readonly key?: string
  readonly link?: { readonly type: 'doc'; readonly id: string }
  readonly items?: readonly SidebarItem[]
}

interface SidebarDocument {
  readonly id: string
  readonly title: string
  readonly source: string
}

/** The documents of a folder as Docusaurus knows them. */
function documentsOf(files: ReadonlyMap<string, string>): SidebarDocument[] {
  return [...files]
    .filter(([path]) => path.endsWith('.md'))
    .map(([path, text]) => {
      const { id = basename(path, '.md'), title = /^# (.*)/.exec(text)?.[1] ?? '' } = frontMatterOf(text)
      return { id: join(dirname(path), String(id)), title: String(title), source: `@site/docs/${path}` }
    })
}

/** The sidebar that Docusaurus 3.10 generates: a category for each folder, with the title of its README.md or its own name as label. */
function generatedSidebar(docs: readonly SidebarDocument[], folder = '@site/docs'): SidebarItem[] {
  const inside = docs.filter(({ source }) => source.startsWith(`${folder}/`))
  const names = new Set(inside.map(({ source }) => source.slice(folder.length + 1).split('/')[0] ?? ''))
  return [...names].sort().map((name) => {
    const doc = inside.find(({ source }) => source === `${folder}/${name}`)
    if (doc) return { type: 'doc', id: doc.id }
    const index = inside.find(({ source }) => source === `${folder}/${name}/README.md`)
    const items = generatedSidebar(docs, `${folder}/${name}`).filter(({ id }) => id === undefined || id !== index?.id)
    const link = index && { link: { type: 'doc', id: index.id } as const }
    return { type: 'category', label: index?.title ?? name, items, ...link }
  })
}

const allItems = (items: readonly SidebarItem[]): SidebarItem[] =>
  items.flatMap((item) => [item, ...allItems(item.items ?? [])])

test('Docusaurus: the sidebar has each document once, under its title', async () => {
  const cwd = await follow('docusaurus')
  const script = await fileIn(join(ROOT, 'docs/other-tools.md'), 'sidebar-items.mjs')
  await writeFile(join(cwd, 'sidebar-items.mjs'), script)
  const { default: sidebarItems } = await import(pathToFileURL(join(cwd, 'sidebar-items.mjs')).href)
  const files = await filesOf(join(cwd, 'website/docs'))
  const named = documentsOf(files)
  // A project with the name of a file beside its folder, and a page without a title.
  const docs = named.map((doc) => {
    if (/^[^/]+\/README$/.test(doc.id)) return { ...doc, title: 'README' }
    return doc.title === 'Home' ? { ...doc, title: '' } : doc
  })
  const generator = ({ docs }: { docs: SidebarDocument[] }) => generatedSidebar(docs)
  const items = allItems(await sidebarItems({ docs, defaultSidebarItemsGenerator: generator }))
  const shown = items.flatMap(({ id, link, label }) => ((id ?? link) ? [{ id: id ?? link?.id, label }] : []))
  const byId = (a: { id?: string | undefined }, b: { id?: string | undefined }) =>
    (a.id ?? '') < (b.id ?? '') ? -1 : 1
  const expected = docs.map(({ id, title }) => ({ id, label: title === '' ? 'Untitled' : title }))
  expect(shown.sort(byId)).toEqual(expected.sort(byId))
  expect(new Set(items.map(({ key }) => key)).size).toBe(items.length)
  const unlinked = items.filter(({ type, link }) => type === 'category' && !link).map(({ label }) => label)
  expect([...new Set(unlinked)].sort()).toEqual(['Pages', 'Posts', 'Tasks'])
})

/** Links that Docusaurus cannot follow: to what the backup does not have, to the report, and in HTML. */
const KNOWN_BROKEN = /^(?:\/project\/|\.\.\/(?:pages|posts)\/[0-9a-f]{24}$|\.\.\/report\.html$|[^ ]*\.md$)/

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

/** The text of markup that React wrote. */
const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&')

testThoroughly(
  'Docusaurus: builds the site, where every document is in the sidebar under its title',
  async () => {
    const docs = join(await follow('docusaurus'), 'website/docs')
    const script = await fileIn(join(ROOT, 'docs/other-tools.md'), 'sidebar-items.mjs')
    const { pages, links, anchors } = await buildSite(docs, script)
    expect(links.filter((target) => !KNOWN_BROKEN.test(target))).toEqual([])
    expect(anchors.filter((target) => !target.endsWith('#top'))).toEqual([])
    const titles: string[] = []
    for (const [path, text] of pages) {
      const [current, ...more] = [...text.matchAll(/<a [^>]*\baria-current="page"[^>]*>([\s\S]*?)<\/a>/g)].filter(
        ([link]) => link.includes('menu__link'),
      )
      if (/^(?:search|404)/.test(path)) continue
      expect(more, path).toEqual([])
      titles.push(oneLine(textOf(current?.[1] ?? '')))
    }
    const expected = documentsOf(await filesOf(docs)).map(({ title }) => oneLine(title) || 'Untitled')
    expect(titles.sort()).toEqual(expected.sort())
  },
  600_000,
)

test('a wiki: a repository with a first page, pages in folders, and links from page to page', async () => {
  const wiki = join(await follow('wiki'), 'wiki')
  const { stdout } = await run('git', ['-C', wiki, 'ls-files', '-z'])
  const pages = new Set(stdout.split('\0').filter((path) => path !== ''))
  expect(pages.has('Home.md')).toBe(true)
  expect(new Set([...pages].map(folded)).size).toBe(pages.size)
  let links = 0
  for (const path of pages) {
    expect(path).not.toMatch(/\s/)
    for (const url of relativeLinks(await readFile(join(wiki, path), 'utf8'))) {
      expect(url).toMatch(/^\.\.?\//)
      const file = url.endsWith('.ics') ? target(path, url) : `${target(path, url)}.md`
      expect(pages.has(file), `${path}: ${url}`).toBe(true)
      links += 1
    }
  }
  expect(links).toBeGreaterThan(60)
})
