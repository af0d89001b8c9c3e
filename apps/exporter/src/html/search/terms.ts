import { createContext, runInContext } from 'node:vm'
import { readAsset } from '../assets.ts'

/** Splits a text into the terms that are looked up. */
export type Terms = (text: string) => string[]

/** The site's own script for this, so that what is looked up in a browser is what was written here. */
export async function loadTerms(): Promise<Terms> {
  const context: { collabTerms?: { ofText: Terms } } = createContext({})
  runInContext(await readAsset('terms.js'), context)
  const terms = context.collabTerms?.ofText
  if (terms === undefined) throw new Error('assets/terms.js defines no terms')
  return terms
}
