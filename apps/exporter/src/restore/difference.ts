import type { CallKind } from './item.ts'

/** A field of a created record that differs from what was sent. */
export interface Difference {
  readonly field: string
  /** For a person: `cut short`, `other line ends`. */
  readonly how: string
  /** Both truncated for display; `null` if there is no value. */
  readonly sent: string | null
  readonly found: string | null
}

/** The values that were sent, by the field names of answers. */
export type SentFields = Readonly<Record<string, string>>

/** The field that holds a record's id. */
export const ID_FIELDS = { page: 'page_id', post: 'post_id', task: 'tid', comment: 'cid' } as const

/** Fields that the answer to a creation may omit (docs/dev/service-api.md#resources). */
const NOT_ANSWERED: Readonly<Record<CallKind, readonly string[]>> = {
  page: ['content'],
  post: ['content'],
  task: [],
  comment: [],
}

export interface SentRecord {
  /** The project that it was created in. */
  readonly pid: string
  readonly name: string
  /** The new parent of a page, or the group of a task. */
  readonly under: string
  readonly text: string
}

export function sentFields(kind: CallKind, { pid, name, under, text }: SentRecord): SentFields {
  switch (kind) {
    case 'page':
      return { pid, name, parent_id: under, content: text }
    case 'post':
      return { pid, name, content: text }
    case 'task':
      return { pid, name, entry_id: under, desc: text }
    case 'comment':
      return { message: text }
  }
}

/** Compares the answer to a creation with the request. Fields that answers may omit are compared if present. */
export function differencesOfAnswer(kind: CallKind, sent: SentFields, answer: object): Difference[] {
  return compareFields(sent, answer, (field) => !NOT_ANSWERED[kind].includes(field))
}

/** Compares a record that was read back with the request. */
export function differencesOfRecord(sent: SentFields, record: object): Difference[] {
  return compareFields(sent, record, () => true)
}

function compareFields(sent: SentFields, found: object, isRequired: (field: string) => boolean): Difference[] {
  const differences: Difference[] = []
  for (const [field, expected] of Object.entries(sent)) {
    const value = valueIn(found, field)
    if (value === undefined && !isRequired(field)) continue
    // An empty text equals a missing value: no parent, no content.
    if ((value ?? '') === expected && (value !== undefined || expected === '')) continue
    const text = value === undefined || value === null ? null : String(value)
    differences.push({ field, how: howOf(expected, text), sent: shortened(expected), found: shortened(text) })
  }
  return differences
}

/** A field of the record, or of its `extra`. */
function valueIn(record: object, field: string): unknown {
  const fields = new Map(Object.entries(record))
  const extra: unknown = fields.get('extra')
  const value = fields.get(field)
  if (value !== undefined || typeof extra !== 'object' || extra === null) return value
  return new Map(Object.entries(extra)).get(field)
}

/** Describes how a text differs, in particular differences that are not visible. */
function howOf(sent: string, found: string | null): string {
  if (found === null) return 'missing'
  const oneLineEnd = (text: string) => text.replace(/\r\n?/g, '\n')
  if (oneLineEnd(sent) === oneLineEnd(found)) return 'other line endings'
  if (oneLineEnd(sent).trim() === oneLineEnd(found).trim()) return 'other white space around it'
  if (sent.replace(/\s+/g, ' ').trim() === found.replace(/\s+/g, ' ').trim()) return 'other white space'
  if (sent.normalize('NFKC') === found.normalize('NFKC')) return 'another Unicode form'
  if (found === '') return 'empty'
  if (sent.startsWith(found)) return `cut short after ${found.length} of ${sent.length} characters`
  return 'another value'
}

const SHOWN_LENGTH = 120

function shortened(text: string | null): string | null {
  return text === null || text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH)}…`
}
