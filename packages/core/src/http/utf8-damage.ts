import { isUtf8 } from 'node:buffer'
import { type FieldLoss, fieldLoss } from '../read/field-loss.ts'

/**
 * Finds the strings that are not UTF-8 in a value that was decoded as Latin-1. The original of such a loss has one
 * character (U+0000 to U+00FF) for each byte, so that the bytes can be recovered.
 */
export function damagedStrings(value: unknown, path = ''): FieldLoss[] {
  if (typeof value === 'string') return isDamaged(value) ? [fieldLoss(path, 'invalid_utf8', value)] : []
  if (Array.isArray(value)) return value.flatMap((item, index) => damagedStrings(item, `${path}[${index}]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => [
    ...(isDamaged(name) ? [fieldLoss(path, 'invalid_utf8', name)] : []),
    ...damagedStrings(item, path === '' ? asUtf8(name) : `${path}.${asUtf8(name)}`),
  ])
}

function isDamaged(latin1: string): boolean {
  return !isUtf8(bytesOf(latin1))
}

function asUtf8(latin1: string): string {
  return bytesOf(latin1).toString()
}

function bytesOf(latin1: string): Buffer {
  // Characters beyond Latin-1 can only come from escapes such as \u4e2d, not from bytes.
  return Buffer.from(latin1.replaceAll(/[^\0-\xff]/g, '?'), 'latin1')
}
