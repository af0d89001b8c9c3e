/** @module-tag thorough */

import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cleanEnvironment } from '@collab-etl/harness/commands'
import { freshDatabase } from '@collab-etl/harness/postgres'
import type { Sandbox } from '@collab-etl/sandbox'
import { expect } from 'vitest'
import { ask, serverForFaults } from '../database/server.ts'
import { fault } from '../support/fault.ts'
import type { Fixture } from '../support/fixture.ts'

/** Sets clipboard and title and clears the screen, in both notations of control sequences, and changes the text direction. */
const TERMINAL = '\u001b]52;c;b3duZWQ=\u0007\u001b]0;owned\u0007\u001b[2J\u009b2J\u202eowned\rover'
const SQL = 'x\'); DROP SCHEMA collab CASCADE; --"$$'
const FORMULA = '=HYPERLINK("http://127.0.0.1:9/"&A1,"look")'
const MARKUP = '<img src=x onerror=alert(1)><script>alert(2)</script>'
const TAG = '!!js/function "owned" # &a *a'
const shellOf = (fixture: Fixture) =>
  `$(touch ${fixture.path}/owned) \`touch ${fixture.path}/owned\`; touch ${fixture.path}/owned`
const UP = '../../../owned'

/** A service in which the given text is used for titles, ids and contents of one project. */
async function serviceOf(fixture: Fixture, text: string): Promise<Sandbox> {
  const sandbox = await fixture.startSandbox({ projects: 2, tasks: 3, archived: 1, pages: 3, posts: 2, events: 1 })
  const [pid = ''] = sandbox.pids
  sandbox.store.change(pid, (project) => {
    project.reference.name = text
    project.desc = text
    for (const task of project.tasks) Object.assign(task, { name: text, desc: text })
    for (const page of project.pages) Object.assign(page, { name: text, content: `${text}\n` })
    for (const { post } of project.posts) Object.assign(post, { name: text, content: `${text}\n` })
  })
  return sandbox
}

/** Adds a copy of the first project under another id. */
function addCopy(sandbox: Sandbox, pid: string): void {
  const [first = ''] = sandbox.pids
  const text = JSON.stringify(sandbox.store.project(first)).replaceAll(JSON.stringify(first), () => JSON.stringify(pid))
  sandbox.store.addProject(JSON.parse(text))
}

const BACKUP = ['backup', '--from', 'api', '--out', 'backups', '--format', 'markdown,csv,jsonl,html']

async function filesOf(folder: string, ending: string): Promise<string[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(ending))
  return await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
}

fault('titles with terminal control sequences', async (fixture) => {
  const sandbox = await serviceOf(fixture, TERMINAL)
  const [pid = '', other = ''] = sandbox.pids
  sandbox.faults.add({ kind: 'error', operation: 'pages.list', where: { pid }, errorCode: 120001, times: 'always' })
  const steps = [
    'collab-extract snapshot --retries 0',
    'collab-extract query "SELECT name FROM projects"',
    'collab-extract query "SELECT name FROM projects" --csv',
    'collab-extract query "SELECT name FROM projects" --json',
    'collab-export backup --from warehouse --out backups --format jsonl',
    `collab-export restore backups/latest --project ${pid} --to-project ${other} --dry-run`,
  ]
  await writeFile(join(fixture.path, 'steps.sh'), `${steps.join('\n')}\ntrue\n`)
  const settings = { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: fixture.token, COLLAB_DATA_DIR: 'data' }
  const shown = await promisify(execFile)('script', ['-qec', 'sh steps.sh', '/dev/null'], {
    cwd: fixture.path,
    env: { ...cleanEnvironment(), ...settings, COLLAB_LOG_LEVEL: 'trace', TERM: 'xterm' },
    maxBuffer: 2 ** 27,
  })
  fixture.alsoLookAt('the terminal', shown.stdout)
  expect(shown.stdout).toContain('owned')
  for (const sequence of ['\u001b]', '\u001b[2J', '\u0007', '\u009b', '\u202e', 'owned\rover']) {
    expect(shown.stdout.includes(sequence), JSON.stringify(sequence)).toBe(false)
  }
  return fixture.cured(await fixture.run('collab-export', ['verify', 'backups/latest']))
})

fault('titles, a project id and a schema name with SQL and shell commands', async (fixture) => {
  const text = `${SQL} ${shellOf(fixture)}`
  const sandbox = await serviceOf(fixture, text)
  addCopy(sandbox, SQL)
  const database = await freshDatabase(serverForFaults())
  const env = { COLLAB_BASE_URL: sandbox.baseUrl, DATABASE_URL: database.url }
  try {
    const ran = await fixture.run('collab-extract', ['snapshot', '--streams', 'projects,tasks'], { env })
    const stored = await ask(
      database.url,
      'SELECT DISTINCT name FROM collab.tasks WHERE pid IN (SELECT pid FROM collab.projects WHERE name = name) ORDER BY 1',
    )
    expect(stored.map(({ name }) => name)).toContain(text)
    expect(await ask(database.url, 'SELECT pid FROM collab.projects')).toContainEqual({ pid: SQL })
    for (const schema of [SQL, 'collab; DROP SCHEMA collab CASCADE', '$(touch owned)']) {
      expect((await fixture.run('collab-extract', ['init', '--schema', schema], { env })).code).toBe(2)
    }
    expect(await readdir(fixture.path)).toEqual([])
    await fixture.lookAtDatabase(database.url)
    return fixture.cured(ran)
  } finally {
    await database.drop()
  }
})

fault('titles and a project id with parent directories', async (fixture) => {
  const sandbox = await serviceOf(fixture, UP)
  addCopy(sandbox, UP)
  const ran = await fixture.run('collab-export', BACKUP, { env: { COLLAB_BASE_URL: sandbox.baseUrl } })
  expect(await readdir(fixture.path)).toEqual(['backups'])
  expect(
    (await readdir(join(fixture.path, 'backups'))).filter((name) => !/^(?:\d{8}T\d{6}Z|latest|\..*)$/.test(name)),
  ).toEqual([])
  expect((await fixture.run('collab-export', ['verify', 'backups/latest'])).code).toBe(0)
  return fixture.cured(ran)
})

fault('titles that are formulas, scripts, YAML tags', async (fixture) => {
  const sandbox = await serviceOf(fixture, [FORMULA, MARKUP, TAG].join(' '))
  const env = { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_DATA_DIR: 'data' }
  const ran = await fixture.run('collab-export', BACKUP, { env })
  const data = join(fixture.path, 'backups/latest/data')
  for (const csv of await filesOf(join(data, 'csv'), '.csv')) expect(csv).not.toMatch(/(?:^|,)"?=HYPERLINK/m)
  const pages = await filesOf(join(data, 'html'), '.html')
  expect(pages.some((page) => page.includes('HYPERLINK'))).toBe(true)
  // Text between quotes is the value of an attribute; quotes in texts are entities.
  for (const page of pages)
    expect(page.replaceAll(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*onerror\s*=|<script[^>]*>\s*alert|<img src=["']?x/i)
  const documents = (await filesOf(join(data, 'markdown'), '.md')).filter((text) => text.startsWith('---\n'))
  expect(documents.length).toBeGreaterThan(0)
  for (const text of documents) expect(text.split('\n---\n')[0]).not.toMatch(/^\w+: !!/m)
  return fixture.cured(ran)
})

/** A formula after invisible characters: a direction mark or override, a control, a soft hyphen; and after another separator. */
const HIDDEN = ['\u200e', '\u202e', '\u0085', '\u00ad', '\u0001', 'text;', 'text\t'].map((start) => `${start}=1+1`)

fault('formulas behind direction marks, controls, other separators', async (fixture) => {
  const sandbox = await fixture.startSandbox({ projects: 2, tasks: 1, archived: 0, pages: 30, posts: 0 })
  const [pid = '', target = ''] = sandbox.pids
  sandbox.store.change(pid, ({ pages }) => {
    for (const [index, page] of pages.entries())
      Object.assign(page, { name: HIDDEN[index % HIDDEN.length], parent_id: '' })
  })
  const env = { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_DATA_DIR: 'data' }
  await fixture.run('collab-extract', ['snapshot'], { env })
  const query = await fixture.run('collab-extract', ['query', 'SELECT name FROM pages', '--csv', '--allow-superuser'], {
    env,
  })
  const backup = ['backup', '--out', 'backups', '--format', 'csv', '--project', pid]
  expect((await fixture.run('collab-export', backup, { env })).code).toBe(0)
  const files = [query.stdout, ...(await filesOf(join(fixture.path, 'backups/latest/data/csv'), '.csv'))]
  for (const csv of files) expect(csv).not.toMatch(/(?:^|,)"?[^\P{C}\r\n]*=1|(?:^|,)text[;\t]/mu)
  const before = new Set(sandbox.store.truth(target).pages.map(({ page_id }) => page_id))
  const ran = await fixture.run('collab-export', ['restore', 'backups', '--to-project', target], { env })
  const created = sandbox.store.truth(target).pages.filter(({ page_id }) => !before.has(page_id))
  expect(new Set(created.map(({ name }) => name))).toEqual(new Set(HIDDEN))
  return fixture.cured(ran)
})
