import type { Element, ElementContent, Root } from 'hast'
import { walk } from './walk.ts'

/**
 * UTF-16 units of the longest code block that is highlighted. Grammars take quadratic time for some texts: the worst block of this length
 * takes half a second.
 */
const MAX_BLOCK_LENGTH = 10_000

/** UTF-16 units of code that are highlighted in one text. */
const MAX_TEXT_LENGTH = 30_000

/** UTF-16 units of the longest line of a code block that is highlighted: minified code is not read. */
const MAX_LINE_LENGTH = 1_000

/** A language, before what some programs write behind it: `js:app.js`, `ts{1,3}`. */
const LANGUAGE = /^language-([^\s:,;{}()]+)/

interface CodeBlock {
  readonly element: Element
  readonly language: string
  readonly code: string
}

/** Marks up the code blocks that name their language with classes, `hl-keyword` and so on. Loads the grammars if there is such a block. */
export async function highlightCode(tree: Root): Promise<void> {
  const blocks = codeBlocks(tree)
  if (blocks.length === 0) return
  const { tokensOf } = await import('./code-tokens.ts')
  let left = MAX_TEXT_LENGTH
  for (const { element, language, code } of blocks) {
    if (code.length > left) continue
    left -= code.length
    const tokens = tokensOf(language, code)
    if (tokens !== null) element.children = tokens
  }
}

function codeBlocks(tree: Root): CodeBlock[] {
  const blocks: CodeBlock[] = []
  walk(tree, (pre) => {
    const [element] = pre.children
    if (pre.tagName !== 'pre' || element?.type !== 'element' || element.tagName !== 'code') return
    const language = LANGUAGE.exec(String(element.properties['className'] ?? ''))?.[1]?.toLowerCase()
    const code = textAlone(element.children)
    if (language === undefined || code === null || code.length > MAX_BLOCK_LENGTH || hasLongLine(code)) return
    blocks.push({ element, language, code })
  })
  return blocks
}

function hasLongLine(code: string): boolean {
  return code.split('\n').some((line) => line.length > MAX_LINE_LENGTH)
}

/** The text of a block; `null` if it has elements of its own, as HTML may. */
function textAlone(children: readonly ElementContent[]): string | null {
  const [text] = children
  return children.length === 1 && text?.type === 'text' ? text.value : null
}
