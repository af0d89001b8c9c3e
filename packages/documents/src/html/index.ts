export { loadTerms } from './search/terms.ts'
export { HtmlFormat } from './site.ts'
