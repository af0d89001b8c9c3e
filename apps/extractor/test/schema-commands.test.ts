import { randomUUID } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, onBackendsOfSlowTests } from './world.ts'

onBackendsOfSlowTests('docs', (open) => {
  let database: Database
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database[Symbol.asyncDispose]())

  test('the dictionary with the diagrams on stdout, and the same in files and JSON', async () => {
    const shown = await database.extract(['docs'])
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    expect(shown.stdout).toMatch(
      /^# Data dictionary\n\nSchema `collab`, version \d+\. .*\n\n\| object \| kind \| what it is \|\n/,
    )
    expect(shown.stdout).toContain('| `tasks` | table | Tasks, those of the task list and archived ones |')
    expect(shown.stdout).toContain('- `pid, tid` → `tasks(pid, tid)`')
    expect(shown.stdout.match(/`tasks_as_of/g)).toBeNull()

    const out = `${database.path}/docs`
    const saved = await database.extract(['docs', '--out', out])
    const files = [
      'data-dictionary.md',
      'erd.mmd',
      ...['tasks', 'documents', 'runs', 'views'].map((area) => `erd-${area}.mmd`),
    ]
    expect(saved).toMatchObject({ code: 0, stdout: files.map((file) => `Wrote ${out}/${file}\n`).join('') })
    expect(await readFile(`${out}/data-dictionary.md`, 'utf8')).toBe(shown.stdout)
    const diagram = await readFile(`${out}/erd.mmd`, 'utf8')
    const areas = await Promise.all(files.slice(2).map((file) => readFile(`${out}/${file}`, 'utf8')))
    for (const area of areas) expect(shown.stdout).toContain(`\`\`\`mermaid\n${area}\`\`\`\n`)
    const entities = (text: string) => text.match(/^ {2}".*" \{$/gm)?.sort() ?? []
    expect(areas.slice(0, 3).flatMap(entities).sort(), 'each table is in one area').toEqual(entities(diagram))
    expect(areas[3]).toMatch(/"fct_task_member" \}o--o\| "dim_user" : "uid"\n/)
    expect((await readdir(out)).sort()).toEqual(files.toSorted())

    const document = JSON.parse((await database.extract(['docs', '--json'])).stdout)
    expect(document).toMatchObject({ schema: 'collab', historySchema: 'collab_history', diagram, files: [] })
    expect(document.objects[0]).toMatchObject({ kind: 'table', name: 'projects' })
    expect(document.relations).toContainEqual(expect.objectContaining({ table: 'tasks', toTable: 'projects' }))
  })

  test('nowhere to write to: one line, exit 2', async () => {
    await writeFile(`${database.path}/file`, '')
    const ran = await database.extract(['docs', '--out', `${database.path}/file`])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(/^.*--out .* cannot be written to: it is a file, not a directory\n$/)
  })

  test('without a schema: what to do, exit 2', async () => {
    const ran = await database.extract(['docs', '--schema', 'nowhere'])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain('(init)')
  })
})

onBackendsOfSlowTests('init --grant-read', (open) => {
  const [first, second] = [`analyst "x" ${randomUUID()}`, `reports ${randomUUID()}`]
  const quoted = [first, second].map((role) => `"${role.replaceAll('"', '""')}"`)
  let database: Database
  beforeAll(async () => {
    database = await open()
    await database.script(quoted.map((role) => `CREATE ROLE ${role}`).join(';'))
  })
  afterAll(async () => {
    await database.script(`DROP OWNED BY ${quoted}; DROP ROLE ${quoted}`)
    await database[Symbol.asyncDispose]()
  })
  test('a role that does not exist: one line, exit 2, and no schema or right is made', async () => {
    const roles = ['--grant-read', first, '--grant-read', 'no such role']
    const ran = await database.extract(['init', '--schema', 'fresh', ...roles])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(/^.*there is no role "no such role" in .*CREATE ROLE.*\n$/)
    const { stdout } = await database.extract(['query', "SELECT to_regnamespace('fresh') IS NULL AS none", '--json'])
    expect(JSON.parse(stdout).rows).toEqual([[true]])
  })

  test('several roles, on a schema that is there as well', async () => {
    expect(await database.extract(['init', '--grant-read', first])).toMatchObject({ code: 0 })
    const ran = await database.extract(['init', '--grant-read', first, '--grant-read', second])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toContain(`The role ${first} may read it\nThe role ${second} may read it\n`)
    const sql = `SELECT rolname::text, has_table_privilege(oid, 'collab.tasks', 'SELECT'), has_table_privilege(oid, 'collab_history.tasks', 'SELECT'),
      has_table_privilege(oid, 'collab.tasks', 'INSERT') FROM pg_roles WHERE rolname IN ('${first}', '${second}') ORDER BY 1`
    expect(JSON.parse((await database.extract(['query', sql, '--json'])).stdout).rows).toEqual([
      [first, true, true, false],
      [second, true, true, false],
    ])
  })
})
