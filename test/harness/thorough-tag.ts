/** The tag of tests that do more, or something else, in `npm run test:thorough`, which runs them alone. */
export const THOROUGH_TAG = 'thorough'

/** For each Vitest configuration: Vitest rejects tags that are not declared. */
export const TAGS = [{ name: THOROUGH_TAG, description: 'Does more, or something else, in npm run test:thorough.' }]

/** Whether this is `npm run test:thorough`, which runs slow tests in full. */
export function isThorough(): boolean {
  return process.env['COLLAB_TEST_THOROUGH'] === 'true'
}

/** Files that this run leaves out: those of `npm run test:thorough` alone. */
export function notNow(): string[] {
  return isThorough() ? [] : ['**/*.thorough.test.ts']
}
