import { readdir } from 'node:fs/promises'
import { BACKUP_NAME } from '@collab-etl/backups'
import type { Night } from '@collab-etl/observability'
import type { JobPlan } from '../config/plan.ts'
import type { DoneSteps } from './steps.ts'

interface Ending {
  readonly done: DoneSteps
  readonly startedAt: Date
  /** The nights before, the oldest first. */
  readonly nights: readonly Night[]
}

/** What a night found that needs a look, each in one line. */
export async function warningsOf(plan: JobPlan, ending: Ending): Promise<string[]> {
  const gone = ending.done.get('prune-archives')?.document?.['warning']
  const disk = await otherDisk(plan, ending)
  return [...(disk === null ? [] : [disk]), ...(typeof gone === 'string' ? [gone] : [])]
}

/** An empty disk in the place of the backups looks like a first night, but the warehouse was read before. */
async function otherDisk({ out }: JobPlan, { done, startedAt, nights }: Ending): Promise<string | null> {
  const first = done.get('snapshot')?.document?.['first_run_at']
  // a first night that was killed before its backup is on record
  const since = Date.parse(nights[0]?.started_at ?? startedAt.toISOString())
  if (typeof first !== 'string' || !(Date.parse(first) < since)) return null
  if (nights.some(({ backup }) => backup !== null)) return null
  const tonight = done.get('backup')?.document?.['name']
  const names = await readdir(out).catch(() => [])
  if (names.some((name) => BACKUP_NAME.test(name) && name !== tonight)) return null
  return `${out} holds no earlier backup and no record of runs, though the warehouse was first read on ${first.slice(0, 10)}: is the right disk mounted?`
}
