import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Context, UsageError } from '@collab-etl/cli'
import type { JobPlan } from '../config/plan.ts'
import { hasEarlierBackup } from './record.ts'

/**
 * Checks the directories that a night writes to last, before anything is read. Once a night has written a backup, a missing directory, such as
 * that of a disk that is not mounted, is only a warning: the backup matters more. With `nightly.before`, whose programs may mount the disk, nothing
 * is checked.
 * @throws UsageError if no night has written a backup yet
 */
export async function checkPlaces({ log, settings }: Context, plan: JobPlan): Promise<void> {
  if (plan.before !== undefined) return
  const problems = (await Promise.all(placesOf(plan).map(problemAt))).filter((problem) => problem !== null)
  const [first] = problems
  if (first === undefined) return
  if (!(await hasEarlierBackup(plan.out))) {
    const file = settings.configFile === undefined ? '' : ` (${settings.configFile})`
    throw new UsageError(`${first}${file}`)
  }
  for (const problem of problems) log.warn(problem)
}

/** The directories by their keys. That of the report may be missing, but not its parent. */
function placesOf({ archive, report, metrics_file: metrics }: JobPlan): [key: string, directory: string][] {
  return [
    ...(archive?.to === undefined ? [] : [['archive.to', archive.to] satisfies [string, string]]),
    ...(report === undefined ? [] : [['report', report] satisfies [string, string]]),
    ...(metrics === undefined ? [] : [['metrics_file', dirname(metrics)] satisfies [string, string]]),
  ]
}

async function problemAt([key, directory]: readonly [key: string, directory: string]): Promise<string | null> {
  const found = await stat(directory).catch(() => null)
  if (found === null) {
    if (key === 'report') return await problemAt(['report in', dirname(directory)])
    return `nightly.${key}: ${directory} does not exist: make it, or mount its disk`
  }
  if (!found.isDirectory()) return `nightly.${key}: ${directory} is not a directory`
  return await access(directory, constants.W_OK | constants.X_OK).then(
    () => null,
    () => `nightly.${key}: this user may not write to ${directory}`,
  )
}
