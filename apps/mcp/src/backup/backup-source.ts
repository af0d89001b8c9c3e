import { basename } from 'node:path'
import { BAG_LABELS, OpenedBackup } from '@collab-etl/backups'
import { bagInfoValue, readBagInfo } from '@collab-etl/bagit'
import { UsageError } from '@collab-etl/cli'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { Lookup, ProjectSummary } from '@collab-etl/warehouse'
import pLimit from 'p-limit'
import { shortened } from '../bounds.ts'
import { ToolError } from '../errors.ts'
import type { Source } from '../source/source.ts'
import { BackupLookup } from './backup-lookup.ts'
import { CheckedFiles } from './checked-files.ts'
import { CsvRecords } from './csv-records.ts'
import { JsonlRecords } from './jsonl-records.ts'
import { MarkdownRecords } from './markdown-records.ts'
import type { RecordReader, StoredRecord } from './record.ts'

/** Scopes that `run_status` lists. */
const LISTED_SCOPES = 100

/**
 * A backup, or the latest of a directory. Its manifests are verified now, each file before it is first read.
 * @throws DamagedBagError, and UsageError if there is no backup, or none whose records can be read
 */
export async function openBackupSource(named: string): Promise<Source> {
  const backup = await OpenedBackup.open(named)
  const files = await CheckedFiles.of(backup)
  // In this order: the first has everything, the last has rewritten links and no tasks.
  const readers = [new JsonlRecords(backup, files), new CsvRecords(backup, files), new MarkdownRecords(backup, files)]
  const reader = firstOf(readers)
  if (!reader.has('page') && !reader.has('post') && !reader.has('task')) {
    throw new UsageError(`${named} has no records that can be read: make backups with --format jsonl, csv or markdown`)
  }
  const lookup: Lookup = new BackupLookup(reader, projectsOf(backup))
  // One at a time: each call reads files from beginning to end.
  const limit = pLimit(1)
  return {
    kind: 'backup',
    read: (work) => limit(() => work(lookup)),
    status: () => statusOf(backup),
    [Symbol.asyncDispose]: async () => {},
  }
}

/** Each kind of records from the first format that has it. */
function firstOf(readers: readonly RecordReader[]): RecordReader {
  const readerOf = (kind: StoredRecord['kind']) => readers.find((reader) => reader.has(kind))
  return {
    has: (kind) => readerOf(kind) !== undefined,
    async *records(query) {
      const reader = readerOf(query.kind)
      if (reader !== undefined) yield* reader.records(query)
      else if (query.kind === 'task')
        throw new ToolError('this backup has no tasks: tasks are in its formats csv and jsonl')
    },
  }
}

function projectsOf({ manifest }: OpenedBackup): ProjectSummary[] {
  const projects = manifest.projects.map(({ pid, name, counts = {}, jsonl }): ProjectSummary => {
    const { tasks = 0, archived_tasks = 0, ...others } = jsonl?.counts ?? {}
    const countOf = (kind: string) => counts[kind] ?? others[kind] ?? 0
    return {
      ...{ pid, name, description: null, archived: null, open_tasks: null },
      pages: countOf('pages'),
      posts: countOf('posts'),
      tasks: counts['tasks'] ?? tasks + archived_tasks,
    }
  })
  return projects.sort((a, b) => compareBytes(a.name ?? '', b.name ?? '') || compareBytes(a.pid, b.pid))
}

/** When the backup was made, and which scopes are not complete. */
async function statusOf({ path, manifest }: OpenedBackup): Promise<Readonly<Record<string, unknown>>> {
  const info = await readBagInfo(path)
  const readAt = bagInfoValue(info, BAG_LABELS.readAt)
  const incomplete = (manifest.scopes ?? []).filter(({ status }) => status !== 'complete')
  const names = new Map(manifest.projects.map(({ pid, name }) => [pid, name]))
  return {
    backup: basename(path),
    formats: manifest.formats,
    content: manifest.content,
    ...(readAt !== undefined && { read_at: readAt }),
    incomplete_scopes: incomplete.length,
    incomplete: incomplete.slice(0, LISTED_SCOPES).map(({ pid, stream, status }) => ({
      ...{ pid, stream, status },
      project_name: shortened(names.get(pid ?? '') ?? null, 100),
    })),
  }
}
