export type { RecordKind, RecordKinds, ScopeSink, StreamBatch } from './batch.ts'
export { isOfList, isUnreadElement, type Loss, type LossKind, type RecordLoss } from './loss.ts'
export type { ReceivedBytes, StoredBytes, UnchangedRecord } from './received.ts'
export {
  type Carried,
  type DiscoveredId,
  type DiscoveryCounts,
  isProjectNotFound,
  isRead,
  isStored,
  isWhole,
  OVERDUE,
  POSSIBLY_CAPPED,
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
