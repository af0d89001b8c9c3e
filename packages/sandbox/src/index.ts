export type { Fault, FaultKind } from './faults/fault.ts'
export { type AddedFault, FaultError, type Faults } from './faults/faults.ts'
export type { Behaviour, Exchange, Rule } from './faults/rule.ts'
export type { Limits } from './operations/handler.ts'
export { DEFAULT_TOKEN, type SandboxOptions } from './options.ts'
export { QUIRK_LIST } from './quirks/index.ts'
export { QuirkError } from './quirks/quirk.ts'
export { type Sandbox, startSandbox } from './sandbox.ts'
export { DEFAULT_SIZES, REFERENCE_TIME, type Sizes } from './seed/outline.ts'
export type { LoggedRequest } from './server/request-log.ts'
export type { RequestHook, RequestInfo } from './server/service.ts'
export { StateFileError } from './store/file.ts'
export type {
  BareTaskRecord,
  CommentRecord,
  EntryRecord,
  EventRecord,
  FileRecord,
  Frozen,
  MemberRecord,
  PageRecord,
  PostRecord,
  ProjectDetailRecord,
  ProjectListItemRecord,
  ProjectState,
  ProjectTruth,
  State,
  TaskRecord,
  TeamRecord,
  UserRecord,
  WebhookRecord,
} from './store/state.ts'
export { Store } from './store/store.ts'
