import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'

export interface Message {
  readonly type: 'SCHEMA' | 'RECORD' | 'STATE'
  readonly stream?: string
  readonly record?: Readonly<Record<string, unknown>>
  readonly value?: State
  readonly schema?: object
  readonly key_properties?: readonly string[]
}

export interface State {
  readonly bookmarks: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/**
 * Checks messages by the text of the specification (0.3.0): one JSON map a line; a SCHEMA before the records of its stream, with keys
 * that its schema has; records that are valid by it; times in RFC 3339.
 * @throws Error that names the first message that breaks a rule
 */
export function validated(text: string): Message[] {
  const ajv = new Ajv({ strict: true, allowUnionTypes: true })
  addFormats.default(ajv)
  const isTime = ajv.compile({ type: 'string', format: 'date-time' })
  const schemas = new Map<string, ReturnType<Ajv['compile']>>()
  if (!text.endsWith('\n') && text !== '') throw new Error('the last line has no end')
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const message = JSON.parse(line) as Message & { bookmark_properties?: string[]; time_extracted?: string }
      const wrong = (what: string) => new Error(`${what}: ${line.slice(0, 400)}`)
      if (message.type === 'STATE') {
        if (message.value === undefined) throw wrong('STATE without value')
        return message
      }
      if (typeof message.stream !== 'string') throw wrong('no stream')
      if (message.type === 'SCHEMA') {
        const { schema, key_properties: keys, bookmark_properties: bookmarks = [] } = message
        const properties = (schema as { properties?: object } | undefined)?.properties
        if (schema === undefined || properties === undefined || !Array.isArray(keys)) throw wrong('no schema or keys')
        if (![...keys, ...bookmarks].every((key) => Object.hasOwn(properties, key))) throw wrong('unknown key')
        // stricter than the one that is sent: every field is declared, and there
        const required = Object.keys(properties)
        schemas.set(message.stream, ajv.compile({ ...schema, required, additionalProperties: false }))
        return message
      }
      if (message.type !== 'RECORD' || message.record === undefined) throw wrong('unknown message')
      const isValid = schemas.get(message.stream)
      if (isValid === undefined) throw wrong('RECORD before its SCHEMA')
      if (!isValid(message.record)) throw wrong(ajv.errorsText(isValid.errors))
      if (!isTime(message.time_extracted)) throw wrong('time_extracted')
      return message
    })
}

/** The whole lines of a text that may end within one. */
export const wholeLines = (text: string): string => text.slice(0, text.lastIndexOf('\n') + 1)

/** The value of the last STATE message. */
export function lastState(messages: readonly Message[]): State | undefined {
  return messages.findLast(({ type }) => type === 'STATE')?.value
}
