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

/**
 * Refuses to mix sample data into a warehouse of a real service, as would happen in the night in which somebody forgot
 * the address.
 * @param lastBaseUrl the service that the warehouse's last run read; `null` where there was none
 */
export function refuseMixing(lastBaseUrl: string | null): void {
  if (lastBaseUrl === null || isLoopback(lastBaseUrl)) return
  throw new UsageError(
    `neither COLLAB_BASE_URL nor a token is set, which means sample data, but the warehouse holds that of ${lastBaseUrl}: set both, or choose another --data-dir or --schema`,
  )
}

function isLoopback(address: string): boolean {
  return URL.canParse(address) && /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(new URL(address).hostname)
}
