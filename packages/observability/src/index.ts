export { attemptsText } from './attempts.ts'
export { isExporting } from './collector.ts'
export type { DeliveryOptions } from './deliver.ts'
export { exportMetrics, type MetricTargets } from './export-metrics.ts'
export { type Message, type MessageFacts, messageOf } from './message.ts'
export type { MetricFacts } from './metrics.ts'
export {
  type AcceptedFact,
  type AccountFact,
  acceptedLines,
  type BackupFacts,
  clipped,
  type DeletedProjectFact,
  type DrillFacts,
  damagedLine,
  deletedLines,
  type FailedAttempt,
  MOST_SCOPES,
  type Night,
  type Outcome,
  projectText,
  type RowCounts,
  type ScopeFact,
  type SnapshotFacts,
  type Step,
  type StepStatus,
  type VerificationFacts,
} from './night.ts'
export { isNotified, type NotifyAs, type NotifyWhen, notify, type Receiver } from './notify.ts'
export { fitNight, pingEnd, pingStart } from './ping.ts'
