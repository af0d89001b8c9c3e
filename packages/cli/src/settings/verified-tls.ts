import { UsageError } from '../errors.ts'

/** Node's switch that lets any server pass for any other. */
const SWITCH = 'NODE_TLS_REJECT_UNAUTHORIZED'

/**
 * Refuses an environment in which certificates are not verified: the token and the database's password would go to whoever
 * answers.
 */
export function refuseUnverified(env: Readonly<Record<string, string | undefined>>): void {
  if (env[SWITCH] !== '0') return
  throw new UsageError(
    `${SWITCH}=0 switches off the verification of certificates: unset it, and name an authority of your own with --ca FILE`,
  )
}
