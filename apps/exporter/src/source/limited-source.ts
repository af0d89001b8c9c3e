import { CONTENT, type Content } from '@collab-etl/backups'
import type { TableName } from '@collab-etl/warehouse'
import type { BackupSource, SourceRow, SourceTable } from './backup-source.ts'

/** The tables whose rows are of a kind of content. Names of users are read for every kind. */
const TABLES_OF: Readonly<Record<Content, readonly TableName[]>> = {
  pages: ['pages', 'page_watchers'],
  posts: ['posts', 'post_watchers', 'post_comments', 'comment_files'],
  tasks: ['entries', 'tasks', 'task_labels', 'task_todos', 'task_members', 'task_watchers'],
  events: ['events', 'event_attendees'],
  files: ['files', 'file_watchers', 'file_comments', 'comment_files'],
  users: [],
}

/** Whether a backup of this content has the rows of a table. Tables that are of no kind are in every backup. */
export function hasTable(content: ReadonlySet<Content>, table: string): boolean {
  const kinds = CONTENT.filter((kind) => TABLES_OF[kind].some((name) => name === table))
  return kinds.length === 0 || kinds.some((kind) => content.has(kind))
}

/** The same source with only the rows of some kinds of content, so that all formats leave out the same. */
export function limitedTo(content: ReadonlySet<Content>, source: BackupSource): BackupSource {
  return CONTENT.every((kind) => content.has(kind)) ? source : new LimitedSource(source, content)
}

class LimitedSource implements BackupSource {
  readonly origin: BackupSource['origin']
  readonly versions?: NonNullable<BackupSource['versions']>
  readonly #source: BackupSource
  readonly #content: ReadonlySet<Content>

  constructor(source: BackupSource, content: ReadonlySet<Content>) {
    this.#source = source
    this.#content = content
    this.origin = source.origin
    if (source.versions) this.versions = source.versions
  }

  rows(table: SourceTable, options?: Parameters<BackupSource['rows']>[1]): AsyncIterable<SourceRow> {
    return hasTable(this.#content, table) ? this.#source.rows(table, options) : none()
  }

  scopes(): ReturnType<BackupSource['scopes']> {
    return this.#source.scopes()
  }

  losses(): ReturnType<BackupSource['losses']> {
    return this.#source.losses()
  }

  unreadItems(): ReturnType<BackupSource['unreadItems']> {
    return this.#source.unreadItems()
  }

  knownPosts(): ReturnType<BackupSource['knownPosts']> {
    return this.#source.knownPosts()
  }

  async confirm(): Promise<void> {
    await this.#source.confirm?.()
  }

  /** The source belongs to whoever opened it. */
  async [Symbol.asyncDispose](): Promise<void> {}
}

async function* none(): AsyncGenerator<never, void, undefined> {}
