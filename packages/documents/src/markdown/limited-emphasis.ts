import { parse } from 'micromark'
import type { Construct, Extension, TokenizeContext } from 'micromark-util-types'
import { TooMuchEffort } from './effort.ts'

/** Runs of `*` or `_` in one paragraph or cell at most: each that ends emphasis is looked for a beginning among all before it. */
const MAX_RUNS = 2_000

const ASTERISK = 42
const UNDERSCORE = 95

/** Emphasis as micromark has it, but that a text which would take quadratic time throws `TooMuchEffort`. */
export function limitedEmphasis(): Extension {
  const emphasis = [parse().constructs.text[ASTERISK] ?? []].flat().find(({ name }) => name === 'attention')
  if (emphasis === undefined) throw new Error('micromark has no construct of the name "attention"')
  const runs = new WeakMap<TokenizeContext, number>()
  const limited: Construct = {
    ...emphasis,
    name: 'limitedAttention',
    tokenize(effects, ok, nok) {
      const seen = (runs.get(this) ?? 0) + 1
      if (seen > MAX_RUNS) throw new TooMuchEffort('a paragraph has too many runs of * and _')
      runs.set(this, seen)
      return emphasis.tokenize.call(this, effects, ok, nok)
    },
  }
  return { disable: { null: ['attention'] }, text: { [ASTERISK]: limited, [UNDERSCORE]: limited } }
}
