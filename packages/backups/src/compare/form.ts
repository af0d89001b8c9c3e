import type { BagFile } from '@collab-etl/bagit'
import type { BackupReader as OpenedBackup } from '../read/backup-reader.ts'
import type { DiffRecord, RecordKind } from './record.ts'

/** Whether to compare the records of a kind of a project. */
export type RecordFilter = (pid: string, kind: RecordKind) => boolean

/** Two backups read in a format that both have. Records known to be identical may be left out. */
export interface FormPair {
  readonly form: 'csv' | 'jsonl' | 'markdown'
  /** The files that `records` reads. */
  filesOf(backup: OpenedBackup): Promise<readonly BagFile[]>
  /** Reads the files again with each call. */
  records(backup: OpenedBackup, filter: RecordFilter): AsyncGenerator<DiffRecord, void, undefined>
}
