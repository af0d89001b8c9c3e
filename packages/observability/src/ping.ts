import { type DeliveryOptions, deliver } from './deliver.ts'
import type { Night } from './night.ts'

/** Health checks accept 100 kB, which is 100,000 bytes for some of them. */
const MAX_BYTES = 100_000

/**
 * Reports to a health check that the job begins: GET `<url>/start`, as healthchecks.io defines it.
 * @returns why it was not delivered, without the address; `null`: it was delivered
 */
export function pingStart(url: string, options?: DeliveryOptions): Promise<string | null> {
  return deliver({ url: below(url, 'start'), method: 'GET' }, options)
}

/**
 * Reports to a health check how the job ended: POST `<url>/<exit code>` with the night as JSON, at most 100,000 bytes.
 * @returns why it was not delivered, without the address; `null`: it was delivered
 */
export function pingEnd(url: string, night: Night, options?: DeliveryOptions): Promise<string | null> {
  const headers = { 'content-type': 'application/json' }
  return deliver(
    { url: below(url, String(night.exit_code)), method: 'POST', headers, body: fitNight(night, MAX_BYTES) },
    options,
  )
}

/** The address with one more part in its path. */
function below(url: string, part: string): string {
  const address = new URL(url)
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/${part}`
  return address.href
}

/** A night as JSON of at most `maxBytes`. If it is too long, its scopes are left out; then the whole snapshot, and long reasons are cut. */
export function fitNight(night: Night, maxBytes: number): string {
  const { snapshot } = night
  const shorter: unknown[] = [
    night,
    {
      ...night,
      snapshot: snapshot && { ...snapshot, not_whole: [], accepted: [], accepted_unneeded: [] },
      shortened: true,
    },
    {
      ...night,
      snapshot: null,
      steps: night.steps.map((step) => ({ ...step, reason: step.reason?.slice(0, 500) ?? null })),
      shortened: true,
    },
  ]
  const texts = shorter.map((document) => JSON.stringify(document))
  return (
    texts.find((text) => Buffer.byteLength(text) <= maxBytes) ??
    JSON.stringify({ exit_code: night.exit_code, shortened: true })
  )
}
