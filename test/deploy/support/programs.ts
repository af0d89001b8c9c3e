import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The repository's `deploy`. */
export const DEPLOY = join(import.meta.dirname, '../../../deploy')

/** Why a test is skipped whose program `ran` did not find. */
export const NOT_INSTALLED = 'its program is not installed'

/** Runs a program that not every machine has. Its output; `null`: it is not installed here. @throws if it fails */
export async function ran(
  program: string,
  args: readonly string[],
  cwd = DEPLOY,
  variables: Readonly<Record<string, string>> = {},
): Promise<string | null> {
  try {
    // Debian keeps some of them where only root looks
    const env = { ...process.env, ...variables, PATH: `${process.env['PATH']}:/usr/sbin:/sbin` }
    const { stdout, stderr } = await promisify(execFile)(program, args, { cwd, env })
    return stdout + stderr
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
