/** The largest index of `name[index]=…` that is read; a larger one is treated as part of the name. */
const MAX_INDEX = 9999

/**
 * Parses the fields of a request body: a JSON object, otherwise a form. The content type is ignored: the service documents JSON
 * but shows `key=value` pairs in its samples, so clients send every combination.
 */
export function readBody(text: string): Readonly<Record<string, unknown>> {
  return jsonObject(text) ?? readForm(text)
}

function jsonObject(text: string): Record<string, unknown> | null {
  const value = parsed(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
}

/**
 * `a=1&b=2`; `a[]=1&a[]=2`, `a[0]=1&a[1]=2` and `a=1&a=2` are lists. A field that is written in several ways has all values.
 * The result has no prototype: any name is a plain field.
 */
function readForm(text: string): Readonly<Record<string, unknown>> {
  const lists = new Map<string, { index: number; value: string }[]>()
  const named = new Set<string>()
  for (const [field, value] of new URLSearchParams(text)) {
    const [, name = field, index] = /^([^[\]]+)\[(\d{0,9})\]$/.exec(field) ?? []
    const isElement = index !== undefined && Number(index) <= MAX_INDEX
    const key = isElement ? name : field
    if (isElement) named.add(key)
    const list = lists.get(key) ?? []
    lists.set(key, list)
    list.push({ index: isElement && index !== '' ? Number(index) : list.length, value })
  }
  const fields: Record<string, unknown> = Object.create(null)
  for (const [name, list] of lists) {
    const values = list.toSorted((a, b) => a.index - b.index).map(({ value }) => value)
    fields[name] = named.has(name) || values.length > 1 ? values : values[0]
  }
  return fields
}

/** A list that is written as text: `[]`, `["a","b"]`, or `['a','b']`; `null` for any other text. */
export function listInText(text: string): unknown[] | null {
  const trimmed = text.trim()
  if (!trimmed.startsWith('[') || !trimmed.endsWith(']')) return null
  const value = parsed(trimmed)
  if (Array.isArray(value)) return value
  const inner = trimmed.slice(1, -1).split(',')
  return inner.map((item) => item.trim().replace(/^(['"])(.*)\1$/, '$2'))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
