export type { CommentedTask, RecordKind, RecordKinds, ScopeSink, StreamBatch } from './batch.ts'
export { type ConversionIssue, type IssueKind, isOfList, isUnreadElement, type Loss } from './loss.ts'
export type { KnownRecords, ReceivedHash, UnchangedRecord } from './received.ts'
export {
  type AcceptedFailure,
  type Carried,
  type DiscoveredId,
  type DiscoveryCounts,
  type EventsById,
  isOptional,
  isProjectNotFound,
  isRead,
  isStored,
  isWhole,
  isWholeOrAccepted,
  NOT_OFFERED,
  OPTIONAL_STREAMS,
  OVERDUE,
  POSSIBLY_CAPPED,
  type Reason,
  type Scope,
  type ScopeResult,
  type ScopeStatus,
  STREAMS,
  type StreamName,
  type Suspicion,
  UNREAD_ITEMS,
  type UnreadItem,
} from './scope.ts'
export type { PageStore, StoredEvent, StoredPage } from './stored.ts'
