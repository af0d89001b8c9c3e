import type { ListedKind } from '../format.ts'

/** A text of a record, whose links are rewritten; issues are reported with its stream, key and field. */
export interface RecordText {
  readonly text: string
  readonly stream: 'pages' | 'posts' | ListedKind
  readonly recordKey: string
  readonly field: string
}
