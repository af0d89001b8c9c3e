import { readManifestFacts, serviceOf } from '@collab-etl/backups'
import type { BackupReader, RecordFormat, RecordTable } from '@collab-etl/backups/read'
import { STREAMS } from '@collab-etl/contract/streams'
import type { ListedIssue } from '@collab-etl/documents'
import type { ScopeState } from '@collab-etl/warehouse'
import type { BackupRows, Origin, SourceRow, SourceTable, UnreadItem } from '../source/backup-rows.ts'
import { Spool } from '../source/spool.ts'
import { SpooledRows } from '../source/spooled-rows.ts'
import { type FillOptions, fillSpool } from './fill-spool.ts'
import { markdownTexts } from './markdown-texts.ts'

/** An address of no service: links in texts that name a host are not those of a backup whose service is unknown. */
const UNKNOWN_SERVICE = 'https://unknown.invalid'

const READ = { stream: 'projects', status: 'complete' } as const

/**
 * A backup as a source of rows. All of it is read first: formats have their records in other orders than rows.
 * @param folder to be made, for the rows
 * @throws DamagedBagError if a file that is read differs from the manifest
 */
export async function openRecordedSource(
  backup: BackupReader,
  format: RecordFormat,
  folder: string,
  options: FillOptions,
): Promise<BackupRows> {
  const rows = new SpooledRows(await Spool.create(folder))
  const texts = format === 'markdown' ? await markdownTexts(backup, options.signal) : null
  const recordsOf = texts ?? ((table: RecordTable) => backup.records(table, { format }))
  await fillSpool(rows, recordsOf, options)
  const facts = await readManifestFacts(backup.path)
  return new RecordedSource(backup, rows, {
    kind: 'api',
    place: backup.path,
    baseUrl: (await serviceOf(backup.path)) ?? UNKNOWN_SERVICE,
    account: null,
    runId: null,
    readAt: (facts?.coverage.asOf ?? facts?.coverage.readAt)?.toISOString() ?? '',
  })
}

/** Whether a scope is of a stream that this version knows; it was written as one. */
function isKnown(scope: NonNullable<BackupReader['manifest']['scopes']>[number]): scope is ScopeState {
  return STREAMS.some((name) => name === scope.stream)
}

/** Users of whom more than the id is known: records of a backup have the id alone where the source had no row of the user. */
async function* known(users: AsyncIterable<SourceRow>): AsyncGenerator<SourceRow, void, undefined> {
  for await (const row of users) {
    if (Object.entries(row).some(([column, value]) => column !== 'uid' && value !== null)) yield row
  }
}

/** What a backup states of itself beside its records (unread items, conversion issues) is not shown, and not given. */
class RecordedSource implements BackupRows {
  readonly origin: Origin
  readonly #rows: SpooledRows
  readonly #backup: BackupReader

  constructor(backup: BackupReader, rows: SpooledRows, origin: Origin) {
    this.#backup = backup
    this.#rows = rows
    this.origin = origin
  }

  rows(table: SourceTable, options: { readonly pid?: string } = {}): AsyncIterable<SourceRow> {
    const rows = this.#rows.rows(table, options)
    return table === 'users' ? known(rows) : rows
  }

  /** Those of the manifest; of a project that it names without one, an own scope, so that it is found without a row. */
  async scopes(): Promise<readonly ScopeState[]> {
    const { scopes = [], projects } = this.#backup.manifest
    const stated = scopes.filter(isKnown)
    const named = new Set(stated.map(({ pid }) => pid))
    const others = projects.filter(({ pid }) => !named.has(pid))
    return [...stated, ...others.map(({ pid }) => ({ pid, error: null, ...READ }))]
  }

  async *losses(): AsyncGenerator<ListedIssue, void, undefined> {}

  async unreadItems(): Promise<readonly UnreadItem[]> {
    return []
  }

  async knownPosts(): Promise<ReadonlyMap<string, number>> {
    return new Map()
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
