import { execFile } from 'node:child_process'
import { cp, readFile, writeFile } from 'node:fs/promises'
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
const CONFIG = `import backupLinks from './backup-links.mjs'
export default {
  title: 'Backup', url: 'https://example.com', baseUrl: '/', onBrokenLinks: 'throw', onBrokenAnchors: 'throw',
  markdown: { format: 'detect', hooks: { onBrokenMarkdownLinks: 'throw', onBrokenMarkdownImages: 'throw' } },
  presets: [['classic', {
    blog: false, docs: { routeBasePath: '/', numberPrefixParser: false, beforeDefaultRemarkPlugins: [backupLinks] },
  }]],
}
`

/**
 * Installs Docusaurus from the registry, and builds a site, which fails at a broken link. Takes a minute or two.
 * @param website directory with `docs` and `static`
 * @param links the script of docs/other-tools.md
 * @returns pages by their path in the site
 */
export async function buildSite(website: string, links: string): Promise<ReadonlyMap<string, string>> {
  const folder = await scratch()
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: DEPENDENCIES }))
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', `--before=${BEFORE}`]
  await run('npm', ['install', ...flags], { cwd: folder })
  const site = join(folder, 'site')
  await cp(website, site, { recursive: true })
  await writeFile(join(site, 'package.json'), '{}')
  await writeFile(join(site, 'docusaurus.config.js'), CONFIG)
  await writeFile(join(site, 'backup-links.mjs'), links)
  const program = join(folder, 'node_modules/@docusaurus/core/bin/docusaurus.mjs')
  const env = { ...process.env, NODE_ENV: 'production' }
  await run(process.execPath, [program, 'build', site, '--no-minify'], {
    cwd: folder,
    env,
    maxBuffer: 64 * 1024 * 1024,
  })
  const files = await filesOf(join(site, 'build'))
  return new Map([...files].filter(([path]) => path.endsWith('/index.html') || path === 'index.html'))
}

/** The file that a page of the documentation gives in full. */
export async function fileIn(page: string, name: string): Promise<string> {
  const text = await readFile(page, 'utf8')
  return new RegExp(`<!-- file: ${name} -->\\n\`\`\`js\\n([\\s\\S]*?)\`\`\``).exec(text)?.[1] ?? ''
}
