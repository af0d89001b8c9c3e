import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDirectory, replaceFile } from '@collab-etl/lock'
import type { DrillFacts, Night } from '@collab-etl/observability'
import { recordDirectory } from './record.ts'

function pathOf(out: string): string {
  return join(recordDirectory(out), 'drill.json')
}

/** The last drill; `null`: there was none, or its record cannot be read. */
export async function readDrill(out: string): Promise<DrillFacts | null> {
  try {
    const value = JSON.parse(await readFile(pathOf(out), 'utf8')) as DrillFacts // as `recordDrill` wrote it
    return Number.isNaN(Date.parse(value.started_at)) || typeof value.source !== 'string' ? null : value
  } catch {
    return null
  }
}

export async function recordDrill(out: string, drill: DrillFacts): Promise<void> {
  makeDirectory(recordDirectory(out), 0o700)
  await replaceFile(pathOf(out), `${JSON.stringify(drill)}\n`, 0o600)
}

/** The nights, the latest with the last drill. */
export async function withDrill(out: string, nights: readonly Night[]): Promise<readonly Night[]> {
  const [drill, last] = [await readDrill(out), nights.at(-1)]
  return drill === null || last === undefined ? nights : [...nights.slice(0, -1), { ...last, drill }]
}

/** Whether a drill is due: the last one passed, but longer ago; or none did. One in the future was recorded before the clock was set back. */
export function isDue(drill: DrillFacts | null, everyMs: number, now: Date): boolean {
  if (drill === null || drill.problem !== null) return true
  const age = now.getTime() - Date.parse(drill.started_at)
  return age < 0 || age >= everyMs - SLACK_MS
}

/** Nights do not begin at the same second: a drill every 30 days comes in the 30th night. */
const SLACK_MS = 12 * 3_600_000
