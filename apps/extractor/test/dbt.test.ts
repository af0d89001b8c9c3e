import { readdir, readFile, writeFile } from 'node:fs/promises'
import { Environment, Template } from 'nunjucks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { described } from '../src/dbt/sources.ts'
import { type Database, onBackendsOfSlowTests } from './world.ts'

/** As much of dbt's own context as the package uses; relations are in the schemas `collab` and `dbt`. */
const CONTEXT = {
  source: (_name: string, table: string) => `"collab"."${table}"`,
  ref: (model: string) => `"dbt"."${model}"`,
  var: (name: string) => name,
}

/** dbt's templates are Jinja's; a block of a test is a macro whose name has a prefix. */
function rendered(text: string, context: Record<string, unknown> = {}): string {
  const environment = new Environment(null, { autoescape: false, throwOnUndefined: true })
  return new Template(text, environment, '', true).render({ ...CONTEXT, ...context })
}

interface DataTest {
  readonly [name: string]: { readonly arguments: Readonly<Record<string, unknown>> }
}

interface Model {
  readonly name: string
  readonly data_tests: readonly DataTest[]
  readonly columns: readonly { readonly name: string; readonly data_tests?: readonly string[] }[]
}

onBackendsOfSlowTests('dbt', (open) => {
  let database: Database
  let out: string
  const file = (path: string) => readFile(`${out}/${path}`, 'utf8')
  beforeAll(async () => {
    database = await open()
    out = `${database.path}/package`
    const ran = await database.extract(['dbt', '--out', out])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
  })
  afterAll(() => database[Symbol.asyncDispose]())

  /** The query of one data test on a model, as dbt would run it. */
  async function queryOf(
    model: string,
    [name = '', { arguments: given }]: [string, DataTest[string]],
  ): Promise<string> {
    const body = (await file(`tests/generic/${name}.sql`)).replace(/\{% (end)?test .*%\}/g, '')
    // dbt renders an argument that is a call of ref
    const ready = Object.entries(given).map(([key, value]) => [
      key,
      typeof value === 'string' ? rendered(`{{ ${value} }}`) : value,
    ])
    return rendered(body, { model: CONTEXT.ref(model), ...Object.fromEntries(ready) })
  }

  test('every model and every test of the package runs, and finds a row without its parent', async () => {
    const { models } = parse(await file('models/staging/staging.yml')) as { models: readonly Model[] }
    expect(models.length).toBe((await readdir(`${out}/models/staging`)).length - 1)
    await database.script(`CREATE SCHEMA dbt;
      INSERT INTO collab.tasks (pid, tid, name, valid_from) VALUES ('no such project', 't', 'lost', now());
      INSERT INTO collab.projects (pid, name, valid_from, deleted_at) VALUES ('no such project', 'deleted', now(), now())`)
    const queries: string[] = []
    for (const { name, data_tests, columns } of models) {
      await database.script(`CREATE VIEW dbt.${name} AS ${rendered(await file(`models/staging/${name}.sql`))}`)
      for (const check of data_tests) {
        for (const entry of Object.entries(check)) queries.push(`-- ${name}\n${await queryOf(name, entry)}`)
      }
      for (const column of columns) {
        for (const _ of column.data_tests ?? []) queries.push(`SELECT 1 FROM dbt.${name} WHERE ${column.name} IS NULL`)
      }
    }
    const failures = queries.map((query, at) => `SELECT ${at} AS test, count(*)::integer AS rows FROM (${query}\n) q`)
    const ran = await database.extract([
      ...['query', `SELECT test FROM (${failures.join(' UNION ALL ')}) t WHERE rows > 0`, '--json'],
    ])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const failed = (JSON.parse(ran.stdout).rows as number[][]).map(([at]) => queries[at ?? 0])
    expect(failed).toEqual([expect.stringMatching(/^-- stg_collab__tasks\n[\s\S]*"stg_collab__projects" as found/)])
  })

  test('the source has every table and view of the schema, and freshness from the run log', async () => {
    const { sources } = parse(await file('models/sources.yml'))
    const [source] = sources
    const { objects } = JSON.parse((await database.extract(['docs', '--json'])).stdout)
    const own = objects.filter(({ schema, kind }: Record<string, string>) => schema === 'collab' && kind !== 'function')
    expect(source.tables.map(({ name }: { name: string }) => name)).toEqual(
      own.map(({ name }: { name: string }) => name),
    )
    const fresh = source.tables.filter(({ config }: { config?: unknown }) => config !== undefined)
    expect(fresh.map(({ name }: { name: string }) => name)).toEqual(['runs'])
    expect(fresh[0].config).toMatchObject({
      loaded_at_field: 'finished_at',
      freshness: { warn_after: { period: 'hour' } },
    })
    const { config, columns } = fresh[0]
    expect(columns.map(({ name }: { name: string }) => name)).toContain(config.loaded_at_field)
    const filtered = await database.extract(['query', `SELECT 1 FROM collab.runs WHERE ${config.freshness.filter}`])
    expect(filtered).toMatchObject({ code: 0 })
  })

  test('writes its own files again, and leaves a directory with a file of somebody else unchanged', async () => {
    expect(await database.extract(['dbt', '--out', out])).toMatchObject({ code: 0 })
    const path = `${database.path}/mine`
    expect(await database.extract(['dbt', '--out', path])).toMatchObject({ code: 0 })
    await writeFile(`${path}/models/sources.yml`, 'mine')
    const ran = await database.extract(['dbt', '--out', path])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(/^.*models\/sources\.yml was not written by this command; .*\n$/)
    expect(await readFile(`${path}/models/sources.yml`, 'utf8')).toBe('mine')
  })
})

test('no comment of a database becomes a template', () => {
  for (const comment of ['{{ env_var("SECRET") }}', '{% raw %}', '{# note #}', '{{{ x }}}', '{', '}', null]) {
    const description = described(comment)
    expect(rendered(description)).toBe(description)
    expect(description.replaceAll(' ', '')).toBe((comment ?? '').replaceAll(' ', ''))
  }
})
