import { formatCount, type Progress } from '@collab-etl/cli'
import type { Counts } from '../backup/options.ts'

/** Shows how far a backup is. */
export interface BackupProgress extends Disposable {
  /** Told after each project that was read from the service. */
  readonly onProject: (done: number, total: number) => void
  /** Told after each page and post that was written. */
  readonly onRecord: (counts: Counts, project: number, projects: number) => void
  end(): void
}

export function backupProgress(progress: Progress): BackupProgress {
  const line = progress.line('looking for what there is')
  return {
    onProject: (done, total) => line.update(`reading: ${formatCount(done)} of ${formatCount(total)} projects`),
    onRecord: ({ pages, posts }, project, projects) =>
      line.update(
        () =>
          `writing: project ${formatCount(project)} of ${formatCount(projects)}, ${formatCount(pages)} pages, ${formatCount(posts)} posts`,
      ),
    end: () => line.end(),
    [Symbol.dispose]: () => line.end(),
  }
}
