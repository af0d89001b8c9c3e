import type { Construct, Effects, ParseContext, Resolver, State, TokenizeContext } from 'micromark-util-types'

type Constructs = ParseContext['constructs']

/** What a construct is part of: the blocks that hold others, the other blocks, or a line. */
type Level = 'document' | 'flow' | 'text'

/** What a construct that is tried costs beside the characters that it reads. */
const STEPS_OF_TRY = 10

/** What a link costs for each character: it is copied once for each that it stands in. */
const STEPS_IN_LINK = 10

/** Where nothing begins, the text around is put together again, which moves what is behind it: so many events for a step. */
const EVENTS_OF_STEP = 128

/** A lazy line is looked at together with all before it: so many events for a step. */
const EVENTS_OF_LAZY_STEP = 16

/** A text takes more steps to parse than it may. */
export class TooMuchEffort extends Error {
  override readonly name = 'TooMuchEffort'
}

const limits = new WeakMap<ParseContext, Limit>()
const counted = new WeakSet<Effects>()

/** Throws `TooMuchEffort` as soon as a parser whose constructs are `counting` has taken so many steps. */
export function limitEffort(parser: ParseContext, steps: number): void {
  limits.set(parser, new Limit(steps))
}

class Limit {
  #left: number

  constructor(steps: number) {
    this.#left = steps
  }

  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw new TooMuchEffort('the text takes too many steps to parse')
  }
}

/**
 * The same constructs, whose work is counted: micromark reads some texts, such as thousands of comments that are not closed, again
 * and again to their end. Steps rather than time: the same text always has the same.
 */
export function counting(constructs: Constructs): Constructs {
  const { document, flow, text, disable } = constructs
  const disabled = disable.null ?? []
  // Each once: micromark knows them by their identity.
  const made = new Map<Construct, Construct>()
  const each = (lists: Constructs['text'], level: Level) =>
    Object.fromEntries(
      Object.entries(lists).map(([code, list]) => {
        const tried = [list ?? []].flat().filter(({ name }) => !name || !disabled.includes(name))
        return [code, tried.map((one, index) => countingOne(one, level, index === tried.length - 1, made))]
      }),
    )
  return {
    ...constructs,
    document: each(document, 'document'),
    flow: each(flow, 'flow'),
    text: each(text, 'text'),
  }
}

/** `isLast`: where it is none either, nothing begins. */
function countingOne(construct: Construct, level: Level, isLast: boolean, made: Map<Construct, Construct>): Construct {
  const known = made.get(construct)
  if (known) return known
  const { tokenize, resolveTo, continuation } = construct
  const one: Construct = {
    ...construct,
    tokenize(this: TokenizeContext, effects, ok, nok) {
      const limit = limits.get(this.parser)
      if (!limit) return tokenize.call(this, effects, ok, nok)
      limit.spend(STEPS_OF_TRY)
      count(effects, limit)
      const isLazy = level === 'flow' && this.parser.lazy[this.now().line]
      if (isLazy) limit.spend(this.events.length / EVENTS_OF_LAZY_STEP)
      const none: State = (code) => {
        limit.spend(this.events.length / EVENTS_OF_STEP)
        return nok(code)
      }
      return tokenize.call(this, effects, ok, level === 'text' && isLast ? none : nok)
    },
  }
  if (resolveTo) one.resolveTo = countingEvents(resolveTo, construct.name)
  if (continuation) one.continuation = countingOne(continuation, level, false, made)
  made.set(construct, one)
  return one
}

function count(effects: Effects, limit: Limit): void {
  if (counted.has(effects)) return
  counted.add(effects)
  const { consume } = effects
  effects.consume = (code) => {
    limit.spend(1)
    consume(code)
  }
}

/** A link is made of the events within it, a heading by moving all before it. */
function countingEvents(resolveTo: Resolver, name: string | undefined): Resolver {
  return (events, context) => {
    const resolved = resolveTo(events, context)
    const whole = resolved.at(-1)?.[1]
    const steps =
      name === 'labelEnd' && whole ? STEPS_IN_LINK * (whole.end.offset - whole.start.offset) : resolved.length
    limits.get(context.parser)?.spend(steps)
    return resolved
  }
}
