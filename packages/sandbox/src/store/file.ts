import { open, readFile, rename, rm } from 'node:fs/promises'
import { User, Webhook } from '@collab-etl/contract'
import { parseExactJson } from '@collab-etl/contract/exact-json'
import Type from 'typebox'
import { Value } from 'typebox/value'
import { type Packed, packProject, StateFileError, unpack } from './packed.ts'
import type { Frozen, State } from './state.ts'

const Header = Type.Object({
  format: Type.Literal('collab-sandbox'),
  version: Type.Literal(1),
  seed: Type.String(),
  sequence: Type.Integer(),
  caller: Type.String(),
  users: Type.Array(User),
  personal_webhooks: Type.Array(Webhook),
  projects: Type.Array(Type.Unknown()),
})

/** Writes the state as JSON, one project per line, and renames the file when it is complete. */
export async function saveState(state: Frozen<State>, path: string): Promise<void> {
  const unfinished = `${path}.${process.pid}.tmp`
  try {
    const file = await open(unfinished, 'w', 0o600)
    try {
      const users: ReadonlySet<unknown> = new Set(state.users)
      const { seed, sequence, personal_webhooks } = state
      const header: Omit<Frozen<Packed>, 'projects'> = {
        format: 'collab-sandbox',
        version: 1,
        seed,
        sequence,
        caller: state.caller.uid,
        users: state.users,
        personal_webhooks,
      }
      await file.writeFile(`${JSON.stringify(header).slice(0, -1)},"projects":[`)
      for (const [index, project] of state.projects.entries()) {
        await file.writeFile(`${index === 0 ? '' : ','}\n${packProject(project, users)}`)
      }
      await file.writeFile('\n]}\n')
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}

/**
 * Reads a saved state.
 *
 * @throws StateFileError if the file cannot be read or is not a saved state
 */
export async function loadState(path: string): Promise<State> {
  try {
    const parsed: unknown = parseExactJson(await readFile(path, 'utf8'))
    if (Value.Check(Header, parsed)) return unpack(parsed)
    const [error] = Value.Errors(Header, parsed)
    throw new StateFileError(`${error?.instancePath || 'the file'} ${error?.message ?? 'is invalid'}`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StateFileError(`cannot load the state of a sandbox from ${path}: ${reason}`, { cause: error })
  }
}
