import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { startSandbox } from '@collab-etl/sandbox'
import { PGlite } from '@electric-sql/pglite'
import { pgDump } from '@electric-sql/pglite-tools/pg_dump'
import { cleanEnvironment } from '../harness/commands.ts'
import { change, prepare, SIZES } from './service.ts'

// Makes the fixture of a release, with which upgrade.test.ts tests every later version:
//   node test/upgrade/make-release.ts VERSION [--bin DIRECTORY]
// --bin: directory with the programs of the release; default: those of this checkout, built.

const ROOT = join(import.meta.dirname, '../..')
const {
  values: { bin },
  positionals: [version],
} = parseArgs({
  allowPositionals: true,
  options: { bin: { type: 'string', default: join(ROOT, 'node_modules/.bin') } },
})
if (version === undefined || !/^(?:\d+\.\d+\.\d+|next)$/.test(version))
  throw new Error('name the version, such as 0.2.0, or "next" for one that is not released yet')

const target = join(import.meta.dirname, 'releases', version)
const scratch = await mkdtemp(join(tmpdir(), 'collab-release-'))
const service = join(scratch, 'service.json')
const sandbox = await startSandbox({ ...SIZES, save: service })
const env = { ...cleanEnvironment(), COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token }
delete (env as Record<string, string>)['NODE_COMPILE_CACHE']

/** Runs a program of the release; fails unless it ends with one of the exit codes. */
async function run(program: string, args: readonly string[], codes = [0]): Promise<void> {
  const words = [join(resolve(bin), program), ...args]
  const code = await promisify(execFile)(words[0] ?? '', words.slice(1), { cwd: scratch, env }).then(
    () => 0,
    (error: { code: number; stderr: string }) => {
      if (codes.includes(error.code)) return error.code
      throw new Error(`${words.join(' ')} ended with ${error.code}: ${error.stderr}`)
    },
  )
  process.stdout.write(`${program} ${args[0]}: exit code ${code}\n`)
}

try {
  prepare(sandbox)
  await run('collab-extract', ['snapshot', '--data-dir', 'data'])
  change(sandbox)
  sandbox.faults.add({ kind: 'http', status: 500, operation: 'posts.get', times: 'always' })
  await run('collab-extract', ['snapshot', '--data-dir', 'data', '--retries', '0'], [3])
  sandbox.faults.clear()
  await run('collab-extract', ['snapshot', '--data-dir', 'data'])
  const formats = ['--format', 'markdown,csv,html,jsonl']
  await run('collab-export', ['backup', '--data-dir', 'data', '--from', 'warehouse', '--out', 'backups', ...formats])
  await run('collab-export', ['archive', 'backups', '--as', 'tar.gz', '--out', 'backup.tar.gz'])
  await sandbox.close()
  await rm(target, { recursive: true, force: true })
  await mkdir(target, { recursive: true })
  await writeFile(join(target, 'warehouse.sql'), await dump(join(scratch, 'data/warehouse')))
  await cp(join(scratch, 'backup.tar.gz'), join(target, 'backup.tar.gz'))
  await cp(service, join(target, 'service.json'))
  process.stdout.write(`Written to ${target}\n`)
} finally {
  await rm(scratch, { recursive: true, force: true })
}

/** Schema and rows as SQL that every supported version of Postgres reads. */
async function dump(directory: string): Promise<string> {
  await using database = await PGlite.create(directory)
  const schemas = ['--schema=collab', '--schema=collab_history']
  const file = await pgDump({ pg: database, args: ['--inserts', '--no-owner', '--no-privileges', ...schemas] })
  // the first two are not SQL, but commands of psql; the third does not exist before Postgres 17
  return (await file.text())
    .replace(/^\\restrict .*\n/m, '')
    .replace(/\n\\unrestrict .*\n*$/, '\n')
    .replace(/^SET transaction_timeout = 0;\n/m, '')
}
