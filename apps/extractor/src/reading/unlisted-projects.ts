import { PROJECT_NOT_FOUND } from '@collab-etl/contract/errors'
import { type Client, isApiError, isAuthError, isCollabError } from '@collab-etl/core'
import { inParallel } from './in-parallel.ts'

/** The service's answers about stored projects that are missing from its list, each requested by itself. */
export interface UnlistedProjects {
  /** Projects that can still be read. */
  readonly readable: ReadonlySet<string>
  /** Projects for which the service answers that they do not exist. */
  readonly gone: ReadonlySet<string>
  /** Projects with any other answer, and why they could not be read. */
  readonly unread: ReadonlyMap<string, { readonly code: string; readonly message: string }>
}

/**
 * Requests each project once. A project that is missing from the list may still exist: the user may have left it.
 * Throws errors that end a run: a refused token, an abort.
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
      if (isApiError(error, PROJECT_NOT_FOUND)) gone.add(pid)
      else
        unread.set(pid, {
          code: error.errorCode,
          message: `missing from the list of projects, and could not be read: ${error.message}`,
        })
    }
  })
  return { readable, gone, unread }
}
