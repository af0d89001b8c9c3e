export { loadTerms } from './search/terms.ts'
export { HtmlFormat, type SiteOptions } from './site.ts'
