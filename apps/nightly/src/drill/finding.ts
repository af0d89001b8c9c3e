import { CliError, EXIT } from '@collab-etl/cli'

/** A reason for which the data could not be recovered as they were. */
export class Finding extends CliError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, { ...options, exitCode: EXIT.damage, code: 'DRILL' })
  }
}
