import { join } from 'node:path'
import { type AccountOptions, createClient, type KnownId } from '@collab-etl/core'
import { newScratch, scratch } from '@collab-etl/harness/scratch'
import type { BackupOptions } from '../src/backup/options.ts'
import type { BackupContents } from '../src/backup/write-backup.ts'
import { openApiSource } from '../src/source/api-source.ts'
import { extentOf } from '../src/source/backup-rows.ts'
import { OPTIONS, writeBag } from './backup-in.ts'

export interface ApiBackup {
  readonly bag: string
  readonly contents: BackupContents
}

/** A backup made straight from a service, in an empty folder. */
export async function apiBackup(
  service: { readonly baseUrl: string; readonly token: string },
  options: Partial<BackupOptions> & {
    readonly posts?: Readonly<Record<string, readonly KnownId[]>>
    readonly isExtended?: boolean
    /** Instead of the token of the service. */
    readonly accounts?: readonly AccountOptions[]
  } = {},
  folder?: string,
): Promise<ApiBackup> {
  const { baseUrl } = service
  const { accounts } = options
  const spool = await newScratch()
  const offered = options.isExtended ? {} : null
  const client = createClient({
    baseUrl,
    ...(accounts === undefined ? { token: service.token } : { accounts }),
    backoff: { baseMs: 1 },
    retries: 2,
    offered,
  })
  try {
    await using source = await openApiSource({
      client,
      baseUrl,
      pids: options.pids ?? null,
      links: options.links ?? [],
      extent: extentOf({ ...OPTIONS, ...options }),
      knownPosts: new Map(Object.entries(options.posts ?? {})),
      spoolFolder: join(spool.path, 'spool'),
      signal: new AbortController().signal,
      onProject: () => {},
    })
    const bag = folder ?? (await scratch())
    return { bag, contents: await writeBag(bag, source, options) }
  } finally {
    await client.close()
    await spool.remove()
  }
}
