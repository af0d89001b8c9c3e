import { join } from 'node:path'
import type { Bench, BenchContext, Figure, Measured } from '../bench.ts'
import { curlTasks } from '../measured/curl.ts'
import { copyRows, dumpRows, type RowFiles } from '../measured/floor.ts'
import { runNaive } from '../measured/run-naive.ts'
import { initialise, type Snapshot, snapshot, type Warehouse } from '../measured/snapshot.ts'
import { dropSchemas, SCHEMAS, settle } from '../postgres/database.ts'
import { type Source, startSource } from '../source/start-source.ts'

const FIGURES = {
  copy: {
    what: 'first snapshot against psql \\copy of its rows',
    unit: '×',
    limit: { atMost: 1.5 },
  },
  naive: {
    what: 'first snapshot against fetch().json() and INSERT … ON CONFLICT',
    unit: '× faster',
    limit: { atLeast: 2 },
  },
  unchanged: { what: 'second snapshot, nothing changed, against the first', unit: '×', limit: { atMost: 0.2 } },
  'unchanged-curl': {
    what: 'second snapshot, nothing changed, against curl of the list of tasks to sha256sum',
    unit: '×',
    limit: { atMost: 2.5 },
  },
  changed: { what: 'second snapshot, 1 % changed, against the first', unit: '×', limit: { atMost: 0.3 } },
  memory: { what: 'peak memory of the first snapshot', unit: 'MB', limit: { atMost: 200 } },
  embedded: { what: 'first snapshot, embedded against Postgres', unit: '×', limit: { atMost: 3 } },
  'embedded-unchanged': {
    what: 'second embedded snapshot, nothing changed, against the first',
    unit: '×',
    limit: { atMost: 0.25 },
  },
} as const satisfies Record<string, Omit<Figure, 'name'>>

type Name = keyof typeof FIGURES

/** One large project, loaded in every way: all figures of a run use the same first snapshot. */
export const loading: Bench = {
  figures: Object.entries(FIGURES).map(([name, figure]) => ({ name, ...figure })),
  onPostgres: true,
  async *measure(context) {
    await using source = await startSource({ tasks: context.sizes.tasks })
    let files: RowFiles | undefined
    for (let number = 1; number <= context.runs; number++) {
      const round = new Round(context, source, number)
      files = yield* round.measure(files)
    }
    await dropSchemas(context.server.url)
  },
}

class Round {
  readonly #context: BenchContext
  readonly #source: Source
  readonly #number: number

  constructor(context: BenchContext, source: Source, number: number) {
    this.#context = context
    this.#source = source
    this.#number = number
  }

  /** @returns the rows as files, so that the next round need not make them again */
  async *measure(files: RowFiles | undefined): AsyncGenerator<Measured, RowFiles | undefined> {
    const { server, scratch } = this.#context
    await dropSchemas(server.url)
    const tool = { databaseUrl: server.url, dataDir: scratch, schema: SCHEMAS.tool }
    await initialise(tool)
    const first = await this.#snapshot('first', tool)
    const against = (figure: Name, other: Snapshot) =>
      ratio(figure, other.durationMs, first.durationMs, parts({ first, other }))
    if (this.#wants('memory')) yield { figure: 'memory', value: first.peakMemory / 1e6, parts: parts({ first }) }
    let rows = files
    if (this.#wants('copy')) {
      rows ??= await dumpRows(server.url, scratch)
      await initialise({ ...tool, schema: SCHEMAS.floor })
      await settle(server.url)
      this.#say('psql \\copy')
      const copyMs = await copyRows(server.url, rows)
      yield ratio('copy', first.durationMs, copyMs, { ...parts({ first }), copyMs })
    }
    if (this.#wants('naive')) {
      await initialise({ ...tool, schema: SCHEMAS.naive })
      await settle(server.url)
      this.#say('naive')
      const naiveMs = await runNaive(this.#source.baseUrl, server.url)
      yield ratio('naive', naiveMs, first.durationMs, { ...parts({ first }), naiveMs })
    }
    if (this.#wants('unchanged') || this.#wants('unchanged-curl')) {
      const second = await this.#snapshot('unchanged', tool)
      yield against('unchanged', second)
      if (this.#wants('unchanged-curl')) {
        this.#say('curl')
        const { ms: curlMs, bytes } = await curlTasks(this.#source.baseUrl)
        yield ratio('unchanged-curl', second.durationMs, curlMs, { ...parts({ second }), curlMs, bytes })
      }
    }
    if (this.#wants('changed')) {
      await this.#source.change(true)
      yield against('changed', await this.#snapshot('changed', tool))
      await this.#source.change(false)
    }
    if (this.#wants('embedded') || this.#wants('embedded-unchanged')) {
      const warehouse = { dataDir: join(scratch, `embedded-${this.#number}`), schema: SCHEMAS.tool }
      await initialise(warehouse)
      const embedded = await this.#snapshot('embedded', warehouse)
      yield against('embedded', embedded)
      if (this.#wants('embedded-unchanged')) {
        const again = await this.#snapshot('embedded-unchanged', warehouse)
        yield ratio('embedded-unchanged', again.durationMs, embedded.durationMs, parts({ embedded, again }))
      }
    }
    return rows
  }

  async #snapshot(what: Name | 'first', warehouse: Warehouse): Promise<Snapshot> {
    const { server, profile } = this.#context
    await settle(server.url)
    this.#say(`snapshot: ${what}`)
    return snapshot({
      baseUrl: this.#source.baseUrl,
      warehouse,
      profile: profile === undefined ? undefined : join(profile, `${what}-${this.#number}`),
    })
  }

  #wants(figure: Name): boolean {
    return this.#context.wanted.has(figure)
  }

  #say(what: string): void {
    this.#context.say(`run ${this.#number} of ${this.#context.runs}: ${what}`)
  }
}

function ratio(figure: Name, above: number, below: number, parts: Measured['parts']): Measured {
  return { figure, value: above / below, parts }
}

/** Parts of a snapshot's duration, with its name. */
function parts(snapshots: Readonly<Record<string, Snapshot>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(snapshots).flatMap(([name, { durationMs, processMs, peakMemory, rows }]) => [
      [`${name}Ms`, durationMs],
      [`${name}ProcessMs`, processMs],
      [`${name}PeakMB`, peakMemory / 1e6],
      [`${name}Rows`, Object.values(rows).reduce((sum, { read }) => sum + read, 0)],
      [`${name}RowsWritten`, Object.values(rows).reduce((sum, counts) => sum + counts.inserted + counts.updated, 0)],
    ]),
  )
}
