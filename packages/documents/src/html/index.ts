export { loadTerms } from './search/shard-writer.ts'
export { HtmlFormat, type SiteOptions } from './site.ts'
