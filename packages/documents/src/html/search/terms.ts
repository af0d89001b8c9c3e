import { createContext, runInContext } from 'node:vm'
import { readAsset } from '../assets.ts'

/** How texts and questions are split into the terms that are looked up. */
export interface Terms {
  readonly ofText: (text: string) => string[]
  readonly ofQuestion: (text: string) => string[]
  /** Whether longer terms that begin with one of a question are meant too. */
  readonly mayContinue: (term: string) => boolean
}

/** The site's own script for this, so that browser and index split texts in the same way. */
export async function loadTerms(): Promise<Terms> {
  const context: { collabTerms?: Terms } = createContext({})
  runInContext(await readAsset('terms.js'), context)
  if (context.collabTerms === undefined) throw new Error('assets/terms.js defines no terms')
  return context.collabTerms
}
