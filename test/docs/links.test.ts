import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

const pages = globSync(['*.md', '.github/*.md', 'docs/**/*.md', '{packages,apps}/*/*.md', 'test/**/*.md'], {
  cwd: ROOT,
  exclude: (name) => /(^|[/\\])(node_modules|dist|golden)$/.test(name),
})

/** The text of a page without its code, in which nothing is a link. */
function prose(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '')
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchors(page: string): string[] {
  return [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test.each(pages)('every link of %s leads to an existing file and heading', (page) => {
  const links = [
    ...prose(page)
      .replaceAll(/`[^`\n]*`/g, '')
      .matchAll(/\]\(([^)\s]+)\)/g),
  ].map(([, link = '']) => link)
  const broken = links.filter((link) => {
    if (/^[a-z]+:/i.test(link)) return false
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : join(dirname(page), path)
    if (!existsSync(join(ROOT, target))) return true
    return anchor !== undefined && !anchors(target).includes(anchor)
  })
  expect(broken).toEqual([])
})

test('every section of docs/dev/service-api.md that the code cites exists', () => {
  const files = globSync('{packages,apps}/*/{src,test}/**/*.ts', { cwd: ROOT }).concat(
    globSync('test/**/*.ts', { cwd: ROOT, exclude: (name) => name.endsWith('node_modules') }),
  )
  const cited = files.flatMap((file) => [
    ...readFileSync(join(ROOT, file), 'utf8').matchAll(/docs\/dev\/service-api\.md#([\w-]+)/g),
  ])
  const known = anchors('docs/dev/service-api.md')
  expect(cited.length).toBeGreaterThan(0)
  expect(cited.flatMap(([, anchor = '']) => anchor).filter((anchor) => !known.includes(anchor))).toEqual([])
})

const files = globSync(['{packages,apps}/*/{src,sql,bin}/**/*.{ts,sql,js}', 'package.json', 'test/harness/*.ts'], {
  cwd: ROOT,
})
const code = files.map((file) => `${file}\n${readFileSync(join(ROOT, file), 'utf8').toLowerCase()}`).join('\n')

test.each(['docs/guarantees', 'docs/large', 'docs/troubleshooting', 'docs/dev/internals', 'packages/core/README'])(
  'every name in code font of %s.md is in the code',
  (page) => {
    const names = [...prose(`${page}.md`).matchAll(/`([^`\n]+)`/g)].flatMap(([, text = '']) =>
      text.split(/[^\w.-]+/).map((word) => word.replaceAll(/^[-.]+|[-.]+$/g, '').toLowerCase()),
    )
    // the key and the variable of a setting are derived from its flag
    const isColumn = (name: string) => name.includes('.') && name.split('.').every((part) => code.includes(`'${part}'`))
    const isKnown = (name: string) =>
      isColumn(name) || [name, name.replace(/^collab_/, '').replaceAll('_', '-')].some((form) => code.includes(form))
    expect([...new Set(names)].filter((name) => !isKnown(name))).toEqual([])
  },
)

test('every page that a program, a script or a setting names exists', () => {
  const named = globSync(
    ['{packages,apps}/*/{src,bin,sql,scripts,test}/**/*.{ts,js,sql}', 'test/**/*.ts', 'deploy/**/*.{json,yaml,yml,sh}'],
    { cwd: ROOT, exclude: (name) => /(^|[/\\])(node_modules|golden)$/.test(name) },
  ).flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/(?<![\w./-])docs\/[\w/-]+\.md/g)].map(
      ([page]) => `${file}: ${page}`,
    ),
  )
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter((line) => !existsSync(join(ROOT, line.split(': ')[1] ?? '')))).toEqual([])
})

test('every message that docs/troubleshooting.md explains is in the code', () => {
  const quoted = [...readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8').matchAll(/^\| ([^|]+) \|/gm)].flatMap(
    ([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message),
  )
  const parts = quoted.flatMap((message) => message.split('…')).map((part) => part.trim().toLowerCase())
  expect(parts.length).toBeGreaterThan(30)
  expect(parts.filter((part) => part.length > 6 && !code.includes(part))).toEqual([])
})

/** Flags of other programs in examples. */
const FOREIGN = new Set([
  '--quiet',
  '--message',
  '--all',
  '--zstd',
  '--format',
  '--filter',
  '--loglevel',
  '--expose-gc',
  '--file-system',
  '--optimize-for-size',
  '--cap-drop',
  '--security-opt',
  '--volume',
  '--kustomize',
  '--prefix',
])

test.each(pages.filter((page) => !page.startsWith('test/')))('every flag that %s names exists', (page) => {
  const flags = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/(?<![\w-])--[a-z][a-z-]+(?![\w-]*\*)/g)].map(
    ([flag]) => flag,
  )
  const unknown = flags.filter((flag) => !FOREIGN.has(flag) && !new RegExp(`\\b${flag.slice(2)}\\b`).test(code))
  expect([...new Set(unknown)]).toEqual([])
})

test.each(globSync('{packages,apps}/*/README.md', { cwd: ROOT }))('every path in code font of %s exists', (page) => {
  const paths = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/`((?:src|test|assets|sql)\/[\w./-]+)`/g)]
  const missing = paths
    .map(([, path = '']) => join(dirname(page), path))
    .filter((path) => !existsSync(join(ROOT, path)))
  expect(missing).toEqual([])
})

test.each(globSync('docs/**/*.md', { cwd: ROOT }))('every path of the repository that %s names exists', (page) => {
  const paths = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/`((?:packages|apps|test)\/[\w./-]+)`/g)]
  expect(paths.map(([, path = '']) => path).filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})
