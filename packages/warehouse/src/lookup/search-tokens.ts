import type { SearchSource } from './search-sources.ts'

const ALNUM = [...'abcdefghijklmnopqrstuvwxyz0123456789']

/** The mark of texts whose tokens are not in the index; see the function `search_tokens`. */
const LONG = `'{long}'`

/** Tokens of which a text that has the form of a term has all, and sets of tokens of which it has one each. */
interface FormTokens {
  readonly all: readonly string[]
  readonly any: readonly (readonly string[])[]
}

/**
 * What an index knows of a text that contains a form, by the tokens of the function `search_tokens`; `null`: nothing, as of punctuation.
 * @param form has its ASCII letters in lower case
 */
function tokensOfForm(form: string): FormTokens | null {
  const all = new Set<string>()
  const any: string[][] = []
  for (const [run] of form.matchAll(/[a-z0-9]+|[\u0080-\u{10ffff}]+/gu)) {
    const characters = [...run]
    const isAscii = run.charCodeAt(0) < 0x80
    // a single letter beside other characters is too frequent
    if (isAscii && (run.length === 2 || form.length === 1)) any.push(tokensThatBegin(run))
    const size = isAscii ? 3 : Math.min(2, characters.length)
    for (const at of places(characters.length - size)) all.add(characters.slice(at, at + size).join(''))
  }
  if (all.size === 0 && any.length === 0) return null
  // long tokens are rarer than sets of short ones
  return { all: [...all], any: all.size === 0 ? any : [] }
}

/** Where the tokens of a word begin, up to the last one. Of a long word, every second one is enough: each token takes time. */
function places(last: number): number[] {
  const all = Array.from({ length: Math.max(0, last + 1) }, (_, at) => at)
  return last < 4 ? all : all.filter((at) => at % 2 === 0 || at === last)
}

/** One or two ASCII letters or digits, alone and with those that may follow them in a token. */
function tokensThatBegin(letters: string): string[] {
  const longer = letters.length < 3 ? ALNUM.flatMap((next) => tokensThatBegin(letters + next)) : []
  return [letters, ...longer]
}

/** What an index is asked for of each term; `null`: nothing. */
function tokensOfTerms(terms: readonly (readonly string[])[]): (readonly FormTokens[] | null)[] {
  const known = terms.map((forms) => {
    // an index takes long for several letters that many records have, and few together; alone, it is asked for rare ones
    if (isLetter(forms) && terms.length > 1) return null
    const tokens = forms.map(tokensOfForm).filter((each) => each !== null)
    return tokens.length === forms.length ? tokens : null
  })
  // sets of tokens take longer to look up than what they save beside a term that is found without them
  const areRare = known.map((forms) => forms?.every(({ all }) => all.length > 0) ?? false)
  return areRare.includes(true) ? known.map((forms, index) => (areRare[index] ? forms : null)) : known
}

/** Whether a term is a single ASCII character: very many tokens begin with a letter. */
export function isLetter(forms: readonly string[]): boolean {
  return forms.some((form) => form.length === 1 && form < '\u0080')
}

/** Whether an index knows anything of the terms. */
export function isSelective(terms: readonly (readonly string[])[]): boolean {
  return tokensOfTerms(terms).some((forms) => forms !== null)
}

/**
 * SQL of a condition by which an index finds at least the rows that have all terms, and so many of them in the title. Each alternative has
 * all of it, so that one scan of the index does, too: it ends at once if no title has the term.
 * @param terms the forms of each, see `searchTerms`; an index must know something of them, see `isSelective`
 * @param bind adds a parameter, returns its SQL; Postgres wants each in the statement
 * @param span another condition of the index. Beside the others instead of among them, Postgres might ask the index for it alone, and
 *   compute the tokens of the rows. Rows without tokens in the index are found whether it holds or not
 */
export function tokenCondition(
  terms: readonly (readonly string[])[],
  { tokens }: SearchSource,
  inTitle: number,
  bind: (value: unknown) => string,
  span?: string,
): string {
  const all = tokensOfTerms(terms).filter((forms) => forms !== null)
  const known = span === undefined ? all : all.map((forms) => forms.map(all.length > 1 ? middle : ends))
  const has = (column: string) => (forms: readonly FormTokens[]) =>
    `(${forms.map((form) => hasForm(column, form, bind)).join(' OR ')})`
  const joined = (column: string) => together(known).map(has(column)).join(' AND ')
  const isAll = inTitle === terms.length
  const mayAsk = tokens.title !== null && inTitle > 0 && (isAll || known.length === terms.length)
  const titles = !mayAsk ? [] : isAll ? [joined(tokens.title)] : known.map(has(tokens.title))
  const everywhere = [...(span === undefined ? [] : [span]), joined(tokens.all)].join(' AND ')
  const alternatives = titles.length === 0 ? [everywhere] : titles.map((condition) => `${everywhere} AND ${condition}`)
  return `(${alternatives.map((each) => `(${each})`).join(' OR ')} OR ${tokens.all} @> ${LONG})`
}

/** Terms of a single form become one: Postgres intersects the lists of one condition by the shortest, and those of several one by one. */
function together(terms: readonly (readonly FormTokens[])[]): (readonly FormTokens[])[] {
  const single = terms.flatMap((forms) => (forms.length === 1 ? forms : []))
  const others = terms.filter((forms) => forms.length > 1)
  if (single.length < 2) return [...terms]
  return [[{ all: single.flatMap(({ all }) => all), any: single.flatMap(({ any }) => any) }], ...others]
}

/** Two tokens of a form: a span has few other records with both, and each further token takes time for every record of the span. */
function ends({ all, any }: FormTokens): FormTokens {
  return { all: all.filter((_, at) => at === 0 || at === all.length - 1), any }
}

/** One token of a form, beside those of other terms. */
function middle({ all, any }: FormTokens): FormTokens {
  return { all: all.filter((_, at) => at === all.length >> 1), any }
}

function hasForm(tokens: string, { all, any }: FormTokens, bind: (value: unknown) => string): string {
  const parts = any.map((some) => `${tokens} && ${bind(some)}::text[]`)
  if (all.length > 0) parts.push(`${tokens} @> ${bind(all)}::text[]`)
  return `(${parts.join(' AND ')})`
}
