import { beforeAll, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../src/index.ts'
import { SDK_TESTS, type SdkCall } from './node-sdk.ts'
import { call } from './support.ts'

let sandbox: Sandbox

beforeAll(async () => {
  // no task is due today
  sandbox = await startSandbox({ extended: true, projects: 1, tasks: 0 })
  return () => sandbox.close()
})

const DAY = 86_400_000

/** The same data with `$name` replaced by its value. */
function filled<T>(data: T, values: ReadonlyMap<string, unknown>): T {
  if (typeof data === 'string') {
    const whole = /^\$(\w+)$/.exec(data)?.[1]
    const value = whole === undefined ? undefined : values.get(whole)
    return (value ?? data.replaceAll(/\$(\w+)/g, (_, name: string) => String(values.get(name)))) as T // the same place, filled
  }
  if (Array.isArray(data)) return data.map((item) => filled(item, values)) as T
  if (typeof data !== 'object' || data === null) return data
  return Object.fromEntries(Object.entries(data).map(([name, inner]) => [name, filled(inner, values)])) as T
}

async function make(one: SdkCall, values: Map<string, unknown>): Promise<void> {
  const { call: line, query = {}, body, shows = {}, among, has = [], length, keep = {} } = filled(one, values)
  const [method = '', path = ''] = line.split(' ')
  const { status, json } = await call(sandbox, method, path, { query, ...(body && { json: body }) })
  expect([line, status]).toEqual([line, 200])
  const records: Record<string, unknown>[] = [json].flat().map(Object)
  expect(Array.isArray(json)).toBe(length !== undefined || among !== undefined)
  if (typeof length === 'number') expect(records).toHaveLength(length)
  if (length === 'some' || length === 'several') expect(records.length).toBeGreaterThan(length === 'some' ? 0 : 1)
  for (const field of has) expect(records[0]).toHaveProperty(field)
  const shown = among ? records.find((record) => record[among[0]] === among[1]) : records[0]
  if (length !== 0 && length !== 'any') expect(shown, line).toMatchObject(shows)
  // `keep` names fields: it has no `$`
  for (const [name, field] of Object.entries(keep)) values.set(name, records[0]?.[field])
  const created = values.get('created_at')
  if (typeof created === 'string') values.set('endOfToday', (Math.floor(Date.parse(created) / DAY) + 1) * DAY - 1000)
}

test.each(Object.entries(SDK_TESTS))(
  "the Node SDK's own calls get the answers that its tests expect: %s",
  async (_, calls) => {
    const values = new Map<string, unknown>()
    for (const one of calls) await make(one, values)
  },
)
