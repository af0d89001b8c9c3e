import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FileSink } from '../format.ts'
import { HTML_FOLDER } from './site-paths.ts'

/** The files for browsers, which are copied unchanged. */
const FOLDER = new URL('../../assets/', import.meta.url)

const SHIPPED = ['site.css', 'workspace.css', 'site.js', 'search.js', 'terms.js', 'lists.js', 'finder.js'] as const

/** The inline script of every page, and its hash for the page's security policy. */
export interface StartScript {
  readonly text: string
  readonly hash: string
}

export function readAsset(name: 'start.js' | (typeof SHIPPED)[number]): Promise<string> {
  return readFile(new URL(name, FOLDER), 'utf8')
}

export async function readStartScript(): Promise<StartScript> {
  const text = `\n${await readAsset('start.js')}`
  return { text, hash: hash('sha256', text, 'base64') }
}

/** Writes the style, the scripts, and the search library with its licence. */
export async function writeAssets(bag: FileSink): Promise<void> {
  for (const name of SHIPPED) await bag.add(`${HTML_FOLDER}/assets/${name}`, await readAsset(name))
  await bag.add(`${HTML_FOLDER}/assets/minisearch.js`, await readMiniSearch())
}

async function readMiniSearch(): Promise<string> {
  const folder = dirname(dirname(createRequire(import.meta.url).resolve('minisearch')))
  const [script, licence] = await Promise.all([
    readFile(join(folder, 'umd/index.js'), 'utf8'),
    readFile(join(folder, '../LICENSE.txt'), 'utf8'),
  ])
  // The map is not in the backup.
  return `/*! MiniSearch\n\n${licence.trim()}\n*/\n${script.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n')}`
}
