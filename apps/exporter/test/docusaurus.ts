import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { scratch } from '@collab-etl/harness/scratch'
import { filesOf } from '@collab-etl/harness/trees'

const run = promisify(execFile)

const VERSION = '3.10.2'

/** Nothing newer is installed, so that the packages below Docusaurus stay the same. */
const BEFORE = '2026-07-12'

const DEPENDENCIES = {
  ...{ '@docusaurus/core': VERSION, '@docusaurus/preset-classic': VERSION },
  ...{ react: '19.2.0', 'react-dom': '19.2.0' },
}

/** As docs/other-tools.md says. */
const CONFIG = `import sidebarItems from './sidebar-items.mjs'
export default {
  title: 'Backup', url: 'https://example.com', baseUrl: '/',
  onBrokenLinks: 'warn', onBrokenAnchors: 'warn', markdown: { format: 'detect' },
  presets: [['classic', { blog: false, docs: { routeBasePath: '/', numberPrefixParser: false, sidebarItemsGenerator: sidebarItems } }]],
}
`

export interface BuiltSite {
  /** Pages by their path in the site. */
  readonly pages: ReadonlyMap<string, string>
  /** Targets of broken links, and of links to anchors that are missing. */
  readonly links: readonly string[]
  readonly anchors: readonly string[]
}

/** Installs Docusaurus from the registry, and builds a site of a folder of Markdown files. Takes a minute or two. */
export async function buildSite(docs: string, sidebarItems: string): Promise<BuiltSite> {
  const folder = await scratch()
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: DEPENDENCIES }))
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', `--before=${BEFORE}`]
  await run('npm', ['install', ...flags], { cwd: folder })
  const site = join(folder, 'site')
  await mkdir(site)
  await cp(docs, join(site, 'docs'), { recursive: true })
  await writeFile(join(site, 'package.json'), '{}')
  await writeFile(join(site, 'docusaurus.config.js'), CONFIG)
  await writeFile(join(site, 'sidebar-items.mjs'), sidebarItems)
  const program = join(folder, 'node_modules/@docusaurus/core/bin/docusaurus.mjs')
  const env = { ...process.env, NODE_ENV: 'production' }
  const { stdout, stderr } = await run(process.execPath, [program, 'build', site, '--no-minify'], {
    ...{ cwd: folder, env, maxBuffer: 64 * 1024 * 1024 },
  })
  const [before = '', after = ''] = `${stdout}\n${stderr}`.split('Docusaurus found broken anchors!')
  const targets = (text: string) => [...text.matchAll(/-> linking to (\S+)/g)].map(([, target = '']) => target)
  const files = await filesOf(join(site, 'build'))
  const pages = [...files].filter(([path]) => path.endsWith('/index.html') || path === 'index.html')
  return { pages: new Map(pages), links: targets(before), anchors: targets(after) }
}

/** The file that a page of the documentation gives in full. */
export async function fileIn(page: string, name: string): Promise<string> {
  const text = await readFile(page, 'utf8')
  return new RegExp(`<!-- file: ${name} -->\\n\`\`\`js\\n([\\s\\S]*?)\`\`\``).exec(text)?.[1] ?? ''
}
