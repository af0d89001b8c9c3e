export type { Fault, FaultKind } from './faults/fault.ts'
export { type AddedFault, FaultError, type Faults } from './faults/faults.ts'
export type { Limits } from './operations/handler.ts'
export { DEFAULT_TOKEN, type SandboxOptions } from './options.ts'
export { QUIRK_LIST } from './quirks/index.ts'
export { QuirkError } from './quirks/quirk.ts'
export { type Sandbox, startSandbox } from './sandbox.ts'
export { REFERENCE_TIME } from './seed/clock.ts'
export { DEFAULT_SIZES, type Sizes } from './seed/sizes.ts'
export type { LoggedRequest } from './server/request-log.ts'
export type { RequestHook, RequestInfo } from './server/service.ts'
export { StateFileError } from './store/packed.ts'
export type {
  BareTaskRecord,
  CommentRecord,
  EventRecord,
  FileRecord,
  Frozen,
  PageRecord,
  PostRecord,
  ProjectDetailRecord,
  ProjectListItemRecord,
  ProjectState,
  TaskRecord,
  UserRecord,
  WebhookRecord,
} from './store/state.ts'
export type { Store } from './store/store.ts'
export type { ProjectTruth } from './store/truth.ts'
