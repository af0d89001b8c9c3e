import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FileSink } from '../format.ts'
import { HTML_FOLDER } from './site-paths.ts'

/** The files for browsers, which are copied unchanged. */
const FOLDER = new URL('../../assets/', import.meta.url)

/** The style and the scripts of a site. */
export const SHIPPED = [
  ...([
    'tokens.css',
    'base.css',
    'site.css',
    'workspace.css',
    'language.js',
    'zh.js',
    'theme.js',
    'reading.js',
    'site.js',
    'panel.js',
    'search.js',
    'match.js',
    'terms.js',
  ] as const),
  ...(['lists.js', 'finder.js'] as const),
] as const

/** The inline script of every page, and its hash for the page's security policy. */
export interface StartScript {
  readonly text: string
  readonly hash: string
}

/** A file for browsers; some are for reports only. */
export type AssetName = 'start.js' | 'report.css' | `zh-${'backup' | 'nightly'}-report.js` | (typeof SHIPPED)[number]

export function readAsset(name: AssetName): Promise<string> {
  return readFile(new URL(name, FOLDER), 'utf8')
}

export async function readStartScript(): Promise<StartScript> {
  const text = `\n${await readAsset('start.js')}`
  return { text, hash: hash('sha256', text, 'base64') }
}

/** Writes the style and the scripts. */
export async function writeAssets(bag: FileSink): Promise<void> {
  for (const name of SHIPPED) await bag.add(`${HTML_FOLDER}/assets/${name}`, await readAsset(name))
}
