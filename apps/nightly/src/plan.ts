import { resolve } from 'node:path'
import { type Settings, UsageError } from '@collab-etl/cli'

/** Whether the job is done on the service of the settings or on sample data; half of a service is a mistake. */
export function usesSampleData({ baseUrl, token }: Pick<Settings, 'baseUrl' | 'token'>): boolean {
  if (baseUrl !== undefined && token === undefined) {
    throw new UsageError(
      'the address of the service is set, but no access token: set COLLAB_TOKEN or give --token-file FILE (or unset COLLAB_BASE_URL to try it out on sample data)',
    )
  }
  if (baseUrl === undefined && token !== undefined) {
    throw new UsageError(
      'an access token is set, but not the address of the service: set COLLAB_BASE_URL or give --base-url URL (or unset the token to try it out on sample data)',
    )
  }
  return baseUrl === undefined
}

/** Holds everything of a trial: its warehouse and its backups. In the working directory. */
export const TRIAL_DIRECTORY = 'collab-sample'

/**
 * Refuses a trial where places for real data are named: in the night in which somebody forgot the address, sample data would
 * go there, or pass for the work of that night.
 * @param out what `--out` says
 */
export function refuseOtherPlaces(
  { databaseUrl, dataDir }: Pick<Settings, 'databaseUrl' | 'dataDir'>,
  out: string | undefined,
): void {
  const named = [
    ...(databaseUrl === undefined ? [] : ['DATABASE_URL (--database-url)']),
    ...(dataDir === resolve('collab-data') ? [] : ['COLLAB_DATA_DIR (--data-dir)']),
    ...(out === undefined ? [] : ['--out']),
  ].join(' and ')
  if (named === '') return
  throw new UsageError(
    `neither COLLAB_BASE_URL nor a token is set, which means a trial on sample data below ./${TRIAL_DIRECTORY}, but ${named} is: set the address and a token too, or unset ${named}`,
  )
}
