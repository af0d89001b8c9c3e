import type { SourceRecord } from '@collab-etl/contract/source'
import type { People, Person } from '../people.ts'
import { keyOf, textOf } from '../row.ts'

const FOLDER = 1

/** A file or folder as documents show it (docs/dev/service-api.md#file). A backup does not have its bytes. */
export interface FileView {
  readonly id: string
  readonly name: string | null
  readonly description: string | null
  /** `null` where the service sent none, or no number. */
  readonly bytes: bigint | null
  readonly path: string | null
  /** Id of the folder that holds it; `null` at the top. */
  readonly folderId: string | null
  readonly isFolder: boolean
  readonly createdAt: string | null
  readonly updatedAt: string | null
  readonly owner: Person | null
}

/** The view of a record of `files`; `commentsOf` gives its comments. */
export function fileView({ row }: SourceRecord, people: People): FileView {
  return {
    id: keyOf(row, 'fid'),
    name: textOf(row, 'name'),
    description: textOf(row, 'description'),
    bytes: bytesOf(row['size_bytes']),
    path: textOf(row, 'path'),
    folderId: textOf(row, 'folder_id'),
    isFolder: row['type'] === FOLDER,
    createdAt: textOf(row, 'created_at'),
    updatedAt: textOf(row, 'updated_at'),
    owner: people.personOrNone(textOf(row, 'owner_uid')),
  }
}

function bytesOf(value: unknown): bigint | null {
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) return BigInt(value)
  // Sources give whole numbers of 64 bits as texts.
  return typeof value === 'string' && /^-?\d+$/.test(value) ? BigInt(value) : null
}
