import type { ElementContent } from 'hast'
import type { Emitter, LanguageFn } from 'highlight.js'
import core from 'highlight.js/lib/core'
import { GRAMMARS } from './grammars.ts'

// Imported only for texts with such code: loading the grammars takes 60 ms.

const library = core.newInstance()
for (const [name, grammar] of Object.entries(GRAMMARS)) library.registerLanguage(name, withoutGuesses(grammar))

/** The classes of the site, by the scopes of the library. A scope that is not here gets no element. */
const CLASSES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    comment: ['comment', 'quote'],
    keyword: ['keyword', 'selector-tag', 'template-tag'],
    string: ['string', 'regexp', 'char', 'link', 'symbol', 'code'],
    number: ['number', 'literal', 'bullet'],
    title: ['title', 'section', 'name', 'selector-id', 'selector-class'],
    attr: ['attr', 'attribute', 'property', 'variable', 'template-variable', 'selector-attr', 'selector-pseudo'],
    type: ['type', 'built_in', 'class'],
    meta: ['meta', 'doctag'],
    added: ['addition'],
    removed: ['deletion'],
    strong: ['strong'],
    emphasis: ['emphasis'],
  }).flatMap(([name, scopes]) => scopes.map((scope) => [scope, `hl-${name}`])),
)

/** Deepest nesting of elements in code: some grammars open one for every character of a hostile text. */
const MAX_DEPTH = 20

/** A text, or a scope of the library with its tokens. */
type Token = string | Scope

interface Scope {
  /** E.g. `title.function`. */
  readonly name: string
  readonly children: Token[]
}

/**
 * Keeps the tokens of a text, instead of the HTML that the library would write. The package lowlight does the same, but loads all 190
 * languages of the library, which takes 8 MB.
 */
class Tokens implements Emitter {
  readonly top: Scope = { name: '', children: [] }
  readonly #open: Scope[] = [this.top]

  addText(text: string): void {
    if (text !== '') this.#open.at(-1)?.children.push(text)
  }

  openNode(name: string): void {
    const scope: Scope = { name, children: [] }
    this.#open.at(-1)?.children.push(scope)
    this.#open.push(scope)
  }

  closeNode(): void {
    this.#open.pop()
  }

  startScope(name: string): void {
    this.openNode(name)
  }

  endScope(): void {
    this.closeNode()
  }

  /** The tokens of code in another language within the code. */
  __addSublanguage(tokens: Emitter): void {
    this.#open.at(-1)?.children.push({ name: '', children: (tokens as Tokens).top.children }) // of the same class
  }

  finalize(): void {}

  toHTML(): string {
    return ''
  }
}

library.configure({ __emitter: Tokens })

/**
 * Code as text and `span` elements with a class. `null` if the language is not known.
 * @throws Error if the grammar of the language fails
 */
export function tokensOf(language: string, code: string): ElementContent[] | null {
  if (library.getLanguage(language) === undefined) return null
  const { _emitter: tokens, errorRaised } = library.highlight(code, { language, ignoreIllegals: true })
  if (errorRaised !== undefined) throw errorRaised
  return simplified((tokens as Tokens).top.children, 0) // as configured
}

/** Scopes without a class of ours are replaced with their content, and scopes that are too deep with their text. */
function simplified(tokens: readonly Token[], depth: number): ElementContent[] {
  const simple: ElementContent[] = []
  // Not recursive where the tokens may be deep: `left` holds what replaces a scope.
  const left = tokens.toReversed()
  for (let token = left.pop(); token !== undefined; token = left.pop()) {
    if (typeof token === 'string') {
      addText(simple, token)
      continue
    }
    const className = CLASSES.get(token.name.split('.', 1)[0] ?? '')
    if (className === undefined || depth >= MAX_DEPTH) {
      for (const child of token.children.toReversed()) left.push(child)
      continue
    }
    const children = simplified(token.children, depth + 1)
    simple.push({ type: 'element', tagName: 'span', properties: { className: [className] }, children })
  }
  return simple
}

function addText(nodes: ElementContent[], value: string): void {
  const last = nodes.at(-1)
  if (last?.type === 'text') last.value += value
  else nodes.push({ type: 'text', value })
}

/**
 * A grammar in which code of other languages has the first language that is possible. Otherwise each of them is tried, again in the code
 * within that code: exponential time for nested `<script>`.
 */
function withoutGuesses(grammar: LanguageFn): LanguageFn {
  return (library) => {
    const language = grammar(library)
    const seen = new Set<object>()
    const left: unknown[] = [language]
    while (left.length > 0) {
      const mode = left.pop()
      if (typeof mode !== 'object' || mode === null || seen.has(mode)) continue
      seen.add(mode)
      if ('subLanguage' in mode && Array.isArray(mode.subLanguage))
        mode.subLanguage = mode.subLanguage[0] ?? 'plaintext'
      left.push(...Object.values(mode))
    }
    return language
  }
}
