import type { Sample } from '@collab-etl/bagit'
import { readRecord, recordPath, writeRecord } from './records.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * The next part to verify. A repository counts the parts, so that a missed night skips none; without a repository (`null`) the day
 * selects the part.
 */
export async function sampleOf(directory: string | null, of: number, now: Date): Promise<Sample> {
  const turn = directory === null ? null : (await readRecord(turnsPath(directory)))?.[of]
  if (typeof turn === 'number' && Number.isSafeInteger(turn) && turn >= 0) return { part: turn % of, of }
  return { part: directory === null ? Math.floor(now.getTime() / DAY_MS) % of : 0, of }
}

/** Advances the counter after a part was verified. */
export async function passTurn(directory: string, { part, of }: Sample): Promise<void> {
  const turns = await readRecord(turnsPath(directory))
  await writeRecord(turnsPath(directory), { ...turns, [of]: (part + 1) % of })
}

function turnsPath(directory: string): string {
  return recordPath(directory, 'sample-turns.json')
}
