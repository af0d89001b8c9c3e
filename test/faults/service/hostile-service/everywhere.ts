import { OPERATIONS, type OperationName } from './answers.ts'
import type { Behaviour, Rule } from './rule.ts'

/** All operations that only read. */
export const READS = (Object.keys(OPERATIONS) as OperationName[]) // the keys of an object whose type is known
  .filter((name) => OPERATIONS[name].method === 'GET')

/** A rule for each operation that reads, so that each counts its own requests. */
export function everywhere(rule: Omit<Rule, 'on' | 'does'>, does: Behaviour): Rule[] {
  return READS.map((on) => ({ ...rule, on, does }))
}
