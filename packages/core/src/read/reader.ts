import type { Resource } from '@collab-etl/contract'
import { isExactNumber } from '@collab-etl/contract/exact-json'
import type { ConversionIssue } from '@collab-etl/contract/streams'
import { DecodeError } from '../errors/decode-error.ts'
import { type Plan, planOf } from './plan.ts'
import { type AnyRecord, type FieldIssue, isObject, own, readRecord } from './record.ts'

/** Index of a record in an array answer. */
interface Origin {
  readonly element?: number | undefined
}

/** Reads answers as records of one resource. */
export interface Reader {
  /**
   * @param value a value as `parseExactJson` returns it
   * @param losses receives the values that could not be kept exactly
   * @param damage losses found while decoding the record's bytes
   * @returns the record as `Received` describes it
   * @throws DecodeError if it is not an object, or has no key
   */
  read(value: unknown, losses: ConversionIssue[], origin?: Origin, damage?: readonly FieldIssue[]): AnyRecord
  /** The readable part of the key of a value that is not a complete record; `null` if there is none. */
  nameOf(value: unknown): string | null
}

/**
 * The reader of records of a resource.
 * @example readerOf(Page).read(parseExactJson(line), losses)
 */
export function readerOf(resource: Resource): Reader {
  const plan = planOf(resource)
  return {
    read(value, losses, origin = {}, damage = []) {
      const found: FieldIssue[] = []
      const record = readRecord(plan, value, '', found)
      if (record === undefined) throw unreadable(plan, value, origin)
      if (found.length > 0 || damage.length > 0) {
        const recordKey = plan.key.map(({ name }) => String(record[name])).join(' ')
        for (const loss of [...damage, ...found]) losses.push({ recordKey, ...loss })
      }
      return record
    },
    nameOf(value) {
      if (!isObject(value)) return null
      const parts = plan.key.map(({ name, scalar }) => scalar.read(own(value, name)))
      const read = parts.flatMap((part) => (part.how === 'unreadable' ? [] : [String(part.value)]))
      return read.length === 0 ? null : read.join(' ')
    },
  }
}

function unreadable({ title, key }: Plan, value: unknown, origin: Origin): DecodeError {
  if (!isObject(value)) {
    const isNumber = isExactNumber(value)
    const found =
      value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${isNumber ? 'number' : typeof value}`
    return new DecodeError({ ...origin, problem: 'wrong_type', what: `${found} in place of a ${title}` })
  }
  const names = key.map(({ name }) => name).join(', ')
  return new DecodeError({ ...origin, problem: 'unkeyed', what: `a ${title} without its key (${names})` })
}
