import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, normalize } from 'node:path'
import { promisify } from 'node:util'
import { readLinks } from '@collab-etl/documents'
import { scratch } from '@collab-etl/harness/scratch'
import { runScript } from '@collab-etl/harness/scripts'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { filesOf } from '@collab-etl/harness/trees'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { buildSite } from './docusaurus.ts'

const PAGE = join(import.meta.dirname, '../../../docs/migrate.md')

const run = promisify(execFile)

/** The target of a link in a page, which is no valid address. */
const MALFORMED = '100%'

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
      content: `${links} http://h/pages/${pages[5]?.page_id} [p](/projects/${second}) [m](${MALFORMED})\n\n${html}\n`,
    })
  })
})

afterAll(() => sandbox.close())

/** Runs a recipe of docs/migrate.md, and returns the directory in which it ran. */
async function follow(name: string): Promise<string> {
  const page = await readFile(PAGE, 'utf8')
  const script = new RegExp(`<!-- run: ${name} -->\\n\`\`\`sh\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1]
  if (script === undefined) throw new Error(`docs/migrate.md has no recipe "${name}"`)
  const cwd = await scratch()
  const someone = { name: 'A', email: 'a@example.com' }
  const env = {
    COLLAB_BASE_URL: sandbox.baseUrl,
    COLLAB_TOKEN: sandbox.token,
    GIT_AUTHOR_NAME: someone.name,
    GIT_AUTHOR_EMAIL: someone.email,
    GIT_COMMITTER_NAME: someone.name,
    GIT_COMMITTER_EMAIL: someone.email,
  }
  await runScript(script, { cwd, env })
  return cwd
}

/** The links of a text that lead to files, without their fragments; those of the service that lead nowhere are as they were. */
function relativeLinks(text: string): string[] {
  const urls = readLinks(text).destinations.flatMap(({ url }) =>
    url === MALFORMED ? [] : decodeURI(url.replace(/#.*/, '')),
  )
  return urls.filter((url) => url !== '' && !/^(?:\/|[a-z]+:|\.\.\/(?:pages|posts)\/[0-9a-f]{24}$)/i.test(url))
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
  const names = [...files.keys()].map((path) => folded(withoutEnding(path)))
  let links = 0
  for (const [path, text] of files) {
    expect(path).not.toMatch(/[#^[\]|\\:*"<>?]/)
    for (const [, link = ''] of text.matchAll(/\[\[([^\]|#\\]+)(?:#[^\]|\\]+)?\\?\|[^\]|]+\]\]/g)) {
      const named = names.filter((note) => note === folded(link) || note.endsWith(`/${folded(link)}`))
      expect(named.includes(folded(link)) ? 1 : named.length, `${path}: ${link}`).toBe(1)
      links += 1
    }
    for (const url of relativeLinks(text)) expect(files.has(target(path, url)), `${path}: ${url}`).toBe(true)
  }
  expect(links).toBeGreaterThan(20)
  const indexes = [...files].filter(([path]) => path.endsWith('README.md')).map(([, text]) => text)
  expect(indexes.join('').match(/\[\[/g)?.length).toBeGreaterThan(20)
  // a note for each task, and a line in the list of its group as the plugin Tasks reads it
  const notes = [...files].filter(([path]) => path.includes('/tasks/notes/'))
  const lines = [...files].flatMap(([path, text]) =>
    /\/tasks\/[^/]+$/.test(path) ? (text.match(/^- \[.*/gm) ?? []) : [],
  )
  expect(notes.length).toBeGreaterThan(5)
  expect(lines).toHaveLength(notes.length)
  for (const line of lines)
    expect(line).toMatch(
      /^- \[[ x]\] (?:\[\[[^\]]+\]\]|\[.*\]\(.*\))(?: 📅 \d{4}-\d\d-\d\d)?(?: ✅ \d{4}-\d\d-\d\d)?$/u,
    )
  for (const [path, text] of notes) {
    const { status, due, done, assignees } = frontMatterOf(text)
    expect(status, path).toMatch(/^(?:open|done)$/)
    for (const time of [due, done])
      expect(time, path).toSatisfy((value) => value === null || !Number.isNaN(Date.parse(value)))
    expect(assignees, path).toBeInstanceOf(Array)
  }
  const [, renamed] = [...files].find(([path]) => path.endsWith('/pages/A-B - why - x - 1 - 2 - 100.md')) ?? []
  expect(frontMatterOf(renamed ?? '')['aliases']).toEqual(['A/B: why? [x] #1 ^2 | 100%'])
  const [, home] = [...files].find(([path]) => path.endsWith('/pages/Home.md')) ?? []
  expect(frontMatterOf(home ?? '')).toMatchObject({ title: 'Home' })
  expect(frontMatterOf(home ?? '')).not.toHaveProperty('aliases')
  expect(frontMatterOf(home ?? '')['tags']).toEqual(['page'])
  for (const [path, text] of files) {
    const { tags = [], aliases } = frontMatterOf(text)
    for (const tag of tags as string[])
      expect(tag, path).toMatch(/^(?:page|post|tasks?|project|label\/[\p{L}\p{M}\p{N}_-]+)$/u)
    if (/^[^/]+\/README\.md$/.test(path))
      expect([tags, aliases]).toEqual([expect.arrayContaining(['project']), [expect.any(String)]])
  }
})

/** What Docusaurus checks in the front matter of a document, of the keys that stand there (`docFrontMatter` of its documentation). */
const DOCUSAURUS_TEXTS = ['id', 'title', 'description', 'slug', 'sidebar_label', 'sidebar_key', 'pagination_label']

test('Docusaurus: front matter is valid, ids are unique, every link leads to a document', async () => {
  const files = await filesOf(join(await follow('docusaurus'), 'website/docs'))
  const ids = new Set<string>()
  let links = 0
  for (const [path, text] of files) {
    if (basename(path) === '_category_.json') continue
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

interface Category {
  readonly label: string
  readonly key: string
}

test('Docusaurus: each folder is a category with the title of the page in it', async () => {
  const files = await filesOf(join(await follow('docusaurus'), 'website/docs'))
  const folders = new Set([...files.keys()].map((path) => dirname(path)).filter((folder) => folder !== '.'))
  const categories = new Map<string, Category>()
  for (const folder of folders) {
    const category: Category = JSON.parse(files.get(`${folder}/_category_.json`) ?? 'null')
    categories.set(folder, category)
    const page = files.get(`${folder}/README.md`)
    if (page === undefined) expect(['Pages', 'Posts', 'Tasks']).toContain(category.label)
    else if (folder.includes('/')) expect(category.label).toBe(frontMatterOf(page)['title'] || 'Untitled')
    expect(files.has(`${folder}.md`), folder).toBe(false)
  }
  expect(new Set([...categories.values()].map(({ key }) => key)).size).toBe(categories.size)
  expect([...categories.values()].map(({ label }) => label)).toContain('README')
  expect([...files.keys()].filter((path) => path.endsWith('_category_.json'))).toHaveLength(folders.size)
})

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
  'Docusaurus: builds without broken links, each document once in the sidebar',
  async () => {
    const website = join(await follow('docusaurus'), 'website')
    const pages = await buildSite(website, PAGE)
    const titles: string[] = []
    for (const [path, text] of pages) {
      const [current, ...more] = [...text.matchAll(/<a [^>]*\baria-current="page"[^>]*>([\s\S]*?)<\/a>/g)].filter(
        ([link]) => link.includes('menu__link'),
      )
      if (/^(?:search|404)/.test(path)) continue
      expect(more, path).toEqual([])
      titles.push(oneLine(textOf(current?.[1] ?? '')))
    }
    const expected: string[] = []
    for (const [path, text] of await filesOf(join(website, 'docs'))) {
      if (!path.endsWith('.md')) continue
      const { title = /^# (.*)/m.exec(text)?.[1] ?? '' } = frontMatterOf(text)
      expected.push(oneLine(String(title)) || 'Untitled')
    }
    expect(titles.sort()).toEqual(expected.sort())
    const linking = [...pages.values()].filter((text) => text.includes('>first</a>'))
    expect(linking).toHaveLength(1)
    const [, address = ''] = /<a [^>]*href="([^"]*)"[^>]*>first<\/a>/.exec(linking[0] ?? '') ?? []
    expect(pages.has(`${decodeURIComponent(address).slice(1)}/index.html`), address).toBe(true)
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
