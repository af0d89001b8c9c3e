import type { Connection, QueryResult } from '../driver/driver.ts'

/** What statements of publishing refer to as `@name`, and its type. */
const TYPES = {
  pid: 'text',
  run: 'text',
  at: 'timestamptz',
  since: 'timestamptz',
  from: 'timestamptz',
  to: 'timestamptz',
  froms: 'timestamptz[]',
  tos: 'timestamptz[]',
  ids: 'text[]',
  posts: 'text[]',
  files: 'text[]',
  unread: 'text[]',
  asked: 'text[]',
  sources: 'text[]',
  codes: 'text[]',
  texts: 'text[]',
  flags: 'boolean[]',
  winners: 'text[]',
  shown: 'jsonb',
  seqs: 'integer[]',
  streams: 'integer[]',
  base: 'bigint',
  stream: 'text',
  list: 'text',
} as const

export type Values = Partial<Record<keyof typeof TYPES, unknown>>

/** Runs a statement whose parameters are written `@name`; only those it refers to are sent. */
export function runBound(connection: Connection, sql: string, values: Values): Promise<QueryResult> {
  const params: unknown[] = []
  const numbers = new Map<string, number>()
  const text = sql.replaceAll(/@([a-z]+)/g, (_, name: string) => {
    if (!isName(name)) throw new TypeError(`no parameter is named @${name}`)
    let number = numbers.get(name)
    if (number === undefined) {
      number = params.push(values[name])
      numbers.set(name, number)
    }
    return `$${number}::${TYPES[name]}`
  })
  return connection.query(text, params)
}

function isName(name: string): name is keyof typeof TYPES {
  return Object.hasOwn(TYPES, name)
}
