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

/** Of cases that show one fact: in `npm test` the first and every so manieth, in `npm run test:thorough` the others. */
export function everyNth<const T>(all: readonly T[], nth: number): T[] {
  return all.filter((_, index) => (index % nth === 0) !== THOROUGH)
}

/** A test of `npm run test:thorough` alone: another one shows in `npm test` at smaller size what it does. */
export function testThoroughly(name: string, run: () => void | Promise<void>, timeout?: number): void {
  if (THOROUGH) test(name, run, timeout)
}

/** In `npm test` one of `all` that depends on the name, in `npm run test:thorough` the others. */
export function inTurn<T>(name: string, all: readonly T[]): T[] {
  const sum = [...name].reduce((total, letter) => total + letter.charCodeAt(0), 0)
  const others = all.filter((_, index) => index !== sum % all.length)
  return THOROUGH && others.length > 0 ? others : all.filter((one) => !others.includes(one))
}
