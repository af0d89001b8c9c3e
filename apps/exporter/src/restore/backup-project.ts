import { UsageError } from '@collab-etl/cli'
import type { OpenedBackup } from '../diff/opened-backup.ts'

/** Number of projects named in a message. */
const NAMED = 10

/** A project in a backup manifest. */
export type BackupProject = OpenedBackup['manifest']['projects'][number]

/** The project to restore: the only one, or the one with `pid`.
 *
 * @throws UsageError if there is no such project, or `pid` is needed */
export function chooseProject(backup: OpenedBackup, pid: string | undefined): BackupProject {
  const { projects } = backup.manifest
  const [only] = projects
  if (pid === undefined && only && projects.length === 1) return only
  const found = projects.find((project) => project.pid === pid)
  if (pid !== undefined && found) return found
  const named = projects.slice(0, NAMED).map((project) => `${project.pid} (${project.name ?? 'untitled'})`)
  const more = projects.length > NAMED ? `, and ${projects.length - NAMED} more` : ''
  const there = projects.length === 0 ? 'it has no projects' : `it has ${named.join(', ')}${more}`
  throw new UsageError(
    pid === undefined
      ? `${backup.path} has ${projects.length} projects; choose one with --project PID; ${there}`
      : `--project: ${backup.path} has no project ${pid}; ${there}`,
  )
}
