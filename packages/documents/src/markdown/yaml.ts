/** Values that front matter consists of. */
type YamlValue = string | number | boolean | null | readonly YamlMap[] | readonly string[] | YamlMap
export interface YamlMap {
  readonly [key: string]: YamlValue
}

/** Characters that JSON does not escape and YAML does not allow: controls, line separators, the byte order mark, noncharacters. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

/**
 * Writes a YAML 1.2 block mapping. Every text is in double quotes, so that no reader, not even of YAML 1.1, takes `no` or `2024-01-01`
 * for anything else. Not done by a library, which takes 0.1 ms for each mapping, more than writing the file; the tests
 * read the result with the library.
 */
export function yamlMapping(map: YamlMap): string {
  return Object.entries(map)
    .map(([key, value]) => entry(key, value, ''))
    .join('')
}

function entry(key: string, value: YamlValue, indent: string): string {
  if (value === null || typeof value !== 'object') return `${indent}${key}: ${scalar(value)}\n`
  if (isList(value)) {
    if (value.length === 0) return `${indent}${key}: []\n`
    const items = value.map((item) => `${indent}  - ${listItem(item, `${indent}    `)}`)
    return `${indent}${key}:\n${items.join('')}`
  }
  return `${indent}${key}:\n${nested(value, `${indent}  `)}`
}

function listItem(item: YamlMap | string, indent: string): string {
  return typeof item === 'string' ? `${scalar(item)}\n` : nested(item, indent).trimStart()
}

function nested(map: YamlMap, indent: string): string {
  return Object.entries(map)
    .map(([key, value]) => entry(key, value, indent))
    .join('')
}

function isList(value: readonly (YamlMap | string)[] | YamlMap): value is readonly (YamlMap | string)[] {
  return Array.isArray(value)
}

function scalar(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return String(value)
  return JSON.stringify(value).replace(UNPRINTABLE, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
