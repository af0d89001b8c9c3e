/**
 * JSON of a value with maps, sets, dates and infinity, which JSON itself does not have. Ids are never keys of objects, so that no id is
 * mistaken for one of these.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, encode)
}

export function fromJson(json: string): unknown {
  return JSON.parse(json, revive)
}

function encode(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const raw = this[key]
  if (raw instanceof Map) return { map: [...raw] }
  if (raw instanceof Set) return { set: [...raw] }
  if (raw instanceof Date) return { time: raw.getTime() }
  return value === Infinity ? { number: 'Infinity' } : value
}

function revive(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  // as `encode` wrote them
  if ('map' in value) return new Map(value.map as [unknown, unknown][])
  if ('set' in value) return new Set(value.set as unknown[])
  if ('time' in value) return new Date(value.time as number)
  return 'number' in value ? Number(value.number) : value
}
