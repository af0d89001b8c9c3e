import { UsageError } from '@collab-etl/cli'
import type { OpenedBackup } from '../diff/opened-backup.ts'

/** Projects named in a message. */
const NAMED = 10

/** A project of a backup, as its certificate tells of it. */
export type BackupProject = OpenedBackup['certificate']['projects'][number]

/** The project that is to be restored: the only one, or the one that was asked for. */
export function chooseProject(backup: OpenedBackup, pid: string | undefined): BackupProject {
  const { projects } = backup.certificate
  const [only] = projects
  if (pid === undefined && only && projects.length === 1) return only
  const found = projects.find((project) => project.pid === pid)
  if (pid !== undefined && found) return found
  const named = projects.slice(0, NAMED).map((project) => `${project.pid} (${project.name ?? 'untitled'})`)
  const more = projects.length > NAMED ? `, and ${projects.length - NAMED} more` : ''
  const there = projects.length === 0 ? 'it has none' : `it has ${named.join(', ')}${more}`
  throw new UsageError(
    pid === undefined
      ? `${backup.path} has not one project but ${projects.length}: name the one to restore with --project PID; ${there}`
      : `--project: ${backup.path} has no project ${pid}; ${there}`,
  )
}
