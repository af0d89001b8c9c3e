import { expect, test } from 'vitest'
import { migrate, supportedVersion } from '../src/migrate/migrate.ts'
import { schemaNames } from '../src/names.ts'
import { DriverWarehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { comment, file, page, post } from './support/records.ts'
import { batch, live, snapshot } from './support/snapshot.ts'

/** The version before attached files were distinguished by the post or file of their comment. */
const BEFORE = 8

onBackendsInTurn('an upgrade', (backend) => {
  async function upgraded(fill: (schema: string) => string): Promise<DriverWarehouse> {
    const names = schemaNames(backend.schema())
    await migrate(backend.driver, names, BEFORE)
    await backend.driver.script(fill(names.name))
    const warehouse = new DriverWarehouse(backend.driver, names, await supportedVersion())
    await warehouse.migrate()
    return warehouse
  }

  test('gives attached files to each comment of their id, and keeps added objects', async () => {
    const [past, now] = ["'2024-01-01Z'", "'2024-06-01Z'"]
    const warehouse = await upgraded(
      (schema) => `
      ALTER TABLE ${schema}.comment_files ADD COLUMN note text;
      CREATE VIEW ${schema}.theirs AS SELECT cid, fid, note FROM ${schema}.comment_files;
      CREATE VIEW ${schema}.then AS SELECT fid FROM ${schema}.comment_files_as_of('2024-03-01Z');
      INSERT INTO ${schema}.post_comments (pid, post_id, cid, valid_from, deleted_at)
        VALUES ('p1', 's1', 'c1', ${past}, NULL), ('p1', 's2', 'c1', ${past}, NULL), ('p1', 's3', 'c2', ${past}, ${now});
      INSERT INTO ${schema}.file_comments (pid, fid, cid, valid_from) VALUES ('p1', 'f1', 'c1', ${past}), ('p1', 'f1', 'c2', ${now});
      INSERT INTO ${schema}_history.post_comments (pid, post_id, cid, valid_from, valid_to) VALUES ('p1', 's3', 'c2', ${past}, ${now});
      INSERT INTO ${schema}.comment_files (pid, cid, fid, name, valid_from, deleted_at, note)
        VALUES ('p1', 'c1', 'x1', 'a', ${past}, NULL, 'theirs'), ('p1', 'c2', 'x2', 'b', ${past}, NULL, NULL), ('p1', 'c3', 'x3', 'c', ${past}, NULL, NULL);
      INSERT INTO ${schema}_history.comment_files (pid, cid, fid, name, valid_from, valid_to)
        VALUES ('p1', 'c2', 'x2', 'old', '2024-02-01Z', ${now}), ('p1', 'c9', 'x9', 'nowhere', ${past}, ${now});`,
    )
    const { schema } = warehouse
    const rows = async (sql: string) => (await backend.driver.query(sql)).rows
    expect(await live(warehouse, 'comment_files', ['parent_kind', 'parent_id', 'cid', 'fid', 'name'])).toEqual([
      { parent_kind: 'file', parent_id: 'f1', cid: 'c1', fid: 'x1', name: 'a' },
      { parent_kind: 'file', parent_id: 'f1', cid: 'c2', fid: 'x2', name: 'b' },
      { parent_kind: 'post', parent_id: '', cid: 'c3', fid: 'x3', name: 'c' },
      { parent_kind: 'post', parent_id: 's1', cid: 'c1', fid: 'x1', name: 'a' },
      { parent_kind: 'post', parent_id: 's2', cid: 'c1', fid: 'x1', name: 'a' },
    ])
    expect(
      await rows(`SELECT parent_kind, parent_id, cid, fid FROM ${schema}_history.comment_files ORDER BY 3`),
    ).toEqual([
      ['post', 's3', 'c2', 'x2'],
      ['post', '', 'c9', 'x9'],
    ])
    expect(await rows(`SELECT fid FROM ${schema}.theirs WHERE note = 'theirs'`)).toEqual([['x1']])
    expect((await rows(`SELECT DISTINCT fid FROM ${schema}.then ORDER BY 1`)).flat()).toEqual(['x1', 'x2', 'x3', 'x9'])
    const attached = {
      batches: [batch('post', [post('s1')]), batch('post_comment', [{ post_id: 's1', comment: comment('c1') }])],
    }
    const { tables } = await snapshot(warehouse, { posts: attached, files: { batches: [batch('file', [file('f1')])] } })
    // those of the comment that was read, and those of the file's comments, which were not in its list
    expect(tables['comment_files']?.deleted).toBe(3)
  })

  test('moves a superseded version of the same time out of the way of the next', async () => {
    const warehouse = await upgraded(
      (schema) => `
      INSERT INTO ${schema}.pages (pid, page_id, name, valid_from) VALUES ('p1', 'g1', 'by somebody else', '2024-01-01Z');
      INSERT INTO ${schema}_history.pages (pid, page_id, name, valid_from, valid_to) VALUES ('p1', 'g1', 'old', '2024-01-01Z', '2024-06-01Z');`,
    )
    await snapshot(warehouse, { pages: { batches: [batch('page', [page('g1', { name: 'new' })])] } })
    const { rows } = await backend.driver.query(
      `SELECT name, valid_from FROM ${warehouse.schema}.page_versions ORDER BY valid_from`,
    )
    expect(rows.map(([name, from]) => [name, String(from).slice(0, 7)])).toEqual([
      ['old', '2024-01'],
      ['by somebody else', '2024-06'],
      ['new', new Date().toISOString().slice(0, 7)],
    ])
  })
})

onBackendsInTurn('a column that somebody adds', (backend) => {
  test('breaks no function, no view and no run', async () => {
    const warehouse = await backend.another()
    const { schema } = warehouse
    const input = (name: string) => ({ pages: { batches: [batch('page', [page('g1', { name }), page('g2')])] } })
    await snapshot(warehouse, input('old'))
    await backend.driver.script(
      `ALTER TABLE ${schema}.pages ADD COLUMN moment timestamptz DEFAULT '2000-01-01Z', ADD COLUMN _at text;
       ALTER TABLE ${schema}_history.pages ADD COLUMN note text`,
    )
    await snapshot(warehouse, input('new'))
    const asOf = await backend.driver.query(`SELECT * FROM ${schema}.pages_as_of(now()) ORDER BY page_id`)
    expect(asOf.rows).toHaveLength(2)
    expect(asOf.columns).not.toContain('record_hash')
    const versions = await backend.driver.query(
      `SELECT name FROM ${schema}.page_versions WHERE page_id = 'g1' ORDER BY 1`,
    )
    expect(versions.rows.flat()).toEqual(['new', 'old'])
    expect((await live(warehouse, 'pages')).map(({ name }) => name)).toEqual(['new', 'Page g2'])
  })
})
