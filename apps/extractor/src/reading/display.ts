import { formatBytes, formatCount, formatNumber, type Progress } from '@collab-etl/cli'
import type { StreamBatch, StreamName } from '@collab-etl/contract/streams'
import type { Client } from '@collab-etl/core'

/** Kinds that are ids, not records. */
const IDS: ReadonlySet<StreamBatch['kind']> = new Set(['known_post', 'known_file', 'not_found_post', 'not_found_file'])

/** What a person sees on the terminal while projects are read: one line for all, one for each under way. */
export class Display {
  readonly #progress: Progress
  readonly #client: Client
  readonly #total: ReturnType<Progress['line']>
  #projects = 0
  #done = 0

  constructor(progress: Progress, client: Client) {
    this.#progress = progress
    this.#client = client
    this.#total = progress.line('reading the list of projects')
  }

  expect(projects: number): void {
    this.#projects = projects
    this.refresh()
  }

  refresh(): void {
    const { requests, retries, bytes } = this.#client.stats
    const again = retries > 0 ? ` (${formatCount(retries)} again)` : ''
    this.#total.update(
      `${formatCount(this.#done)} of ${formatNumber(this.#projects, 'project')} · ${formatNumber(requests, 'request')}${again} · ${formatBytes(bytes)}`,
    )
  }

  /** The line of one project. */
  project(name: string): ProjectDisplay {
    const line = this.#progress.line(name)
    const counts = new Map<StreamName, number>()
    return {
      add: (stream, { kind, records }) => {
        if (IDS.has(kind)) return
        counts.set(stream, (counts.get(stream) ?? 0) + records.length)
        const parts = [...counts].map(([of, count]) => `${of} ${formatCount(count)}`)
        line.update(`${name}: ${parts.join(' · ')}`)
        this.refresh()
      },
      void: (stream) => {
        counts.delete(stream)
      },
      doing: (what) => line.update(`${name}: ${what}`),
      end: (finished) => {
        line.end()
        if (finished) this.#done += 1
        this.refresh()
      },
    }
  }

  end(): void {
    this.#total.end()
  }
}

export interface ProjectDisplay {
  add(stream: StreamName, batch: StreamBatch): void
  void(stream: StreamName): void
  doing(what: 'storing' | 'comparing'): void
  end(finished: boolean): void
}
