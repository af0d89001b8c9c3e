import { ALL_OPERATIONS, OFFERS } from '@collab-etl/contract'
import { FURTHER_OPERATIONS } from './further.ts'

/** Names that `extended` takes: what the sandbox can offer beyond the documented service. */
export const EXTENSIONS = [...OFFERS, 'oauth'] as const

export type Extension = (typeof EXTENSIONS)[number]

/** Every operation that the sandbox can offer. */
export const SERVED_OPERATIONS = [...ALL_OPERATIONS, ...FURTHER_OPERATIONS] as const

export type ServedOperation = (typeof SERVED_OPERATIONS)[number]

export type ServedId = ServedOperation['id']

/** Whether the sandbox offers an operation: the documented ones always, others by their name in `extended`. */
export function isOffered(operation: ServedOperation, extended: ReadonlySet<Extension>): boolean {
  return !('offer' in operation) || extended.has(operation.offer)
}

/**
 * What `extended` asks for.
 *
 * @param extended names, or `true` for all
 * @throws RangeError for an unknown name
 */
export function extensionsOf(extended: boolean | readonly string[]): ReadonlySet<Extension> {
  if (typeof extended === 'boolean') return new Set(extended ? EXTENSIONS : [])
  return new Set(extended.map(knownExtension))
}

function knownExtension(name: string): Extension {
  const known = EXTENSIONS.find((extension) => extension === name)
  if (!known) throw new RangeError(`unknown name "${name}"; known ones: ${EXTENSIONS.join(', ')}`)
  return known
}
