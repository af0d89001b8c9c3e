import type { Element, ElementContent } from 'hast'
import dart from 'highlight.js/lib/languages/dart'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import elixir from 'highlight.js/lib/languages/elixir'
import groovy from 'highlight.js/lib/languages/groovy'
import nginx from 'highlight.js/lib/languages/nginx'
import powershell from 'highlight.js/lib/languages/powershell'
import protobuf from 'highlight.js/lib/languages/protobuf'
import scala from 'highlight.js/lib/languages/scala'
import { common, createLowlight } from 'lowlight'

// Imported only for texts with such code: loading the grammars takes 60 ms.

type Grammar = (typeof common)[string]

const MORE = { dart, dockerfile, elixir, groovy, nginx, powershell, protobuf, scala }

const library = createLowlight()
for (const [name, grammar] of Object.entries({ ...common, ...MORE })) library.register(name, withoutGuesses(grammar))

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

/** Code as text and `span` elements with a class. `null` if the language is not known. */
export function tokensOf(language: string, code: string): ElementContent[] | null {
  if (!library.registered(language)) return null
  return simplified(library.highlight(language, code, { prefix: '' }).children, 0)
}

/** Elements without a class of ours are replaced with their content, and elements that are too deep with their text. */
function simplified(nodes: readonly unknown[], depth: number): ElementContent[] {
  const simple: ElementContent[] = []
  // Not recursive where the library's tree may be deep: `left` holds what replaces an element.
  const left = (nodes as ElementContent[]).toReversed()
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (node.type === 'text') addText(simple, node.value)
    if (node.type !== 'element') continue
    const className = classOf(node)
    if (className === undefined || depth >= MAX_DEPTH) {
      for (const child of node.children.toReversed()) left.push(child)
      continue
    }
    const children = simplified(node.children, depth + 1)
    simple.push({ type: 'element', tagName: 'span', properties: { className: [className] }, children })
  }
  return simple
}

function classOf({ properties }: Element): string | undefined {
  const [scope] = (properties['className'] as string[] | undefined) ?? [] // the library's own
  return scope === undefined ? undefined : CLASSES.get(scope)
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
function withoutGuesses(grammar: Grammar): Grammar {
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
