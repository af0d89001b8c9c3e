import { hash } from 'node:crypto'

/** 48 bits of a record's content, in one number: shows whether a record that is read again has changed. */
export function fingerprint(record: unknown): number {
  return Number.parseInt(hash('sha256', JSON.stringify(record)).slice(0, 12), 16)
}
