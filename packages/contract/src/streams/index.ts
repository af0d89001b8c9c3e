export type { CommentedTask, RecordKind, RecordKinds, ScopeSink, StreamBatch } from './batch.ts'
export { type ConversionIssue, type IssueKind, isOfList, isUnreadElement, type Loss } from './loss.ts'
export {
  ACCESS_LOST,
  ACCOUNT_FAILED,
  isAccepted,
  isForbidden,
  NO_PERMISSION,
  NOT_ALLOWED,
  notWholeScopes,
} from './not-whole.ts'
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
