import { CliError, EXIT } from '@collab-etl/cli'
import type { Damage } from './damage.ts'

/** A backup that is not as it was written, found while it was read for something else than to verify it. */
export class DamagedBackup extends CliError {
  override readonly name = 'DamagedBackup'

  constructor(backup: string, { kind, path, detail }: Damage) {
    const found = `${kind} ${path}${detail === null ? '' : ` (${detail})`}`
    super(`${backup} is damaged: ${found}; collab-export verify lists all of it`, {
      exitCode: EXIT.damage,
      code: 'DAMAGED',
    })
  }
}
