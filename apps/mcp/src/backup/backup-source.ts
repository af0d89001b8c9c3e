import { basename } from 'node:path'
import { BAG_LABELS } from '@collab-etl/backups'
import { BackupReader } from '@collab-etl/backups/read'
import { bagInfoValue, readBagInfo } from '@collab-etl/bagit'
import { UsageError } from '@collab-etl/cli'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { Lookup, ProjectSummary } from '@collab-etl/warehouse'
import pLimit from 'p-limit'
import { shortened } from '../bounds.ts'
import type { Answers } from '../source/answers.ts'
import { BackupLookup } from './backup-lookup.ts'
import { recordsOf } from './stored-records.ts'

const DOCUMENTS = ['pages', 'posts', 'tasks'] as const

/** Scopes that `run_status` lists. */
const LISTED_SCOPES = 100

/**
 * A backup, or the latest of a directory. Its manifests are verified now, each file before it is first read.
 * @throws DamagedBagError, and UsageError if there is no backup, or none whose records can be read
 */
export async function openBackupSource(named: string): Promise<Answers> {
  const backup = await BackupReader.open(named)
  if (!DOCUMENTS.some((table) => backup.formatOf(table) !== null)) {
    throw new UsageError(`${named} has no records that can be read: make backups with --format jsonl, csv or markdown`)
  }
  const lookup: Lookup = new BackupLookup(recordsOf(backup), projectsOf(backup))
  // One at a time: each call reads files from beginning to end.
  const limit = pLimit(1)
  return {
    kind: 'backup',
    read: (work) => limit(() => work(lookup)),
    status: () => statusOf(backup),
    [Symbol.asyncDispose]: async () => {},
  }
}

function projectsOf({ manifest }: BackupReader): ProjectSummary[] {
  const projects = manifest.projects.map(({ pid, name, counts = {}, jsonl }): ProjectSummary => {
    const { tasks = 0, archived_tasks = 0, ...others } = jsonl?.counts ?? {}
    const countOf = (kind: string) => counts[kind] ?? others[kind] ?? 0
    return {
      pid,
      name,
      description: null,
      archived: null,
      open_tasks: null,
      pages: countOf('pages'),
      posts: countOf('posts'),
      tasks: counts['tasks'] ?? tasks + archived_tasks,
    }
  })
  return projects.sort((a, b) => compareBytes(a.name ?? '', b.name ?? '') || compareBytes(a.pid, b.pid))
}

/** When the backup was made, and which scopes are not complete. */
async function statusOf({ path, manifest }: BackupReader): Promise<Readonly<Record<string, unknown>>> {
  const info = await readBagInfo(path)
  const readAt = bagInfoValue(info, BAG_LABELS.readAt)
  const incomplete = (manifest.scopes ?? []).filter(({ status }) => status !== 'complete')
  const names = new Map(manifest.projects.map(({ pid, name }) => [pid, name]))
  return {
    backup: basename(path),
    formats: manifest.formats,
    content: manifest.content,
    ...(readAt !== undefined && { read_at: readAt }),
    ...(manifest.accounts && { accounts: manifest.accounts }),
    incomplete_scopes: incomplete.length,
    incomplete: incomplete.slice(0, LISTED_SCOPES).map(({ pid, stream, status }) => ({
      pid,
      stream,
      status,
      project_name: shortened(names.get(pid ?? '') ?? null, 100),
    })),
  }
}
