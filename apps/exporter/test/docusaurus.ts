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
  '@docusaurus/core': VERSION,
  '@docusaurus/preset-classic': VERSION,
  react: '19.2.0',
  'react-dom': '19.2.0',
}

/**
 * Installs Docusaurus from the registry, and builds a site, which fails at a broken link. Takes a minute or two.
 * @param website directory with `docs` and `static`
 * @param page of the documentation, which gives the configuration and the script for links
 * @returns pages by their path in the site
 */
export async function buildSite(website: string, page: string): Promise<ReadonlyMap<string, string>> {
  const folder = await scratch()
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: DEPENDENCIES }))
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', `--before=${BEFORE}`]
  await run('npm', ['install', ...flags], { cwd: folder })
  const site = join(folder, 'site')
  await cp(website, site, { recursive: true })
  await writeFile(join(site, 'package.json'), '{}')
  for (const name of ['docusaurus.config.js', 'backup-links.mjs'])
    await writeFile(join(site, name), await fileIn(page, name))
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

/** A file that a page of the documentation gives in full. */
async function fileIn(page: string, name: string): Promise<string> {
  const text = await readFile(page, 'utf8')
  const [, found] = new RegExp(`<!-- file: ${name} -->\\n\`\`\`js\\n([\\s\\S]*?)\`\`\``).exec(text) ?? []
  if (found === undefined) throw new Error(`${page} has no file ${name}`)
  return found
}
