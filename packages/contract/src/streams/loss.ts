import type { StreamName } from './scope.ts'

/**
 * Why a value could not be kept exactly as it was sent, and what is kept instead.
 * - `coerced`: read as the type it should have had (`"1"` for `1`)
 * - `rounded`: a number that a double, or the column, cannot hold; the nearest one that it can
 * - `left_out`: promised by the interface and not in the record; `null` or an empty list here, a stored value is kept
 * - `missing`: sent as `null` where the interface promises a value; `null`, or an empty list
 * - `null_list`: `null` in place of a list of records (field `''`) or of comments; read as an empty list, which deletes nothing
 * - `unreadable`: cannot be read as its type; `null`. Of a list of records (field `''`): a record that is nested deeper than
 *   1,000 levels; it is not stored and the scope is `partial`; the original has `null` for the field that is too deep
 * - `unkeyed`: an element of a list without a readable key; left out of the list. Of a list of records (field `''`), the scope is `partial`
 * - `duplicate`: a second record or element with the same key; the later record, or the first element, is kept
 * - `repeated_field`: a field that one object has twice; the last value is kept, the original is an earlier one
 * - `misplaced`: a record that names another project than the one it was read from; kept under the latter
 * - `invalid_utf8`: bytes that are not UTF-8; each replaced by U+FFFD
 * - `nul_character`, `lone_surrogate`: characters that cannot be stored; each replaced by U+FFFD
 * - `too_long`: an id of more than 512 bytes; its beginning, `…` and a hash of the whole are kept
 * - `unaskable`: an id that no request can name (more than 512 bytes, a lone surrogate, U+0000, `.` or `..`); the record it
 *   names is not read
 * - `cut`: a nested list with fewer elements than the record itself states; those that came are taken, stored ones are kept
 * - `unlisted`: a page whose parent is not in the list of pages
 * - `invalid_timestamp`, `out_of_range`: cannot be stored in the column's type; NULL
 */
export type IssueKind =
  | 'coerced'
  | 'rounded'
  | 'left_out'
  | 'missing'
  | 'null_list'
  | 'unreadable'
  | 'unkeyed'
  | 'duplicate'
  | 'repeated_field'
  | 'misplaced'
  | 'invalid_utf8'
  | 'nul_character'
  | 'lone_surrogate'
  | 'too_long'
  | 'unaskable'
  | 'cut'
  | 'unlisted'
  | 'invalid_timestamp'
  | 'out_of_range'

/** One value of one record that could not be kept exactly as it was sent. */
export interface ConversionIssue {
  /** The record's key; parts are joined by a space. */
  readonly recordKey: string
  /** Path inside the record, e.g. `members[0].status`; empty for the record itself. */
  readonly field: string
  readonly kind: IssueKind
  /** The value as it was sent, as JSON text; `null` where nothing was sent. */
  readonly original: string | null
}

/** A `ConversionIssue` and the scope it occurred in. */
export interface Loss extends ConversionIssue {
  readonly pid: string | null
  readonly stream: StreamName
}

/** Whether a loss concerns a list of records itself, or an element that is not a record, rather than one of its records. */
export function isOfList({ field, kind }: ConversionIssue): boolean {
  return field === '' && (isUnread(kind) || kind === 'null_list')
}

/** Whether a loss is an element of a list of records that could not be read. */
export function isUnreadElement({ field, kind }: ConversionIssue): boolean {
  return field === '' && isUnread(kind)
}

function isUnread(kind: IssueKind): boolean {
  return kind === 'unkeyed' || kind === 'unreadable'
}
