import { anyCharacter } from '@collab-etl/harness/any-character'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import fc from 'fast-check'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { BackupLookup } from '../src/backup/backup-lookup.ts'
import type { StoredRecord } from '../src/backup/stored-records.ts'
import { MAX_RESULT_BYTES } from '../src/bounds.ts'
import { createServer } from '../src/server/server.ts'

/** Mostly short, sometimes longer than a result may be, and of characters that take six bytes as JSON. */
const anyText = fc
  .tuple(
    fc.string({ unit: fc.oneof(anyCharacter, fc.constantFrom('\0', '"', '\u2028', '漢', '/pages/x ')), maxLength: 30 }),
    fc.constantFrom(1, 1, 1, 50, 9000),
  )
  .map(([text, times]) => text.repeat(times))
const anyId = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 100 })
const anyPerson = fc.record({ uid: anyId, name: anyText })

const anyRecord = fc.record({
  id: anyId,
  parentId: anyId,
  name: anyText,
  summary: anyText,
  text: anyText,
  owner: anyPerson,
  comments: fc.array(
    fc.record({
      cid: anyId,
      owner: anyPerson,
      created_at: fc.constant(null),
      text: anyText,
      files: fc.array(fc.record({ fid: anyId, name: anyText }), { maxLength: 30 }),
    }),
    { maxLength: 5 },
  ),
  task: fc.record({
    ...{
      entry_id: anyId,
      group: anyText,
      state: fc.constant('open' as const),
      due_at: fc.constant(null),
      completed_at: fc.constant(null),
    },
    members: fc.array(fc.record({ uid: anyId, name: anyText, names: fc.constant([]) }), { maxLength: 30 }),
    labels: fc.array(fc.record({ name: anyText, description: anyText }), { maxLength: 30 }),
    todos: fc.array(fc.record({ name: anyText, checked: fc.boolean() }), { maxLength: 30 }),
    comment_count: fc.nat(),
    file_count: fc.nat(),
    others: fc.constant({}),
  }),
})

type AnyRecord = typeof anyRecord extends fc.Arbitrary<infer T> ? T : never

async function clientOf(pid: string, found: readonly AnyRecord[], kind: StoredRecord['kind']): Promise<Client> {
  const all = found.map((record): StoredRecord => ({ ...record, kind, pid, created_at: null, updated_at: null }))
  const reader = {
    has: () => true,
    async *records(query: { readonly kind: string }) {
      if (query.kind === kind) yield* all
    },
    async *members() {},
  }
  const lookup = new BackupLookup(reader, [])
  const source = {
    kind: 'backup' as const,
    read: <T>(work: (of: BackupLookup) => Promise<T>) => work(lookup),
    status: async () => ({}),
    [Symbol.asyncDispose]: async () => {},
  }
  const { server } = createServer({ version: '1', log: pino({ level: 'silent' }), databaseUrl: undefined }, source)
  const [near, far] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name: 'test', version: '1' })
  await Promise.all([server.connect(far), client.connect(near)])
  return client
}

test('any records give results that are valid, within the limit, and complete when read on', async () => {
  const kinds = fc.constantFrom('page' as const, 'post' as const, 'task' as const)
  await fc.assert(
    fc.asyncProperty(anyId, fc.array(anyRecord, { minLength: 1, maxLength: 5 }), kinds, async (pid, found, kind) => {
      const client = await clientOf(pid, found, kind)
      const call = async (name: string, args: Record<string, unknown>) => {
        const { content, isError } = await client.callTool({ name, arguments: args })
        const [{ text = '' } = {}] = content as { text: string }[] // results of our tools have one text
        expect(isError, text).not.toBe(true)
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_RESULT_BYTES)
        return JSON.parse(text)
      }
      const [record] = found
      const idName = { page: 'page_id', post: 'post_id', task: 'tid' }[kind]
      let [text, offset] = ['', 0 as number | undefined]
      while (offset !== undefined) {
        const read = await call(`read_${kind}`, { pid, [idName]: record?.id, offset })
        const part = kind === 'task' ? read.description : read.content
        text += part.text
        offset = part.next_offset
      }
      expect(text).toBe(record?.text)
      await call('search', { query: 'a', limit: 50 })
      await call('list_tasks', { limit: 200 })
      const { resources } = await client.listResources()
      expect(Buffer.byteLength(JSON.stringify(resources))).toBeLessThanOrEqual(MAX_RESULT_BYTES)
      for (const { uri } of resources.slice(0, 1)) {
        const { contents } = await client.readResource({ uri })
        expect(Buffer.byteLength(JSON.stringify(contents))).toBeLessThanOrEqual(2 * MAX_RESULT_BYTES)
      }
    }),
    { numRuns: 25 },
  )
})
