import type { ScopeSink } from '@collab-etl/contract/streams'
import type { ProjectDisplay } from './display.ts'

/** A sink that shows on a line of the display what another sink has received. */
export function shownSink(sink: ScopeSink, line: ProjectDisplay): ScopeSink {
  return {
    async write(scope, batch) {
      await sink.write(scope, batch)
      line.add(scope.stream, batch)
    },
    async restart(scope) {
      await sink.restart(scope)
      line.void(scope.stream)
    },
    end: (result) => sink.end(result),
  }
}
