import { performance } from 'node:perf_hooks'
import { isThorough, THOROUGH_TAG } from '@collab-etl/harness/thorough-tag'
import { test } from 'vitest'
import { mutated } from './mutate.ts'
import { Random } from './random.ts'

/** A parser of external bytes, and the property that must hold for all of them. */
export interface Target {
  readonly name: string
  /** Initial inputs: interesting cases of the tests. */
  readonly seeds: readonly (string | Uint8Array)[]
  /** Number of inputs in ordinary test runs. */
  readonly inputs: number
  /**
   * Throws if the property does not hold. Returns a word for the outcome; an input with a new outcome is
   * kept and mutated further.
   */
  readonly judge: (input: Buffer) => string | Promise<string>
}

/** Limits memory for targets with many outcomes. */
const MOST_KEPT = 2_000

/** Attempts at shortening a failing input. */
const MOST_TRIES = 2_000

/**
 * Registers a test that mutates inputs. It ends after `inputs` inputs; in `npm run test:thorough` after ten seconds, or after
 * `FUZZ_SECONDS`. `FUZZ_SEED` repeats a run, `FUZZ_INPUT` (base64) a single input.
 */
export function fuzz(target: Target): void {
  const { FUZZ_SECONDS: seconds = isThorough() ? '10' : undefined, FUZZ_SEED: given, FUZZ_INPUT: only } = process.env
  const seed = Number(given ?? Math.trunc(Math.random() * 2 ** 31))
  const limit =
    seconds === undefined ? { inputs: target.inputs, ms: Infinity } : { inputs: Infinity, ms: Number(seconds) * 1000 }
  const options = { tags: THOROUGH_TAG, timeout: 60_000 + (seconds ? 1000 * Number(seconds) : 0) }
  test(`${target.name}: random mutations`, options, async () => {
    if (only === undefined) await run(target, seed, limit)
    else await target.judge(Buffer.from(only, 'base64'))
  })
}

async function run(
  { seeds, judge }: Target,
  seed: number,
  limit: { readonly inputs: number; readonly ms: number },
): Promise<void> {
  const random = new Random(seed)
  const corpus: Buffer[] = seeds.map((each) => Buffer.from(each))
  const first = [...corpus]
  const endings = new Set<string>()
  const end = performance.now() + limit.ms
  let inputs = 0
  while (inputs < limit.inputs && performance.now() < end) {
    // first the unchanged initial inputs
    const input = first.shift() ?? mutated(random.oneOf(corpus), random, corpus)
    inputs += 1
    const ending = await judged(judge, input, seed)
    if (endings.has(ending) || endings.size > MOST_KEPT) continue
    endings.add(ending)
    corpus.push(input)
  }
}

async function judged(judge: Target['judge'], input: Buffer, seed: number): Promise<string> {
  try {
    return await judge(input)
  } catch (cause) {
    const least = await shrunk(judge, input)
    const detail = cause instanceof Error ? cause.message : String(cause)
    const how = `seed ${seed}; input in base64, for FUZZ_INPUT:\n${least.toString('base64')}`
    throw new Error(`${detail}\n${how}`, { cause })
  }
}

/** Shortens an input as far as it still fails, within a limited number of attempts. */
async function shrunk(judge: Target['judge'], input: Buffer): Promise<Buffer> {
  let least = input
  let tries = MOST_TRIES
  for (let size = Math.ceil(input.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < least.length && tries > 0; tries--) {
      const shorter = Buffer.concat([least.subarray(0, at), least.subarray(at + size)])
      if (await fails(judge, shorter)) least = shorter
      else at += size
    }
  }
  return least
}

async function fails(judge: Target['judge'], input: Buffer): Promise<boolean> {
  try {
    await judge(input)
    return false
  } catch {
    return true
  }
}
