export { type Client, createClient } from './client.ts'
export { ApiError, isApiError, isAuthError, isNotFound } from './errors/api-error.ts'
export { CollabError, isCollabError } from './errors/collab-error.ts'
export { DecodeError, type DecodeProblem, isDecodeError } from './errors/decode-error.ts'
export { isTransportError, TransportError, type TransportErrorKind } from './errors/transport-error.ts'
export { isWalkError, WalkError, type WalkErrorKind } from './errors/walk-error.ts'
export type { ClientEvent, PauseEvent, RequestEvent, ResponseEvent, RetryEvent } from './http/events.ts'
export type { BackoffOptions, ClientOptions } from './http/options.ts'
export { newStats, type RequestStats } from './http/stats.ts'
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
export { parseLinkPatterns } from './streams/link-patterns.ts'
export { type LinkKind, type LinkTarget, linkedProject, linkTargets } from './streams/link-target.ts'
export { findLinks, type LinkPattern } from './streams/links.ts'
export { listProjects, type ProjectList, type ProjectToRead } from './streams/list-projects.ts'
export { readPersonalWebhooks } from './streams/personal-webhooks.ts'
export type { KnownId, ReadProjectOptions } from './streams/read-options.ts'
export { readProject } from './streams/read-project.ts'
export {
  type FoundCounts,
  type FoundId,
  type Loss,
  type Scope,
  type ScopeResult,
  type ScopeStatus,
  STREAMS,
  type StreamName,
} from './streams/scope.ts'
export { type ArchivedTasksOptions, archivedTasks } from './walk/archived-tasks.ts'
export { type EventsOptions, events } from './walk/events.ts'
export type { PageStore, StoredPage } from './walk/page-store.ts'
export type { PageOf, WalkEnd } from './walk/walk-pages.ts'
export type { WindowOf, WindowsEnd } from './walk/walk-windows.ts'
