/** The tag of tests that do more, or something else, in `npm run test:thorough`, which runs them alone. */
export const THOROUGH_TAG = 'thorough'

/** For each Vitest configuration: Vitest rejects tags that are not declared. */
export const TAGS = [{ name: THOROUGH_TAG, description: 'Does more, or something else, in npm run test:thorough.' }]

/** Whether this is `npm run test:thorough`, which runs slow tests in full. */
export function isThorough(): boolean {
  return process.env['COLLAB_TEST_THOROUGH'] === 'true'
}

/**
 * Whether long tests of random cases draw new ones: in `npm run test:thorough`, but not in CI, where the same code must give the same result
 * every time.
 */
export function drawsNewCases(): boolean {
  return isThorough() && process.env['CI'] === undefined
}

/** Files that this run leaves out: those of `npm run test:thorough` alone. */
export function notNow(): string[] {
  return isThorough() ? [] : ['**/*.thorough.*.ts']
}
