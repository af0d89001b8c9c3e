import type { LossKind } from '@collab-etl/contract/streams'

/** A loss while its record is still being read. */
export interface FieldLoss {
  readonly field: string
  readonly kind: LossKind
  readonly original: string | null
}

/** A loss of a value as it was sent; `undefined` for a field that was not sent. */
export function fieldLoss(field: string, kind: LossKind, value: unknown): FieldLoss {
  return { field, kind, original: value === undefined ? null : jsonText(value) }
}

function jsonText(value: unknown): string {
  // A number such as 1e400 is valid JSON but is parsed as Infinity, which JSON.stringify writes as null.
  if (value === Number.POSITIVE_INFINITY) return '1e999'
  if (value === Number.NEGATIVE_INFINITY) return '-1e999'
  return JSON.stringify(value)
}
