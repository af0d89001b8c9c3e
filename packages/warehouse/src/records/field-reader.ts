import { isShortId } from '@collab-etl/contract/id'
import type { ConversionIssue, IssueKind } from '@collab-etl/contract/streams'
import { EPOCH, isExact, readTimestamp } from '@collab-etl/contract/timestamp'
import { type Cell, LEFT_OUT } from '../tables/table.ts'
import { originalText, storableJson } from './json.ts'
import { isUncertain, type RecordIssues } from './record-issues.ts'
import type { ReceivedUser } from './scope-memory.ts'
import { isStorable, storable, storableId, storedId } from './text.ts'

const WHOLE_NUMBER = /^[+-]?\d{1,100}$/

type Extra = { readonly [field: string]: unknown } | null | undefined

const NONE: ReadonlySet<string> = new Set()

/**
 * Converts the fields of records to cells, and lists what could not be stored as it was sent. Each conversion takes the value of a
 * field and its path within the record; a field that was left out becomes `LEFT_OUT`.
 */
export abstract class FieldReader {
  /** Id of the scope's project as it is stored; `''` for a personal scope. */
  readonly pid: string
  /** The same; `null` for a personal scope. */
  readonly scopePid: string | null
  readonly losses: ConversionIssue[] = []
  /** Indices of records of which something was lost. */
  readonly inexact = new Set<number>()
  isArchived = false
  /** Fields of the current record that the operation it came from never sends: they keep their stored values. */
  protected unsent: ReadonlySet<string> = NONE
  readonly #unique = new UniqueKeys((element) => this.lose('', 'duplicate', element))
  protected record = 0
  /** Fields of the current record that differ from the service's interface. */
  protected issues: RecordIssues | null = null
  #key = ''
  #list = ''
  #index = 0

  constructor(pid: string | null) {
    const clean = pid === null ? null : storedId(pid)
    this.scopePid = clean
    this.pid = clean ?? ''
  }

  /** The id of a user whom the record embeds; `null` when there is none. */
  abstract user(value: ReceivedUser | null | undefined, field: string): Cell

  /** Starts a record: fields and losses from here on are of this one. */
  begin(record: number, key: string, issues: RecordIssues | null = null): void {
    this.record = record
    this.issues = issues
    this.unsent = NONE
    this.#key = key
    this.#list = ''
  }

  /** Fields named from here on are of an object inside the record, or (with `index`) of an element of a list. */
  within(list: string, index = -1): void {
    this.#list = list
    this.#index = index
  }

  lose(field: string, kind: IssueKind, original: unknown): void {
    if (isUncertain(kind)) this.inexact.add(this.record)
    this.losses.push({ recordKey: this.#key, field: this.#path(field), kind, original: originalText(original) })
  }

  /** Guards the keys of the list that begins here; one list at a time. */
  newList(): UniqueKeys {
    return this.#unique.clear()
  }

  /** Unknown fields, and the project that the record names where it is not the one it was read from. */
  withOtherPid(extra: Extra, named: string | null | undefined): Record<string, unknown> | undefined {
    if (named === null || named === undefined || named === '' || named === this.pid) return extra ?? undefined
    return { ...extra, pid: named }
  }

  /** Names fields of the record that its operation never sends, although another one does. */
  leaveOut(fields: ReadonlySet<string>): void {
    this.unsent = fields
  }

  /** Whether the record, or the object that holds the field, came without it. */
  isLeftOut(field: string): boolean {
    const path = this.#path(field)
    return this.unsent.has(path) || (this.issues?.isLeftOut(path) ?? false)
  }

  /** Whether something other than a list came in place of a list: its previous elements stay. */
  isUnknownList(field: string): boolean {
    return this.issues?.isUnknownList(field) ?? false
  }

  /** Unknown fields, and the text of a size that is not a whole number of bytes ("139.79KB"), which `size_bytes` cannot hold. */
  withSizeText(extra: Record<string, unknown> | undefined, size: string | null | undefined): Extra {
    return size === null || size === undefined || size === '' || isBytes(size) ? extra : { ...extra, size }
  }

  text(value: string | null | undefined, field: string): Cell {
    return value === null || value === undefined ? this.#none(field) : this.#clean(value, field)
  }

  /** An id that is never null: part of a key, or a reference to one. One that is too long for an index is shortened. */
  key(value: string, field: string): string {
    if (isStorable(value) && isShortId(value)) return value
    const { text, lost } = storableId(value)
    for (const kind of lost) this.lose(field, kind, value)
    return text
  }

  /** An id; `''` means none. */
  id(value: string | null | undefined, field: string): Cell {
    if (value === '') return null
    return value === null || value === undefined ? this.#none(field) : this.key(value, field)
  }

  flag(value: number | null | undefined, field: string): Cell {
    if (value === 1) return true
    if (value === 0) return false
    if (value === null || value === undefined) return this.#none(field)
    this.lose(field, 'out_of_range', value)
    return null
  }

  smallint(value: number | string | null | undefined, field: string): Cell {
    return this.#integer(typeof value === 'string' ? Number(value) : value, field, 32767)
  }

  integer(value: number | null | undefined, field: string): Cell {
    return this.#integer(value, field, 2147483647)
  }

  double(value: number | null | undefined, field: string): Cell {
    if (value === null || value === undefined) return this.#none(field)
    if (Number.isFinite(value)) return value
    this.lose(field, 'out_of_range', value)
    return null
  }

  /** A number of bytes, sent as text; `''` means unknown. */
  bigint(value: string | null | undefined, field: string): Cell {
    if (value === null || value === undefined) return this.#none(field)
    if (value === '') return null
    if (isBytes(value)) return String(BigInt(value.replace('+', '')))
    this.lose(field, WHOLE_NUMBER.test(value) ? 'out_of_range' : 'unreadable', value)
    return null
  }

  timestamp(value: string | null | undefined, field: string): Cell {
    return value === null || value === undefined ? this.#none(field) : this.instant(value, field)
  }

  /** A required time; `null` if it is not a valid one. */
  instant(value: string, field: string): string | null {
    if (isExact(value)) return value
    const read = readTimestamp(value)
    if ('loss' in read) {
      this.lose(field, read.loss, value)
      return null
    }
    // a number is listed already, as it was sent
    if (read.isConverted && !this.issues?.isCoerced(this.#path(field))) this.lose(field, 'coerced', value)
    return read.value
  }

  /** A due or completion time: the Unix epoch and `''` mean none (docs/dev/service-api.md#values). */
  optionalTime(value: string | null | undefined, field: string): Cell {
    if (value === EPOCH || value === '') return null
    const time = this.timestamp(value, field)
    return time === EPOCH ? null : time
  }

  texts(values: readonly string[] | null, field: string): Cell {
    if (this.isUnknownList(field)) return LEFT_OUT
    return values?.map((value, index) => this.#clean(value, `${field}[${index}]`)) ?? null
  }

  /**
   * The row's `extra`: the record's unknown fields, and those of `nested` objects under their names; `null` when there are none.
   */
  extra(own: Extra, nested?: { readonly [field: string]: Extra }): Cell {
    let all = own ?? null
    for (const name in nested) {
      const value = nested[name]
      if (value === null || value === undefined || Object.keys(value).length === 0) continue
      // an unknown field may have the very name: then both are kept
      all = { ...all, [all !== null && Object.hasOwn(all, name) ? `${name} (nested)` : name]: value }
    }
    if (all === null || Object.keys(all).length === 0) return null
    return storableJson(all, '', (path, kind, original) => this.lose(path, kind, original))
  }

  #clean(value: string, field: string): string {
    if (isStorable(value)) return value
    const { text, lost } = storable(value)
    for (const kind of lost) this.lose(field, kind, value)
    return text
  }

  /** NULL, or the stored value where the field was left out. */
  #none(field: string): Cell {
    return this.isLeftOut(field) ? LEFT_OUT : null
  }

  #integer(value: number | null | undefined, field: string, max: number): Cell {
    if (value === null || value === undefined) return this.#none(field)
    if (Number.isInteger(value) && value >= -max - 1 && value <= max) return value
    this.lose(field, 'out_of_range', value)
    return null
  }

  #path(field: string): string {
    if (this.#list === '') return field
    const at = this.#index < 0 ? this.#list : `${this.#list}[${this.#index}]`
    return field === '' ? at : `${at}.${field}`
  }
}

/** Whether a text is a number that a `bigint` holds. */
function isBytes(text: string): boolean {
  if (!WHOLE_NUMBER.test(text)) return false
  const number = BigInt(text.replace('+', ''))
  return BigInt.asIntN(64, number) === number
}

/** Lists of a record are short: up to here looking through is faster than hashing. */
const SHORT = 16

/** The keys met so far in one list of a record. Cleaning may make two of them alike that were different when sent. */
export class UniqueKeys {
  readonly #onDuplicate: (element: unknown) => void
  /** The first `#count` of these; the others are of earlier lists. */
  readonly #short: string[] = []
  readonly #long = new Set<string>()
  #count = 0

  constructor(onDuplicate: (element: unknown) => void) {
    this.#onDuplicate = onDuplicate
  }

  /** Forgets everything: another list begins. */
  clear(): this {
    this.#count = 0
    if (this.#long.size > 0) this.#long.clear()
    return this
  }

  has(key: string): boolean {
    for (let index = 0; index < this.#count; index++) if (this.#short[index] === key) return true
    return this.#long.size > 0 && this.#long.has(key)
  }

  add(key: string): string {
    if (this.#count < SHORT) this.#short[this.#count++] = key
    else this.#long.add(key)
    return key
  }

  /** Whether the key is met for the first time; if not, the element is reported. */
  isNew(key: string, element: unknown): boolean {
    if (this.has(key)) {
      this.#onDuplicate(element)
      return false
    }
    this.add(key)
    return true
  }
}
