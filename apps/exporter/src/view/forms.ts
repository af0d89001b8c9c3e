import { readCsv } from './read-csv.ts'
import { readJsonl } from './read-jsonl.ts'
import { readMarkdown } from './read-markdown.ts'
import type { RecordReader } from './recorded-source.ts'

/** A format that a backup can be shown from. */
export interface ViewForm {
  readonly format: 'html' | 'jsonl' | 'csv' | 'markdown'
  /** How the summary calls it. */
  readonly name: string
  /** Reads its records; `null`: its files are served as they are. */
  readonly read: RecordReader | null
  /** Whether all of its content is shown as pages and posts. */
  readonly isText?: true
  /** What this format does not hold of the records that it has; `null` if it holds all of them. */
  readonly without: string | null
}

/** The formats in the order in which they are preferred: those with most of the content first. */
export const FORMS: readonly ViewForm[] = [
  { format: 'html', name: 'HTML', read: null, without: null },
  { format: 'jsonl', name: 'JSON lines', read: readJsonl, without: null },
  { format: 'csv', name: 'CSV', read: readCsv, without: 'watchers, labels of projects, and comments of files' },
  {
    ...{ format: 'markdown', name: 'Markdown', read: readMarkdown, isText: true },
    without: 'descriptions and labels of projects, or records of tasks, events and comments: these are shown as text',
  },
]
