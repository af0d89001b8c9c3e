import { type Backend, backends } from './backends.ts'

/** Whether this is `npm run test:thorough`, which runs slow tests in full. */
const THOROUGH = process.env['COLLAB_TEST_THOROUGH'] === 'true'

/** How often a slow test repeats: `quick` in `npm test`, `thorough` in `npm run test:thorough`. */
export function times(quick: number, thorough: number): number {
  return THOROUGH ? thorough : quick
}

/** The backends of a slow test: the first one in `npm test`, all in `npm run test:thorough`. */
export function backendsOfSlowTests(): Backend[] {
  return backends().slice(0, times(1, Number.POSITIVE_INFINITY))
}

/** The backend of a scenario: in `npm test` one that depends on the scenario's name, in `npm run test:thorough` the other. */
export function backendsInTurn(name: string): Backend[] {
  return inTurn(name, backends())
}

/** In `npm test` one of `all` that depends on the name, in `npm run test:thorough` the others. */
export function inTurn<T>(name: string, all: readonly T[]): T[] {
  const sum = [...name].reduce((total, letter) => total + letter.charCodeAt(0), 0)
  const others = all.filter((_, index) => index !== sum % all.length)
  return THOROUGH && others.length > 0 ? others : all.filter((one) => !others.includes(one))
}
