import type { Format } from '@collab-etl/backups'

/** A format that a backup can be shown from. */
export interface ViewableFormat {
  readonly format: Format
  /** What this format does not hold of the records that it has; `null` if it holds all of them. */
  readonly without: string | null
}

/** The formats in the order in which they are preferred: those with most of the content first. */
export const VIEWABLE_FORMATS = [
  { format: 'html', without: null },
  { format: 'jsonl', without: null },
  { format: 'csv', without: 'watchers, labels of projects, and comments of files' },
  {
    format: 'markdown',
    without: 'descriptions and labels of projects, or records of tasks, events and comments: these are shown as text',
  },
] as const satisfies readonly ViewableFormat[]
