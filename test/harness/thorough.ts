import { test } from 'vitest'

/** Whether this is `npm run test:thorough`, which runs slow tests in full. */
const THOROUGH = process.env['COLLAB_TEST_THOROUGH'] === 'true'

/** How often a slow test repeats: `quick` in `npm test`, `thorough` in `npm run test:thorough`. */
export function times(quick: number, thorough: number): number {
  return THOROUGH ? thorough : quick
}

/** How many rounds a long property has; the environment variable COLLAB_TEST_ROUNDS asks for another number. */
export function rounds(quick: number, thorough: number): number {
  return Number(process.env['COLLAB_TEST_ROUNDS'] ?? times(quick, thorough))
}

/** Of cases that show one fact: in `npm test` the first and every `nth` after it, in `npm run test:thorough` the others. */
export function everyNth<const T>(all: readonly T[], nth: number): T[] {
  return all.filter((_, index) => (index % nth === 0) !== THOROUGH)
}

/** A test of `npm run test:thorough` only; `npm test` has a smaller one of the same fact. */
export function testThoroughly(name: string, run: () => void | Promise<void>, timeout?: number): void {
  if (THOROUGH) test(name, run, timeout)
}
