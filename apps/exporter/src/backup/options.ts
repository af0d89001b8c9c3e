import type { LinkPattern } from '@collab-etl/core'
import type { LinkStyle, Naming } from '@collab-etl/documents'
import type { CsvOptions } from '../csv/writer.ts'

export const FORMATS = ['markdown', 'csv', 'html', 'jsonl'] as const

export type Format = (typeof FORMATS)[number]

/** Contents and form of a backup. */
export interface BackupOptions {
  readonly formats: ReadonlySet<Format>
  readonly csv: CsvOptions
  /** How links between records are written in Markdown. */
  readonly linkStyle: LinkStyle
  readonly naming: Naming
  /** Only these projects; `null` for all. */
  readonly pids: readonly string[] | null
  /** Additional forms of links, from the config file. */
  readonly links: readonly LinkPattern[]
  /** Hosts of the service besides that of its base URL, from the config file. */
  readonly serviceHosts?: readonly string[]
}

/** How many records a backup, or one project of it, holds. */
export interface Counts {
  projects: number
  pages: number
  posts: number
  post_comments: number
}

export function noCounts(): Counts {
  return { projects: 0, pages: 0, posts: 0, post_comments: 0 }
}
