import type { OnLeft } from '@collab-etl/bagit'
import type { Context } from '@collab-etl/cli'

/** Warns of a temporary directory that could not be removed, which is no reason for a command to fail. */
export function warnOfLeft({ log }: Pick<Context, 'log'>): OnLeft {
  return (path, reason) =>
    log.warn(
      { path, reason },
      `the temporary directory ${path} could not be removed (${reason}); the next run tries again`,
    )
}
