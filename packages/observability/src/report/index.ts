export type { ReportChanges, ReportCounts, ReportFacts, ReportProject, ReportScope } from './facts.ts'
export { reportPage } from './page.ts'
export { writeReport } from './write-report.ts'
