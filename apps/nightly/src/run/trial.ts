import { readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { hasToken, type Settings, type TokenSettings, UsageError } from '@collab-etl/cli'

/**
 * Whether the address of a service and a token are set.
 * @throws UsageError if only one of them is
 */
export function isServiceSet(settings: Pick<Settings, 'baseUrl'> & TokenSettings): boolean {
  const { baseUrl } = settings
  const isTokenSet = hasToken(settings)
  if (baseUrl !== undefined && !isTokenSet) {
    throw new UsageError(
      `the address of the service is set, but no access token: set COLLAB_TOKEN or give --token-file FILE${OR_TRIAL}`,
    )
  }
  if (baseUrl === undefined && isTokenSet) {
    throw new UsageError(
      `an access token is set, but not the address of the service: set COLLAB_BASE_URL or give --base-url URL${OR_TRIAL}`,
    )
  }
  return baseUrl !== undefined
}

const OR_TRIAL = ' (collab-nightly trial runs on sample data)'

/** The error of a job that has no service and may not be a trial: with a misspelt setting, a trial would look like a backup. */
export async function noServiceError(
  { configFile }: Pick<Settings, 'configFile'>,
  directory: string,
): Promise<UsageError> {
  const missing = 'neither an address (COLLAB_BASE_URL) nor a token (COLLAB_TOKEN, COLLAB_TOKEN_FILE) is set'
  const file =
    configFile === undefined
      ? `${directory} has no collab.yaml${await besideIt(directory)}: set them, or give --config FILE`
      : `${configFile} has neither base_url nor token_file: set them`
  return new UsageError(`${missing}, and ${file}${OR_TRIAL}`)
}

/** A file that may have been meant, such as `collab.yml`. */
async function besideIt(directory: string): Promise<string> {
  const names = await readdir(directory).catch(() => [])
  const similar = names.filter((name) => /^\.?collab\b.*\.(ya?ml|json)\b/i.test(name)).sort()
  return similar.length === 0 ? '' : `, but ${similar.slice(0, 3).join(', ')}`
}

/** The directory of a trial's warehouse and backups, in the working directory. */
export const TRIAL_DIRECTORY = 'collab-sample'

/**
 * Refuses a trial if places for real data are set: with a forgotten address, sample data would be written there, or would
 * look like a successful backup.
 */
export function refuseOtherPlaces(
  { databaseUrl, dataDir, accounts, file }: Pick<Settings, 'databaseUrl' | 'dataDir' | 'accounts' | 'file'>,
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
    ...(accounts === undefined ? [] : ['accounts: of the config file']),
    ...(file['nightly'] === undefined ? [] : ['nightly: of the config file']),
  ].join(' and ')
  if (named === '') return
  throw new UsageError(
    `this is a trial on sample data below ./${TRIAL_DIRECTORY}, which does not accept ${named}: unset ${named}, or for a backup set the address and a token too`,
  )
}
