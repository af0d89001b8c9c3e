import { type Client, isApiError, isAuthError, isCollabError } from '@collab-etl/core'
import { inParallel } from './in-parallel.ts'
import { PROJECT_MISSING } from './project-missing.ts'

/** What the service says of stored projects that are missing from its list, asked of each by itself. */
export interface UnlistedProjects {
  /** Those that it still gives. */
  readonly readable: ReadonlySet<string>
  /** Those that do not exist, by its own word (400004). */
  readonly gone: ReadonlySet<string>
  /** Those of which it says neither, and why they could not be read. */
  readonly unread: ReadonlyMap<string, { readonly code: string; readonly message: string }>
}

/**
 * Asks for each project once. Missing from the list alone proves nothing: the caller may have left a project that exists.
 * Throws what ends a run: a refused token, an abort.
 */
export async function askForUnlisted(
  client: Client,
  pids: readonly string[],
  options: { readonly atOnce: number; readonly signal: AbortSignal },
): Promise<UnlistedProjects> {
  const readable = new Set<string>()
  const gone = new Set<string>()
  const unread = new Map<string, { code: string; message: string }>()
  await inParallel(pids, options, async (pid, signal) => {
    try {
      await client.projects.get({ pid }, { signal })
      readable.add(pid)
    } catch (error) {
      if (signal.aborted || isAuthError(error) || !isCollabError(error)) throw error
      if (isApiError(error, Number(PROJECT_MISSING))) gone.add(pid)
      else
        unread.set(pid, {
          code: error.errorCode,
          message: `not in the list any more, and not to be read: ${error.message}`,
        })
    }
  })
  return { readable, gone, unread }
}
