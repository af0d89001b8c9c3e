import { plainText } from '@collab-etl/cli'
import type { ScopeResult } from '@collab-etl/contract/streams'
import type { ProjectSink, ProjectToRead } from '@collab-etl/core'
import type { Display } from './display.ts'

/** A sink that stages one project. */
type Stage = ProjectSink['sink'] & { discard(): Promise<void> }

/**
 * Opens a sink that stages one reading of a project and shows its progress.
 * @param use called when all scopes have ended
 */
export async function stagedSink<S extends Stage>(
  display: Display,
  { pid, listed }: ProjectToRead,
  {
    open,
    doing,
    use,
  }: {
    readonly open: () => Promise<S>
    readonly doing: 'storing' | 'comparing'
    readonly use: (stage: S, results: readonly ScopeResult[]) => Promise<void>
  },
): Promise<ProjectSink> {
  const line = display.project(plainText(listed?.name || pid))
  const stage = await open().catch((error: unknown) => {
    line.end(false)
    throw error
  })
  return {
    sink: stage,
    onEvent: (event) => line.see(event),
    finish: async (results) => {
      let isFinished = false
      try {
        line.doing(doing)
        await use(stage, results)
        isFinished = true
      } finally {
        line.end(isFinished)
      }
    },
    discard: async () => {
      line.end(false)
      await stage.discard()
    },
  }
}
