import { expect, test } from 'vitest'
import { allRelations } from '../src/admin/describe.ts'
import { TABLES } from '../src/tables/index.ts'
import { COMMON_COLUMNS } from '../src/tables/table.ts'
import { onBackendsInTurn } from './support/backends.ts'

onBackendsInTurn('describe', (backend) => {
  test('resource tables come first, with the order, columns and keys of TABLES', async () => {
    const warehouse = await backend.warehouse()
    const { schema, historySchema, version, objects } = await warehouse.admin.describe()
    expect({ schema, historySchema, version }).toEqual({
      schema: warehouse.schema,
      historySchema: `${warehouse.schema}_history`,
      version: warehouse.supportedVersion,
    })
    for (const [index, table] of TABLES.entries()) {
      const described = objects[index]
      expect(described).toMatchObject({ schema, kind: 'table', name: table.name, comment: table.comment })
      const own = [...table.columns, ...COMMON_COLUMNS]
      // what only the warehouse needs may stand after these
      const names = own.map(({ name }) => name)
      const shown = described?.columns.filter(({ name }) => names.includes(name)) ?? []
      // a column of a later migration is last
      expect(shown.toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name))).toEqual(
        own.map(({ name, type, comment }) => ({
          name,
          type,
          comment,
          nullable: !table.key.includes(name) && name !== 'valid_from',
          key: table.key.includes(name) ? table.key.indexOf(name) + 1 : null,
        })),
      )
    }
  })

  test('everything has a comment: tables, views, functions, and every column of them', async () => {
    const { objects } = await (await backend.warehouse()).admin.describe()
    const bare = objects.flatMap(({ schema, name, comment, columns }) => [
      ...((comment ?? '') === '' ? [`${schema}.${name}`] : []),
      ...columns.filter((column) => (column.comment ?? '') === '').map((column) => `${schema}.${name}.${column.name}`),
    ])
    expect(bare).toEqual([])
    expect(objects.some(({ kind, schema }) => kind === 'table' && schema.endsWith('_history'))).toBe(true)
    expect(objects.find(({ name }) => name === 'tasks_as_of')?.signature).toEqual({
      arguments: expect.stringMatching(/^\w+ timestamptz$/),
      returns: expect.stringMatching(
        /^TABLE\(pid text, tid text, .*, valid_from timestamptz, deleted_at timestamptz\)$/,
      ),
    })
  })

  test('views and functions of others are described, with or without comments', async () => {
    const warehouse = await backend.another()
    const { schema } = warehouse
    await backend.driver.script(`
      CREATE VIEW ${schema}.a_view AS SELECT pid, 1 AS "two words" FROM ${schema}.projects;
      COMMENT ON VIEW ${schema}.a_view IS 'one | two';
      COMMENT ON COLUMN ${schema}.a_view.pid IS 'first line
second';
      CREATE FUNCTION ${schema}.a_function(a int, b timestamptz DEFAULT now()) RETURNS TABLE (x text, y timestamptz)
        LANGUAGE sql AS 'SELECT NULL::text, NULL::timestamptz';
      CREATE FUNCTION ${schema}.a_function() RETURNS void LANGUAGE sql AS ''`)
    const { objects } = await warehouse.admin.describe()
    expect(objects.find(({ name }) => name === 'a_view')).toEqual({
      schema,
      kind: 'view',
      name: 'a_view',
      comment: 'one | two',
      columns: [
        { name: 'pid', type: 'text', nullable: true, comment: 'first line\nsecond', key: null },
        { name: 'two words', type: 'integer', nullable: true, comment: null, key: null },
      ],
    })
    const functions = objects.filter(({ name }) => name === 'a_function')
    expect(functions.map(({ comment, signature }) => [comment, signature])).toEqual([
      [null, { arguments: '', returns: 'void' }],
      [null, { arguments: 'a integer, b timestamptz DEFAULT now()', returns: 'TABLE(x text, y timestamptz)' }],
    ])
  })

  test('relations name columns that are there, of types that can be compared', async () => {
    const { objects, relations } = await (await backend.warehouse()).admin.describe()
    expect(relations).toEqual(allRelations())
    const typeOf = new Map(
      objects
        .filter(({ schema }) => !schema.endsWith('_history'))
        .flatMap(({ name, columns }) => columns.map((column) => [`${name}.${column.name}`, column.type])),
    )
    for (const { table, columns, toTable, toColumns } of relations) {
      const typesOf = (of: string, names: readonly string[]) => names.map((name) => typeOf.get(`${of}.${name}`) ?? name)
      const types = toColumns.map((name) => (name === 'starts_at' ? 'timestamptz' : 'text'))
      expect(typesOf(table, columns)).toEqual(types)
      expect(typesOf(toTable, toColumns)).toEqual(types)
    }
  })

  test('a database without the schema is refused', async () => {
    const warehouse = await backend.another()
    await backend.driver.script(`DROP SCHEMA ${warehouse.schema} CASCADE`)
    await expect(warehouse.admin.describe()).rejects.toMatchObject({ code: 'NO_SCHEMA' })
    await expect(warehouse.admin.grantRead('anybody')).rejects.toMatchObject({ code: 'NO_SCHEMA' })
  })
})

const relationsOf = (name: string) =>
  allRelations()
    .filter(({ table }) => table === name)
    .map(({ columns, toTable, toColumns, optional }) => [
      `${columns} -> ${toTable}(${toColumns})`,
      ...(optional ? ['optional'] : []),
    ])

test('children name their parents, others their project; users and ids in columns are found', () => {
  expect(relationsOf('projects')).toEqual([['created_by_uid -> users(uid)', 'optional']])
  expect(relationsOf('users')).toEqual([])
  expect(relationsOf('tasks')).toEqual([
    ['pid -> projects(pid)'],
    ['pid,entry_id -> entries(pid,entry_id)', 'optional'],
  ])
  expect(relationsOf('task_members')).toEqual([['pid,tid -> tasks(pid,tid)'], ['uid -> users(uid)']])
  expect(relationsOf('event_attendees')[0]).toEqual(['pid,event_id,starts_at -> events(pid,event_id,starts_at)'])
  expect(relationsOf('webhooks')[0]).toEqual(['pid -> projects(pid)', 'optional'])
  expect(relationsOf('comment_files').map(([to]) => to)).toEqual([
    'pid,parent_id,cid -> post_comments(pid,post_id,cid)',
    'pid,parent_id,cid -> file_comments(pid,fid,cid)',
    'pid,parent_id,cid -> task_comments(pid,tid,cid)',
    'pid,fid -> files(pid,fid)',
    'pid,folder_id -> files(pid,fid)',
  ])
})
