export { loadTerms } from './search/shard-writer.ts'
export { HtmlFormat } from './site.ts'
