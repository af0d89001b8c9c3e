export type { LossKind, RecordLoss } from './loss.ts'
export type { RecordKind, RecordKinds, ScopeSink, StreamBatch } from './streams/batch.ts'
export { type Loss, type Scope, type ScopeResult, type ScopeStatus, STREAMS, type StreamName } from './streams/scope.ts'
