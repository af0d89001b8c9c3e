import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { knownScripts } from '@collab-etl/documents/html/parts'
import { NO_CHROMIUM, openTab } from '@collab-etl/harness/chromium'
import { scratch } from '@collab-etl/harness/scratch'
import { filesOf } from '@collab-etl/harness/trees'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { isDataScript } from '../src/view/scripts.ts'
import { type ServerOptions, serveSite } from '../src/view/server.ts'
import { siteOf } from '../src/view/site.ts'
import { writeTexts } from './bags.ts'
import { writeSite } from './html-site.ts'
import { handMadeSource } from './rows.ts'
import { taskTables } from './task-rows.ts'

async function serve(bag: string, onForeignScript: ServerOptions['onForeignScript'] = () => {}): Promise<string> {
  const options = { port: 0, onDamage: (error: Error) => expect.unreachable(error.message), onForeignScript }
  const server = await serveSite(await siteOf(bag, bag), options)
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server.url
}

test('every script of a site but those of all sites is data', async () => {
  const { site } = await writeSite(handMadeSource({ tables: taskTables(60) }))
  const scripts = [...(await filesOf(site))].filter(([path]) => path.endsWith('.js'))
  const data = scripts.filter(([, text]) => isDataScript(text)).map(([path]) => path)
  const programs = scripts.map(([path]) => path).filter((path) => !data.includes(path))
  expect(data.length).toBeGreaterThan(4)
  expect(programs.every((path) => /^assets\/(?!projects|as-of)/.test(path))).toBe(true)
})

test.each([
  ...['collabSearch.data(alert(1))', 'collabSearch.data("a"), alert(1)', "collabSearch.data('a');alert(1)//)", ''],
  ...['collabSearch.data(`$' + '{alert(1)}`)', 'collabSearch.data({a:alert})', 'alert(1)', 'collabSearch.data("\\")'],
  ...['collabSearch.data(1)\nalert(1)', 'collabSearch.data(/a/)', 'collabSearch.constructor.constructor("x")()'],
  ...['collabSearch.data("a" /*)*/)', 'collabSearch.data(nullx)', '\uFEFFcollabSearch.data(1)'],
  'collabSearch.data("\n")',
  'collabSite.load("https://collab.example/other.js")',
])('%j is not data', (text) => {
  expect(isDataScript(text)).toBe(false)
})

const TOKENS = [
  ...['"', "'", '\\', '\n', '(', ')', ',', 'evil', '=', '`', '$', '}', '[', ']', '{', ':', '1', '-', '.', '/', '/*'],
  ...['*/', '//', 'null', 'true', ';', '\u2028', '<!--', '-->', '=>', ' ', '__proto__', 'get ', '?.', 'x'],
]

test('a script that is taken for data calls one function with literals, and does nothing else', () => {
  const words = fc.array(fc.constantFrom(...TOKENS), { maxLength: 12 }).map((all) => all.join(''))
  let accepted = 0
  const check = (text: string) => {
    const script = `collabSearch.data(${text})\n`
    if (!isDataScript(script)) return
    accepted += 1
    const seen: string[] = []
    const named = { get: () => seen.push('read'), set: () => seen.push('written') }
    const collabSearch = { data: () => seen.push('called') }
    const context = createContext(Object.defineProperties({ collabSearch }, { evil: named, x: named }))
    try {
      runInContext(script, context)
    } catch (error) {
      expect((error as Error).name).toBe('SyntaxError')
      return
    }
    expect(seen).toEqual(['called'])
    expect(Object.keys(context)).toEqual(['collabSearch'])
  }
  fc.assert(fc.property(words, check), { numRuns: 3000 })
  expect(accepted).toBeGreaterThan(20)
  const isData = (json: string) => isDataScript(`collabSearch.data(${json})`)
  fc.assert(fc.property(fc.json({ maxDepth: 2 }), isData))
})

/** What another program may put into pages and scripts. */
const EVIL = `document.title = 'owned'; globalThis.owned = true`

const ADDED = `<script>${EVIL}</script><img src=x onerror="${EVIL}"><script src="tasks/evil.js"></script>
<script src="tasks/half.js"></script><script src="index.html"></script><iframe srcdoc="<script>${EVIL}</script>"></iframe>
<svg onload="${EVIL}"></svg><a id="js" href="javascript:${EVIL}">x</a>`

test.skipIf(NO_CHROMIUM)('scripts that another program wrote do not run, and those of this one do', async () => {
  const { site } = await writeSite(handMadeSource({ tables: taskTables(30) }))
  const texts: Record<string, string> = {}
  for (const [path, text] of await filesOf(site)) texts[`html/${path}`] = text
  const folder = 'html/many~1--P1'
  const [rows = ''] = Object.entries(texts).flatMap(([path, text]) => (path.includes('/tasks/data-') ? [text] : []))
  const list = texts[`${folder}/tasks.html`] ?? ''
  const bag = await scratch()
  await writeTexts(bag, {
    ...texts,
    [`${folder}/tasks.html`]: list.replace(/<meta http-equiv[^>]*>/, '').replace('<main', `${ADDED}<main`),
    [`${folder}/tasks/evil.js`]: EVIL,
    [`${folder}/tasks/half.js`]: `${rows}${EVIL}`,
  })
  const foreign: string[] = []
  const url = await serve(bag, (path) => void foreign.push(path))
  const { page } = await openTab()
  await page.goto(`${url}html/many~1--P1/tasks.html`)
  await page.getByLabel('State', { exact: true }).selectOption('open')
  await page.locator('.finder-status', { hasText: '18 of 27' }).waitFor()
  await page.locator('#js').click()
  expect(await page.evaluate('[document.title, globalThis.owned]')).toEqual(['List · Many', undefined])
  expect(foreign.sort()).toEqual([`${folder}/tasks/evil.js`, `${folder}/tasks/half.js`])
})

test('the scripts of a site and of its report are known', async () => {
  const { bag, site } = await writeSite(handMadeSource({ tables: taskTables(1) }))
  const files = await filesOf(site)
  const known = await knownScripts()
  const scripts = [...files].filter(([path]) => /^assets\/(?!projects|as-of).*\.js$/.test(path))
  expect(scripts.length).toBeGreaterThan(2)
  for (const [path, text] of scripts) expect(known.files.has(hash('sha256', text)), path).toBe(true)
  for (const page of [files.get('index.html'), await readFile(join(bag, 'data/report.html'), 'utf8')]) {
    const [, inline = ''] = /<script>([\s\S]*?)<\/script>/.exec(page ?? '') ?? []
    expect(known.inline).toContain(hash('sha256', inline, 'base64'))
  }
})
