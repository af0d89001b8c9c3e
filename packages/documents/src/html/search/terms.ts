import { createContext, runInContext } from 'node:vm'
import { readAsset } from '../assets.ts'

/** How texts and questions are split into the terms that are looked up, and what a term in a record weighs. */
export interface Terms {
  readonly ofText: (text: string) => readonly string[]
  readonly ofQuestion: (text: string) => string[]
  /** Whether longer terms that begin with one of a question are meant too. */
  readonly mayContinue: (term: string) => boolean
  /**
   * The weight of a term in a record, from 0 to 23, for `letterOf`.
   * @param count of the term in the text
   * @param textTerms number of different terms of the text
   * @param titleTerms number of different terms of the title
   */
  readonly weight: (count: number, textTerms: number, isInTitle: boolean, titleTerms: number) => number
  readonly letterOf: (weight: number) => string
}

/** Number of texts whose terms are remembered, and their maximum length. */
const REMEMBERED = { texts: 20_000, length: 40 } as const

/** The site's own script for this, so that browser and index split texts in the same way. */
export async function loadTerms(): Promise<Terms> {
  const context: { collabTerms?: Terms } = createContext({})
  runInContext(await readAsset('terms.js'), context)
  if (context.collabTerms === undefined) throw new Error('assets/terms.js defines no terms')
  return { ...context.collabTerms, ofText: remembering(context.collabTerms.ofText) }
}

/** Most words are repeated, and splitting one takes ten times as long as looking up its terms. */
function remembering(ofText: Terms['ofText']): Terms['ofText'] {
  const known = new Map<string, readonly string[]>()
  return (text) => {
    const remembered = known.get(text)
    if (remembered !== undefined) return remembered
    const terms = ofText(text)
    if (known.size >= REMEMBERED.texts) known.clear()
    if (text.length <= REMEMBERED.length) known.set(detached(text), terms)
    return terms
  }
}

/** The same text, without the long one that V8 keeps as long as a slice of it is used. */
export function detached(text: string): string {
  return text.length < 13 ? text : Buffer.from(text, 'utf16le').toString('utf16le')
}
