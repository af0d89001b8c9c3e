import { describe, type TestFunction, TestRunner, test } from 'vitest'
import { isThorough, THOROUGH_TAG } from './thorough-tag.ts'

// `npm run test:thorough` runs tests with the tag `thorough` alone. A test without it that does more there would never do it: what
// decides how much a test does throws in such a test, in `npm test` as well.

/** How often a slow test repeats: `quick` in `npm test`, `thorough` in `npm run test:thorough`. The test needs the tag `thorough`. */
export function times(quick: number, thorough: number): number {
  expectTag()
  return isThorough() ? thorough : quick
}

/** How many rounds a long property has, like `times`; the environment variable COLLAB_TEST_ROUNDS asks for another number. */
export function rounds(quick: number, thorough: number): number {
  return Number(process.env['COLLAB_TEST_ROUNDS'] ?? times(quick, thorough))
}

/** Of cases that show one fact: in `npm test` the first and every `nth` after it, in `npm run test:thorough` the others. */
export function everyNth<const T>(all: readonly T[], nth: number): T[] {
  expectTag()
  return chosen(all, nth)
}

/** `test.each` of the cases that `everyNth` chooses. */
export function testEveryNth<const T>(all: readonly T[], nth: number) {
  const each = test.each(chosen(all, nth) as unknown[])
  return (name: string, run: (...values: Values<T>) => void | Promise<void>): void =>
    each(name, { tags: THOROUGH_TAG }, (...values) => run(...(values as unknown as Values<T>)))
}

/** Vitest passes a list as arguments. */
type Values<T> = [T] extends [readonly unknown[]] ? { -readonly [index in keyof T]: T[index] } : [T]

/** A test of `npm run test:thorough` only; `npm test` has a smaller one of the same fact. */
export function testThoroughly(name: string, run: TestFunction, timeout?: number): void {
  if (isThorough()) test(name, { tags: THOROUGH_TAG, ...(timeout !== undefined && { timeout }) }, run)
}

/** A group of such tests. */
export function describeThoroughly(name: string, define: () => void): void {
  if (isThorough()) describe(name, { tags: THOROUGH_TAG }, define)
}

/** Throws in a test without the tag, and outside of tests in a file or group without it. */
export function expectTag(): void {
  const { suite, file } = TestRunner.getCurrentSuite()
  const place = TestRunner.getCurrentTest() ?? suite ?? file
  if (!place?.tags?.includes(THOROUGH_TAG))
    throw new Error(`without the tag "${THOROUGH_TAG}", no run would do all of it`)
}

function chosen<T>(all: readonly T[], nth: number): T[] {
  return all.filter((_, index) => (index % nth === 0) !== isThorough())
}
