import { join } from 'node:path'
import type { Bench, BenchContext, Figure, Measured } from '../bench.ts'
import { fillWarehouse } from '../documents/fill-warehouse.ts'
import { DOCUMENT_PROJECTS, type DocumentWorld } from '../documents/world.ts'
import { diskUse } from '../measured/disk-use.ts'
import { type Backup, backup, verify } from '../measured/exports.ts'
import { runBackupScript, settleFiles, sha256sum } from '../measured/files.ts'
import { initialise, type Warehouse } from '../measured/snapshot.ts'
import { dropSchemas, SCHEMAS, settle } from '../postgres/database.ts'

const FIGURES = {
  'backup-script': {
    what: 'first backup of 20,000 pages and 5,000 posts against a simple script that writes the same files',
    unit: '×',
    limit: { atMost: 2 },
  },
  'backup-again': { what: 'next backup, nothing changed, against the first', unit: '×', limit: { atMost: 0.1 } },
  'backup-again-bytes': {
    what: 'new data of the next backup on disk, as a share of the first',
    unit: '%',
    limit: { atMost: 1 },
  },
  'backup-changed': { what: 'next backup, 1 % changed, against the first', unit: '×', limit: { atMost: 0.15 } },
  verify: { what: 'verification against sha256sum -c', unit: '×', limit: { atMost: 1.1 } },
  'backup-memory': { what: 'peak memory of the first backup', unit: 'MB', limit: { atMost: 200 } },
  'backup-memory-changed': {
    what: 'peak memory of the next backup, 1 % changed',
    unit: 'MB',
    limit: { atMost: 200 },
  },
} as const satisfies Record<string, Omit<Figure, 'name'>>

type Name = keyof typeof FIGURES

/** The figures of the night in which 1 % changed. */
const CHANGED = ['backup-changed', 'backup-memory-changed'] as const

/** The report, and files of the kinds of content that this warehouse does not have. */
const NOT_SCRIPTED = 11

/**
 * One warehouse, backed up, backed up again, and verified: all figures of a run use the same first backup. Nothing is removed
 * until the end: for five minutes after removing many files, ext4 creates files ten times as slowly.
 */
export const backups: Bench = {
  figures: Object.entries(FIGURES).map(([name, figure]) => ({ name, ...figure })),
  onPostgres: true,
  async *measure(context) {
    const { server, scratch, sizes, runs } = context
    const warehouse = { databaseUrl: server.url, dataDir: scratch, schema: SCHEMAS.tool }
    await dropSchemas(server.url)
    await initialise(warehouse)
    context.say(`filling a warehouse with ${sizes.pages} pages`)
    await fillWarehouse(warehouse, worldOf(sizes, 0))
    for (let number = 1; number <= runs; number++) yield* new Night(context, warehouse, number).measure()
    await dropSchemas(server.url)
  },
}

class Night {
  readonly #context: BenchContext
  readonly #warehouse: Warehouse
  readonly #number: number
  readonly #folder: string

  constructor(context: BenchContext, warehouse: Warehouse, number: number) {
    this.#context = context
    this.#warehouse = warehouse
    this.#number = number
    this.#folder = join(context.scratch, `backups-${number}`)
  }

  async *measure(): AsyncGenerator<Measured> {
    const first = await this.#backup('first')
    const parts = { ...partsOf('first', first), files: first.files, megabytes: first.bytes / 1e6 }
    yield { figure: 'backup-memory', value: first.peakMemory / 1e6, parts }
    if (this.#wants('backup-again') || this.#wants('backup-again-bytes')) {
      const again = await this.#backup('again')
      const value = again.durationMs / first.durationMs
      yield { figure: 'backup-again', value, parts: { ...partsOf('again', again), ...parts } }
      yield await newBytes(first, again)
    }
    if (this.#wants('backup-script')) yield await this.#againstScript(first, parts)
    if (CHANGED.some((name) => this.#wants(name))) {
      this.#say('changing 1 %')
      await fillWarehouse(this.#warehouse, worldOf(this.#context.sizes, this.#number))
      const changed = await this.#backup('changed')
      const value = changed.durationMs / first.durationMs
      const all = { ...partsOf('changed', changed), ...parts }
      yield { figure: 'backup-changed', value, parts: all }
      yield { figure: 'backup-memory-changed', value: changed.peakMemory / 1e6, parts: all }
    }
    if (this.#wants('verify')) yield await this.#verify(first.path)
  }

  /** Fails if the script writes fewer or more files or bytes than the backup, within a tolerance: it must do comparable work. */
  async #againstScript(first: Backup, parts: Measured['parts']): Promise<Measured> {
    const { server, scratch } = this.#context
    await settle(server.url)
    await settleFiles(scratch)
    this.#say('simple script')
    const script = await runBackupScript(server.url, SCHEMAS.tool, join(scratch, `script-${this.#number}`))
    const [share, rate] = [script.files / (first.files - NOT_SCRIPTED), script.bytes / first.bytes]
    if (share < 0.9 || share > 1.1 || rate < 0.8 || rate > 1.2) {
      throw new Error(
        `the script wrote ${script.files} files of ${script.bytes} bytes, the backup ${first.files} of ${first.bytes}`,
      )
    }
    const all = { ...parts, scriptMs: script.ms, scriptFiles: script.files, scriptMegabytes: script.bytes / 1e6 }
    return { figure: 'backup-script', value: first.durationMs / script.ms, parts: all }
  }

  async #verify(path: string): Promise<Measured> {
    this.#say('sha256sum and verify')
    // Once, so that both read the files from the page cache.
    await sha256sum(path)
    const sha256sumMs = await sha256sum(path)
    const { processMs, durationMs } = await verify(path, this.#profile('verify'))
    return { figure: 'verify', value: durationMs / sha256sumMs, parts: { processMs, durationMs, sha256sumMs } }
  }

  async #backup(what: 'first' | 'again' | 'changed'): Promise<Backup> {
    await settle(this.#context.server.url)
    await settleFiles(this.#context.scratch)
    this.#say(`backup: ${what}`)
    return await backup(this.#folder, { warehouse: this.#warehouse, profile: this.#profile(`backup-${what}`) })
  }

  #profile(what: string): string | undefined {
    const { profile } = this.#context
    return profile === undefined ? undefined : join(profile, `${what}-${this.#number}`)
  }

  #wants(figure: Name): boolean {
    return this.#context.wanted.has(figure)
  }

  #say(what: string): void {
    this.#context.say(`run ${this.#number} of ${this.#context.runs}: ${what}`)
  }
}

function worldOf({ pages, posts }: BenchContext['sizes'], version: number): DocumentWorld {
  return { projects: DOCUMENT_PROJECTS, pages, posts, version }
}

function partsOf(name: string, { durationMs, processMs, peakMemory }: Backup): Record<string, number> {
  return { [`${name}Ms`]: durationMs, [`${name}ProcessMs`]: processMs, [`${name}PeakMB`]: peakMemory / 1e6 }
}

/** Directories are counted separately, because each backup needs its own. */
async function newBytes(first: Backup, again: Backup): Promise<Measured> {
  const [whole, fresh] = [await diskUse(first.path), await diskUse(again.path)]
  const parts = { newBytes: fresh.ownFiles, bytes: whole.files, folderBytes: fresh.folders }
  return { figure: 'backup-again-bytes', value: (100 * fresh.ownFiles) / whole.files, parts }
}
