export { isAskableId } from '@collab-etl/contract/id'
export { type Client, createClient } from './client.ts'
export {
  ApiError,
  CollabError,
  DecodeError,
  type DecodeProblem,
  isApiError,
  isAuthError,
  isCollabError,
  isDecodeError,
  isNotFound,
  isParameterError,
  isRateLimited,
  isTransportError,
  isWalkError,
  ParameterError,
  TransportError,
  type TransportErrorKind,
  WalkError,
  type WalkErrorKind,
} from './errors/index.ts'
export type { EarlierLists, Finding, ServiceFindings, StoredList } from './findings.ts'
export type { ClientEvent, FindingEvent, PauseEvent, RequestEvent, ResponseEvent, RetryEvent } from './http/events.ts'
export type { BackoffOptions, ClientOptions } from './http/options.ts'
export { newStats, type RequestStats } from './http/stats.ts'
export {
  findLinks,
  type LinkKind,
  type LinkPattern,
  LinkRule,
  type LinkRuleOptions,
  type LinkTarget,
  linkedProject,
  linkTargets,
  parseLinkPatterns,
  parseServiceHosts,
} from './links.ts'
export type { LossKind, RecordLoss } from './loss.ts'
export type {
  ArrayMethod,
  DeletionMethod,
  Method,
  MethodArguments,
  Methods,
  ObjectMethod,
} from './operations/methods.ts'
export type { CallOptions, Deletion, ObjectAnswer, RecordBatch } from './operations/results.ts'
export type { RecordKind, RecordKinds, ScopeSink, StreamBatch } from './streams/batch.ts'
export { listProjects, type ProjectList, type ProjectToRead } from './streams/list-projects.ts'
export { readPersonalWebhooks } from './streams/personal-webhooks.ts'
export type { KnownId, ReadProjectOptions } from './streams/read-options.ts'
export { isPermitted, readProject } from './streams/read-project.ts'
export {
  type FoundCounts,
  type FoundId,
  isRead,
  type Loss,
  type Scope,
  type ScopeResult,
  type ScopeStatus,
  STREAMS,
  type StreamName,
  type UnreadItem,
} from './streams/scope.ts'
export { type ArchivedTasksOptions, archivedTasks } from './walk/archived-tasks.ts'
export type { StoredEvent } from './walk/check-ranges.ts'
export { type EventsEnd, type EventsOptions, events } from './walk/events.ts'
export type { PageStore, StoredPage } from './walk/page-store.ts'
export type { PageOf, WalkEnd } from './walk/walk-pages.ts'
export type { WindowOf, WindowsEnd } from './walk/walk-windows.ts'
