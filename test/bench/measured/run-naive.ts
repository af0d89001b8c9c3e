import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SCHEMAS } from '../postgres/database.ts'
import { pidOf, TOKEN } from '../source/world.ts'

/** Milliseconds of the simple script for the tasks of the first project, from connecting to the commit, in a process. */
export async function runNaive(service: string, database: string): Promise<number> {
  const program = join(import.meta.dirname, 'naive.ts')
  const args = [program, service, TOKEN, pidOf(0), SCHEMAS.naive]
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, DATABASE_URL: database },
  })
  return Number(stdout)
}
