import { type Backend, backends } from './backends.ts'

/** Whether this is `npm run test:thorough`, which runs what takes minutes in full. */
const THOROUGH = process.env['COLLAB_TEST_THOROUGH'] === 'true'

/** How often a slow test repeats: `quick` in `npm test`, `thorough` in `npm run test:thorough`. */
export function times(quick: number, thorough: number): number {
  return THOROUGH ? thorough : quick
}

/** The backends of a slow test: the first one in `npm test`, all in `npm run test:thorough`. */
export function backendsOfSlowTests(): Backend[] {
  return backends().slice(0, times(1, Number.POSITIVE_INFINITY))
}
