import { resolve } from 'node:path'
import { hasToken, type Settings, UsageError } from '@collab-etl/cli'

/**
 * Whether the job runs on sample data, because no service is set.
 * @throws UsageError if only one of address and token is set
 */
export function usesSampleData(settings: Pick<Settings, 'baseUrl' | 'token' | 'tokenPlace'>): boolean {
  const { baseUrl } = settings
  const isTokenSet = hasToken(settings)
  if (baseUrl !== undefined && !isTokenSet) {
    throw new UsageError(
      'the address of the service is set, but no access token: set COLLAB_TOKEN or give --token-file FILE (or unset COLLAB_BASE_URL to try it out on sample data)',
    )
  }
  if (baseUrl === undefined && isTokenSet) {
    throw new UsageError(
      'an access token is set, but not the address of the service: set COLLAB_BASE_URL or give --base-url URL (or unset the token to try it out on sample data)',
    )
  }
  return baseUrl === undefined
}

/** The directory of a trial's warehouse and backups, in the working directory. */
export const TRIAL_DIRECTORY = 'collab-sample'

/**
 * Refuses a trial if places for real data are set: with a forgotten address, sample data would be written there, or would
 * look like a successful backup.
 */
export function refuseOtherPlaces(
  { databaseUrl, dataDir, file }: Pick<Settings, 'databaseUrl' | 'dataDir' | 'file'>,
  {
    out,
    'metrics-file': metricsFile,
  }: { readonly out?: string | undefined; readonly 'metrics-file'?: string | undefined },
): void {
  const named = [
    ...(databaseUrl === undefined ? [] : ['DATABASE_URL (--database-url)']),
    ...(dataDir === resolve('collab-data') ? [] : ['COLLAB_DATA_DIR (--data-dir)']),
    ...(out === undefined ? [] : ['--out']),
    ...(metricsFile === undefined ? [] : ['--metrics-file']),
    ...(file['nightly'] === undefined ? [] : ['nightly: of the config file']),
  ].join(' and ')
  if (named === '') return
  throw new UsageError(
    `neither COLLAB_BASE_URL nor a token is set, so this is a trial on sample data below ./${TRIAL_DIRECTORY}, which does not accept ${named}: set the address and a token too, or unset ${named}`,
  )
}
