import { formatCount, formatNumber, type Progress, type ProgressLine } from '@collab-etl/cli'
import type { Counts } from '../backup/options.ts'

/** Half of a project's share is shown after so many records, as their number is not known beforehand. */
const TYPICAL_RECORDS = 500

/** Shows the progress of a backup: a bar while projects are read from the service, then a bar while they are written. */
export interface BackupProgress extends Disposable {
  /** Called after each project that was read from the service. */
  readonly onProject: (done: number, total: number) => void
  /** Called after each record that was written, with the counts of the whole backup. `project` counts from 1. */
  readonly onRecord: (counts: Counts, project: number, projects: number) => void
  end(): void
}

export function backupProgress(progress: Progress): BackupProgress {
  const reading = progress.line('reading the list of projects')
  let writing: ProgressLine | undefined
  let current = { project: 0, recordsBefore: 0 }

  function startWriting(): ProgressLine {
    reading.end()
    return progress.line('writing')
  }

  function end(): void {
    reading.end()
    writing?.end()
  }

  return {
    onProject: (done, total) =>
      reading.update({ text: `reading: ${formatCount(done)} of ${formatNumber(total, 'project')}`, done, total }),
    onRecord: (counts, project, projects) => {
      writing ??= startWriting()
      const { tasks = 0, pages, posts, events = 0, files = 0 } = counts
      const written = tasks + pages + posts + events + files
      if (project !== current.project) current = { project, recordsBefore: Math.max(0, written - 1) }
      const records = written - current.recordsBefore
      writing.update(() => ({
        text: `writing: ${counts.tasks === undefined ? '' : `${formatNumber(tasks, 'task')}, `}${formatNumber(pages, 'page')}, ${formatNumber(posts, 'post')}`,
        done: project - 1 + records / (records + TYPICAL_RECORDS),
        total: projects,
      }))
    },
    end,
    [Symbol.dispose]: end,
  }
}

/**
 * A callback that shows how many are done, for example `checking 12 of 340 files`. It is called for every file, so the text is made
 * only when the line is drawn: formatting it each time took a fifth of the time of `verify`.
 */
export function countProgress(line: ProgressLine, doing: string, things: string) {
  return (done: number, total: number): void =>
    line.update(() => ({ text: `${doing} ${formatCount(done)} of ${formatCount(total)} ${things}`, done, total }))
}
