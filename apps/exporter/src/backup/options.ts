import type { Content, Format } from '@collab-etl/backups'
import type { LinkPattern } from '@collab-etl/core'
import type { LinkStyle, Naming, TaskFileMode, TitleHeading } from '@collab-etl/documents'
import type { CsvOptions } from '../csv/writer.ts'

/** Contents and form of a backup. */
export interface BackupOptions {
  readonly formats: ReadonlySet<Format>
  /** The kinds of content that were requested; `heldContent` gives those that the formats can hold. */
  readonly content: ReadonlySet<Content>
  readonly csv: CsvOptions
  /** How links between records are written in Markdown. */
  readonly linkStyle: LinkStyle
  /** Whether Markdown files begin with their title as heading. */
  readonly titleHeading: TitleHeading
  /** Whether each task has a Markdown file. Default: only each task group. */
  readonly taskFiles?: TaskFileMode
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
  /** Only if the backup holds this kind, as the following ones. */
  tasks?: number
  /** Only if there are any: a service need not offer them. */
  task_comments?: number
  events?: number
  files?: number
  /** Of the whole backup only: users belong to no project. */
  users?: number
}

/** The kinds that are counted in every backup that holds them, besides pages and posts. */
export const COUNTED_KINDS = ['tasks', 'events', 'files'] as const

export function noCounts(content: ReadonlySet<Content>): Counts {
  const held = COUNTED_KINDS.filter((kind) => content.has(kind)).map((kind) => [kind, 0])
  return { projects: 0, pages: 0, posts: 0, post_comments: 0, ...Object.fromEntries(held) }
}

export function sum(a: Counts, b: Partial<Counts>): Counts {
  const total = { ...a }
  for (const name of Object.keys(b) as (keyof Counts)[]) total[name] = (a[name] ?? 0) + (b[name] ?? 0) // its keys
  return total
}
