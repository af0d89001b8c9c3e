import type { Scope, ScopeResult, ScopeSink, StreamBatch } from '@collab-etl/contract/streams'

/** What is told of a sink's calls, once they have succeeded. */
export interface SinkObserver {
  onWrite?(scope: Scope, batch: StreamBatch): void
  onRestart?(scope: Scope): void
  onEnd?(result: ScopeResult): void
}

/** A sink that hands everything on to another and tells an observer. */
export function observedSink(sink: ScopeSink, observer: SinkObserver): ScopeSink {
  return {
    async write(scope, batch) {
      await sink.write(scope, batch)
      observer.onWrite?.(scope, batch)
    },
    async restart(scope) {
      await sink.restart(scope)
      observer.onRestart?.(scope)
    },
    async end(result) {
      await sink.end(result)
      observer.onEnd?.(result)
    },
  }
}
