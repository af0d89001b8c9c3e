export { loadTerms } from './search/terms.ts'
export { Site } from './site.ts'
