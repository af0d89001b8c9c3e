import type { BackupProject } from '@collab-etl/backups'
import type { BackupReader, Place, Received } from '@collab-etl/backups/read'
import { UsageError } from '@collab-etl/cli'
import type { CommentedRecord, RestoreItem } from './item.ts'

/** A record with its kind and its position in a file. */
export interface PlacedRecord extends Received {
  readonly kind: RestoreItem['kind']
}

/** The records of one project of a backup, from the first format that keeps texts unchanged. */
export interface BackupRecords {
  readonly form: 'jsonl' | 'csv'
  /** All pages, posts and tasks, each once. */
  all(): AsyncGenerator<PlacedRecord, void, undefined>
  /** Events, or the task groups that the service listed; only of JSON lines. */
  further(table: 'events' | 'entries'): AsyncIterable<Received>
  /** Reads one of the records again, with its comments. */
  read(place: Place): Promise<CommentedRecord>
}

/**
 * The records that a restore creates. Their files are checked before and after they are read.
 * @throws UsageError if the backup has only Markdown or HTML, whose texts are rewritten
 */
export function recordsOf(backup: BackupReader, project: BackupProject): BackupRecords {
  const form = project.jsonl === undefined ? 'csv' : 'jsonl'
  // Tasks are restored from JSON lines alone.
  const kinds = form === 'jsonl' ? (['page', 'post', 'task'] as const) : (['page', 'post'] as const)
  const held = kinds.filter((kind) => backup.holds(form, `${kind}s`))
  if (form === 'csv' && held.length === 0) throw notRestorable(backup)
  return {
    form,
    async *all() {
      for (const kind of held) {
        for await (const received of backup.received(`${kind}s`, project, form)) yield { kind, ...received }
      }
      // The files must not have changed while they were read.
      await backup.recheck()
    },
    async *further(table) {
      if (form === 'jsonl') yield* backup.received(table, project, form)
    },
    read: (place) => backup.read(place),
  }
}

function notRestorable({ path, manifest: { formats, content } }: BackupReader): UsageError {
  if (formats.includes('csv')) {
    return new UsageError(
      `${path} cannot be restored: restore reads pages and posts of the CSV, and it was made with --content ${content?.join(', ')}. ` +
        'Add --format jsonl to restore tasks',
    )
  }
  return new UsageError(
    `${path} cannot be restored: its format (${formats.join(', ')}) contains rewritten links. ` +
      'Make backups with --format jsonl or csv as well',
  )
}
