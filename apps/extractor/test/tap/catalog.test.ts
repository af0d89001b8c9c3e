import { UsageError } from '@collab-etl/cli'
import { FEED_TABLES } from '@collab-etl/warehouse'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { discover, everything, selectedIn } from '../../src/tap/catalog.ts'
import type { JsonObject } from '../../src/tap/json-file.ts'
import { State } from '../../src/tap/state.ts'

type Entry = { tap_stream_id: string; metadata: { breadcrumb: string[]; metadata: Record<string, unknown> }[] }

/** The catalog as a file has it. */
const catalog = (): { streams: Entry[] } => JSON.parse(JSON.stringify(discover('collab')))

/** The discovered catalog with metadata added to nodes: `tasks` or `tasks.name`. */
function selecting(added: Readonly<Record<string, JsonObject>>): JsonObject {
  const { streams } = catalog()
  for (const [place, metadata] of Object.entries(added)) {
    const [stream, field] = place.split('.')
    const nodes = streams.find(({ tap_stream_id: id }) => id === stream)?.metadata
    const node = nodes?.find(({ breadcrumb }) => breadcrumb[1] === field)
    if (node === undefined) throw new Error(`no ${place}`)
    Object.assign(node.metadata, metadata)
  }
  return { streams }
}

const fieldSelected = (field: string) => ({ breadcrumb: ['properties', field], metadata: { selected: true } })

const selected = (added: Readonly<Record<string, JsonObject>>) => selectedIn(selecting(added), 'catalog.json')

describe('discovery', () => {
  test('every stream has keys within its schema, and metadata for itself and each field', () => {
    const { streams } = catalog()
    expect(streams.map(({ tap_stream_id: id }) => id)).toEqual(FEED_TABLES.map(({ name }) => name))
    for (const entry of streams as (Entry & JsonObject)[]) {
      const { properties } = entry['schema'] as { properties: Record<string, JsonObject> }
      const [own, ...fields] = entry.metadata
      expect(fields.map(({ breadcrumb }) => breadcrumb)).toEqual(
        Object.keys(properties).map((name) => ['properties', name]),
      )
      const keys = entry['key_properties'] as string[]
      expect(own).toMatchObject({ breadcrumb: [], metadata: { inclusion: 'available', 'table-key-properties': keys } })
      for (const { breadcrumb, metadata } of fields) {
        const isKey = keys.includes(breadcrumb[1] ?? '')
        if (isKey) expect(metadata['inclusion']).toBe('automatic')
        expect(properties[breadcrumb[1] ?? '']?.['type'] ?? []).toEqual(
          isKey ? [expect.any(String)] : ['null', expect.any(String)],
        )
      }
    }
    expect(
      streams.flatMap(({ tap_stream_id: id, metadata }) =>
        metadata[0]?.metadata['forced-replication-method'] === 'FULL_TABLE' ? id : [],
      ),
    ).toEqual(['users', 'runs', 'accounts', 'project_accounts'])
  })

  test('bounds of bigint are exact', () => {
    expect(JSON.stringify(discover('collab'))).toContain('"minimum":-9223372036854775808,"maximum":9223372036854775807')
  })
})

describe('selection', () => {
  test('all streams without a catalog, none of an unchanged one', () => {
    expect(everything()).toHaveLength(FEED_TABLES.length)
    expect(selected({})).toEqual([])
  })

  test('streams and fields follow "selected"; keys and times of changes are always sent', () => {
    const [users, tasks] = selected({
      tasks: { selected: 'true' },
      'tasks.name': { selected: 'false' },
      'tasks.tid': { selected: false },
      users: { selected: true },
      pages: { selected: false, 'selected-by-default': true },
    })
    expect([users?.table.name, tasks?.table.name]).toEqual(['users', 'tasks'])
    expect(tasks?.fields).toEqual(expect.arrayContaining(['pid', 'tid', 'due_at', 'changed_at', '_sdc_deleted_at']))
    expect(tasks?.fields).not.toContain('name')
    expect(selected({ tasks: { 'selected-by-default': true } })).toHaveLength(1)
    expect(selected({ tasks: { selected: true, 'replication-method': 'FULL_TABLE' } })).toMatchObject([
      { isFull: true },
    ])
    expect(selected({ users: { selected: true, 'replication-method': 'INCREMENTAL' } })).toMatchObject([
      { isFull: true },
    ])
  })

  test('a field that the catalog does not list is left out', () => {
    const entry = { tap_stream_id: 'tasks', selected: true, schema: { properties: { name: {} } } }
    const [tasks] = selectedIn({ streams: [entry] }, 'catalog.json')
    expect(tasks?.fields).toEqual(['pid', 'tid', 'name', 'changed_at', '_sdc_deleted_at'])
  })

  test('of several metadata of one breadcrumb, the last counts', () => {
    const metadata = [true, false].map((value) => ({
      breadcrumb: ['properties', 'name'],
      metadata: { selected: value },
    }))
    const entry = {
      tap_stream_id: 'tasks',
      selected: 'True',
      metadata,
      schema: { properties: { name: {}, due_at: {} } },
    }
    const [tasks] = selectedIn({ streams: [entry] }, 'catalog.json')
    expect(tasks?.fields).toEqual(['pid', 'tid', 'due_at', 'changed_at', '_sdc_deleted_at'])
  })

  test.each([
    [{}, 'it has no list "streams"'],
    [{ streams: [{}] }, 'stream 1 has no tap_stream_id'],
    [{ streams: [{ tap_stream_id: 'x', selected: true }] }, 'stream x, which does not exist'],
    [{ streams: [1, 2].map(() => ({ tap_stream_id: 'tasks', selected: true })) }, 'stream tasks twice'],
    [selecting({ tasks: { selected: 1 } }), 'stream tasks: "selected" must be true or false, not 1'],
    [selecting({ tasks: { selected: true }, 'tasks.name': { selected: 'no' } }), 'must be true or false, not "no"'],
    [{ streams: [{ tap_stream_id: 'tasks', metadata: { selected: true } }] }, '"metadata" must be a list'],
    [{ streams: [{ tap_stream_id: 'tasks', metadata: [{ breadcrumb: 'x', metadata: {} }] }] }, 'a list "breadcrumb"'],
    [
      { streams: [{ tap_stream_id: 'tasks', selected: true, metadata: [fieldSelected('gone')] }] },
      'field gone is selected',
    ],
    [
      selecting({ tasks: { selected: true, 'replication-key': 'updated_at' } }),
      'replication-key .* must be changed_at',
    ],
    [selecting({ tasks: { selected: true, 'replication-method': 'LOG_BASED' } }), 'must be INCREMENTAL or FULL_TABLE'],
  ])('%# a catalog that cannot be followed is refused: %j', (wrong, message) => {
    expect(() => selectedIn(wrong, 'catalog.json')).toThrow(new RegExp(`catalog.json.*${message}`))
  })

  test('any JSON in place of a catalog or state is read or refused with one line', () => {
    const words = ['streams', 'tap_stream_id', 'tasks', 'metadata', 'breadcrumb', 'selected', 'bookmarks', 'fields']
    const key = fc.oneof(fc.constantFrom(...words), fc.string())
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        fc.constantFrom(...words, true, null, 1),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(key, tie('any'), { maxKeys: 4 }),
      ),
    })).any
    fc.assert(
      fc.property(fc.dictionary(key, value), (object) => {
        for (const read of [() => selectedIn(object, 'f'), () => new State(object, 'f')]) {
          try {
            read()
          } catch (error) {
            expect(error).toBeInstanceOf(UsageError)
            expect((error as Error).message).not.toContain('\n')
          }
        }
      }),
      { numRuns: 300 },
    )
  })
})
