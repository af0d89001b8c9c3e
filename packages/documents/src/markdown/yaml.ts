/** What front matter is made of. */
type YamlValue = string | number | null | readonly YamlMap[] | YamlMap
export interface YamlMap {
  readonly [key: string]: YamlValue
}

/**
 * Characters that JSON leaves in a string and YAML does not take as they are, or that pose as something else: controls,
 * line separators, the byte order mark, noncharacters.
 */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

/**
 * A YAML 1.2 block mapping. Every text is in double quotes, so that neither `no` nor `2024-01-01` nor `---` is ever
 * read as something else, by readers of YAML 1.1 either. Written here because a library takes 0.1 ms for each of these
 * fixed shapes, more than the file itself; the tests read it back with the library.
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
    const items = value.map((item) => `${indent}  - ${nested(item, `${indent}    `).trimStart()}`)
    return `${indent}${key}:\n${items.join('')}`
  }
  return `${indent}${key}:\n${nested(value, `${indent}  `)}`
}

function nested(map: YamlMap, indent: string): string {
  return Object.entries(map)
    .map(([key, value]) => entry(key, value, indent))
    .join('')
}

function isList(value: readonly YamlMap[] | YamlMap): value is readonly YamlMap[] {
  return Array.isArray(value)
}

function scalar(value: string | number | null): string {
  if (typeof value !== 'string') return String(value)
  return JSON.stringify(value).replace(UNPRINTABLE, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
