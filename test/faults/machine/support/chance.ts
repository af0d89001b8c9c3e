import { randomFrom } from '@collab-etl/harness/random'

/** Runs something with random numbers; a failure reports the `FAULTS_SEED` that reproduces them. */
export async function byChance<T>(run: (random: () => number) => Promise<T>): Promise<T> {
  const seed = Number(process.env['FAULTS_SEED'] ?? Date.now() % 1_000_000)
  try {
    return await run(randomFrom(seed))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`with FAULTS_SEED=${seed}: ${reason}`, { cause })
  }
}
