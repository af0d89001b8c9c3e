/** A format that a backup can be shown from. */
export interface ViewableFormat {
  readonly format: 'html' | 'jsonl' | 'csv' | 'markdown'
  /** How the summary calls it. */
  readonly name: string
  /** What this format does not hold of the records that it has; `null` if it holds all of them. */
  readonly without: string | null
}

/** The formats in the order in which they are preferred: those with most of the content first. */
export const VIEWABLE_FORMATS: readonly ViewableFormat[] = [
  { format: 'html', name: 'HTML', without: null },
  { format: 'jsonl', name: 'JSON lines', without: null },
  { format: 'csv', name: 'CSV', without: 'watchers, labels of projects, and comments of files' },
  {
    format: 'markdown',
    name: 'Markdown',
    without: 'descriptions and labels of projects, or records of tasks, events and comments: these are shown as text',
  },
]
