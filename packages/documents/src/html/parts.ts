/* Parts of pages for programs that write pages of their own. Loading them does not load the renderer. */

export { oneLine } from '../one-line.ts'
export { type KnownScripts, knownScripts } from './known-scripts.ts'
export { html, joined, Markup } from './markup.ts'
export { clock, count, counted, day, languageOf, time, titleOf } from './pages/words.ts'
export { calendarFile, calendarYear, eventAnchor, taskFileName } from './record-places.ts'
export { listOf, type ReportLayout, readReportLayout, said } from './report-layout.ts'
export { addressOf, htmlPath } from './site-paths.ts'
