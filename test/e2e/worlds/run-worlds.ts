import { randomInt } from 'node:crypto'
import { type Backend, backends } from '@collab-etl/harness/backends'
import { rounds, times } from '@collab-etl/harness/thorough'
import { drawsNewCases } from '@collab-etl/harness/thorough-tag'

const ONE = process.env['COLLAB_TEST_WORLD']
const FIRST = Number(ONE ?? (drawsNewCases() ? randomInt(1e9) : 1))
export const NIGHTS = ONE === undefined ? times(3, 8) : 8
/** They wait for programs. */
const AT_ONCE = 2
/** Problems of a world that are shown. */
const SHOWN = 12

/** What was wrong in a world, and what happened in each of its nights. */
export interface RanWorld {
  readonly problems: readonly string[]
  readonly log: readonly string[]
}

/**
 * Runs random worlds, every tenth one embedded; COLLAB_TEST_WORLD=SEED runs one, COLLAB_TEST_ROUNDS=N so many.
 * @param few number of worlds in `npm test`
 * @returns what failed, as text; empty if nothing did
 */
export async function failuresOfWorlds(
  few: number,
  runWorld: (seed: number, backend: Backend) => Promise<RanWorld>,
): Promise<string> {
  const [backend, embedded = backend] = backends()
  if (backend === undefined || embedded === undefined) throw new Error('no warehouse')
  const seeds = Array.from({ length: ONE === undefined ? rounds(few, 50) : 1 }, (_, index) => FIRST + index)
  const failures: string[] = []
  const inTurn = async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const { problems, log } = await runWorld(seed, seed % 10 === 0 ? embedded : backend)
      if (problems.length === 0) continue
      const more = problems.length > SHOWN ? [`and ${problems.length - SHOWN} more problems`] : []
      const failure = [`COLLAB_TEST_WORLD=${seed}`, ...log, ...problems.slice(0, SHOWN), ...more].join('\n  ')
      failures.push(failure)
      process.stderr.write(`${failure}\n`) // at once: a batch that is cut off ends without the assertion
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, inTurn))
  return failures.join('\n')
}
