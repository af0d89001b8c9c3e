import { formatBytes, formatCount, formatNumber, type Progress, type ProgressLine } from '@collab-etl/cli'
import type { StreamBatch, StreamName } from '@collab-etl/contract/streams'
import type { Client, ReadingEvent } from '@collab-etl/core'

/** Half of a stream's share is shown after so many records, where their number is not known beforehand. */
const TYPICAL_RECORDS = 1000

/** What a terminal shows while projects are read: a bar for all of them, the traffic, and one line for each under way. */
export class Display {
  readonly #progress: Progress
  readonly #lines: readonly ProgressLine[]
  readonly #open = new Set<ProjectDisplay>()
  #projects = 0
  #done = 0
  #streams = 1

  constructor(progress: Progress, { stats }: Pick<Client, 'stats'>) {
    this.#progress = progress
    this.#lines = [progress.line('reading the list of projects'), progress.line('')]
    this.#lines[1]?.update(() => {
      const retries = stats.retries > 0 ? `, ${formatNumber(stats.retries, 'retry', 'retries')}` : ''
      return `${formatNumber(stats.requests, 'request')}${retries}, ${formatBytes(stats.bytes)}`
    })
  }

  /** Shows the bar, for so many projects of so many streams each. */
  expect(projects: number, streams: number): void {
    this.#projects = projects
    this.#streams = streams
    this.#lines[0]?.update(() => ({
      text: `${formatCount(this.#done)} of ${formatNumber(this.#projects, 'project')}`,
      done: [...this.#open].reduce((sum, project) => sum + project.share(this.#streams), this.#done),
      total: this.#projects,
    }))
  }

  /** Shows how many readings workers have published. */
  publishedElsewhere(count: number): void {
    this.#done = Math.min(this.#projects, count)
  }

  /** Adds the line of a project that is being read. */
  project(name: string): ProjectDisplay {
    const project: ProjectDisplay = new ProjectDisplay(name, this.#progress, (isFinished) => {
      this.#open.delete(project)
      if (isFinished) this.#done = Math.min(this.#projects, this.#done + 1)
    })
    this.#open.add(project)
    return project
  }

  end(): void {
    for (const line of this.#lines) line.end()
  }
}

/** Posts and files are requested one by one, once their ids are known: how many of these, and how many were answered. */
interface Queue {
  known: number
  answered: number
}

export class ProjectDisplay {
  readonly #line: ProgressLine
  readonly #onEnd: (isFinished: boolean) => void
  readonly #records = new Map<StreamName, number>()
  readonly #queues = new Map<StreamName, Queue>()
  readonly #ended = new Set<StreamName>()
  #step: string | undefined

  constructor(name: string, progress: Progress, onEnd: (isFinished: boolean) => void) {
    this.#line = progress.line(name)
    this.#line.update(() => `${name}: ${this.#step ?? this.#counts()}`)
    this.#onEnd = onEnd
  }

  see(event: ReadingEvent): void {
    if (event.type === 'end') this.#ended.add(event.result.scope.stream)
    else if (event.type === 'batch') this.#add(event.scope.stream, event.batch)
    else {
      this.#records.delete(event.scope.stream)
      this.#queues.delete(event.scope.stream)
    }
  }

  /** Shows what is done after reading. */
  doing(step: 'storing' | 'comparing'): void {
    this.#step = step
  }

  end(isFinished: boolean): void {
    this.#line.end()
    this.#onEnd(isFinished)
  }

  /** The share of the project that was read, 0 to 1, of so many streams. */
  share(streams: number): number {
    const begun = [...this.#records.keys()].filter((stream) => !this.#ended.has(stream))
    const parts = begun.reduce((sum, stream) => sum + this.#shareOf(stream), 0)
    return Math.min(1, (this.#ended.size + parts) / Math.max(1, streams))
  }

  #shareOf(stream: StreamName): number {
    const queue = this.#queues.get(stream)
    if (queue !== undefined && queue.known > 0) return Math.min(1, queue.answered / queue.known)
    const records = this.#records.get(stream) ?? 0
    return records / (records + TYPICAL_RECORDS)
  }

  #add(stream: StreamName, { kind, records, unchanged = [] }: StreamBatch): void {
    const count = records.length + unchanged.length
    const queue = this.#queues.get(stream) ?? { known: 0, answered: 0 }
    if (kind === 'known_post' || kind === 'known_file') queue.known += count
    if (kind === 'post' || kind === 'file' || kind === 'not_found_post' || kind === 'not_found_file') {
      queue.answered += count
    }
    if (stream === 'posts' || stream === 'files') this.#queues.set(stream, queue)
    const isRecord = !kind.startsWith('known_') && !kind.startsWith('not_found_')
    this.#records.set(stream, (this.#records.get(stream) ?? 0) + (isRecord ? count : 0))
  }

  /** The streams that are being read, with their numbers of records: `posts 12 of 40 (88 records)`. */
  #counts(): string {
    const parts = [...this.#records].flatMap(([stream, count]) => {
      if (this.#ended.has(stream)) return []
      const queue = this.#queues.get(stream)
      const name = stream.replaceAll('_', ' ')
      if (queue === undefined || queue.known === 0) return [`${name} ${formatCount(count)}`]
      const comments = count > queue.answered ? ` (${formatNumber(count - queue.answered, 'comment')})` : ''
      return [`${name} ${formatCount(queue.answered)} of ${formatCount(queue.known)}${comments}`]
    })
    return parts.length === 0 ? 'reading' : parts.join(', ')
  }
}
