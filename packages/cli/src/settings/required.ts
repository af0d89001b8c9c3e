import { UsageError } from '../errors.ts'
import type { Secret } from '../secret.ts'
import type { Settings } from './resolve.ts'

/** The service's address and token, which have no default. */
export function requireService(settings: Settings): { readonly baseUrl: string; readonly token: Secret } {
  const { baseUrl, token } = settings
  if (baseUrl === undefined) {
    throw new UsageError('the address of the service is not set: give --base-url URL or set COLLAB_BASE_URL')
  }
  if (token === undefined) {
    throw new UsageError('no access token is set: set COLLAB_TOKEN, or give --token-file FILE')
  }
  return { baseUrl, token }
}
