import type { ListedKind } from '../format.ts'

/** A text of a record, whose links are rewritten; issues are reported with its stream, key and field. */
export interface RecordText {
  readonly text: string
  readonly stream: 'pages' | 'posts' | ListedKind
  readonly recordKey: string
  /** Id of the page or post, if the key is that of a comment. */
  readonly recordId?: string
  readonly field: string
}
