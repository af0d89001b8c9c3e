import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratchDirectory } from '@collab-etl/harness/commands'
import { ran } from './programs.ts'

/**
 * The compiler's errors in a module that may import what the tests may. A value that is written out in it must have no field that its type does
 * not know: so files are checked for which only types are published, or whose JSON Schema allows any field.
 */
export async function typeErrors(lines: readonly string[]): Promise<string[]> {
  await using scratch = await scratchDirectory()
  await symlink(join(import.meta.dirname, '../../node_modules'), join(scratch.path, 'node_modules'))
  await writeFile(join(scratch.path, 'checked.mts'), lines.join('\n'))
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2024', '--module', 'nodenext', '--types', '']
  const compiler = join(import.meta.dirname, '../../../node_modules/.bin/tsc')
  try {
    const printed = await ran(compiler, [...flags, 'checked.mts'], scratch.path)
    if (printed === null) throw new Error(`${compiler} is missing`)
    return printed.split('\n').filter(Boolean)
  } catch (error) {
    if (error instanceof Error && 'stdout' in error) return String(error.stdout).trim().split('\n')
    throw error
  }
}
