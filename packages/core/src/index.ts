export type { Offered, OptionalOperation } from '@collab-etl/contract'
export { isAskableId } from '@collab-etl/contract/id'
export { Capabilities } from './capabilities/capabilities.ts'
export { type Client, createClient } from './client.ts'
export { type AccountError, isAccountError, messageOfAccounts } from './errors/account-error.ts'
export {
  ApiError,
  BudgetError,
  CollabError,
  DecodeError,
  type DecodeProblem,
  isApiError,
  isAuthError,
  isBudgetError,
  isCollabError,
  isDecodeError,
  isParameterError,
  isRateLimited,
  isSignInError,
  isTransportError,
  isWalkError,
  ParameterError,
  SignInError,
  type SignInErrorKind,
  TransportError,
  type TransportErrorKind,
  WalkError,
  type WalkErrorKind,
} from './errors/index.ts'
export { isNotFound } from './errors/not-found.ts'
export type { Finding, ServiceFindings } from './findings.ts'
export type { AccountsData, ProjectRoute } from './http/accounts.ts'
export type {
  ClientEvent,
  FailoverEvent,
  FindingEvent,
  PauseEvent,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
} from './http/events.ts'
export { newStats, type RequestStats } from './http/events.ts'
export type { AccountOptions, BackoffOptions, ClientOptions } from './http/options.ts'
export { intervalOf } from './http/pace.ts'
export type { ProxyOptions } from './http/proxy.ts'
export type { Reservation, SharedSchedule } from './http/shared-pace.ts'
export { showsAbsence } from './http/shows-absence.ts'
export type { TokenSource } from './http/token-source.ts'
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
export type {
  ArrayMethod,
  DeletionMethod,
  Method,
  MethodArguments,
  Methods,
  ObjectMethod,
} from './operations/methods.ts'
export type { CallOptions, Deletion, ObjectAnswer, RecordBatch } from './operations/results.ts'
export { DiscoveredIds, type DiscoveredIdsData, type DiscoveryTotals } from './projects/discovered-ids.ts'
export {
  chooseProjects,
  findUnlisted,
  readPersonalWebhooks,
  type UnlistedProjects,
} from './projects/list-projects.ts'
export {
  type PlannedReading,
  type ProjectReading,
  type ProjectSink,
  type ReadingEvent,
  type ReadProjectsOptions,
  readPlanned,
  readProjects,
} from './projects/read-projects.ts'
export { readTeams } from './projects/read-teams.ts'
export { tryAllOperations } from './projects/try-all-operations.ts'
export { tryOperations, tryProfile } from './projects/try-operations.ts'
export { type Reader, readerOf } from './read/reader.ts'
export { isPermitted, listProjects, type ProjectList, type ProjectToRead, resultOfAll } from './streams/project-list.ts'
export {
  defaultEventsTo,
  EVENTS_FROM,
  type EventsRange,
  type KnownId,
  type ReadProjectOptions,
} from './streams/read-options.ts'
export { LaterItems, type LaterItemsData, readProject } from './streams/read-project.ts'
export { type ArchivedTasksOptions, archivedTasks } from './walk/archived-tasks.ts'
export { cutAt, isTypicalCap } from './walk/cut.ts'
export { type EventsEnd, type EventsOptions, events } from './walk/events.ts'
export type { PageOf, PagingEnd } from './walk/page-through.ts'
export type { WindowOf, WindowsEnd } from './walk/walk-windows.ts'
