import { type Context, EXIT, type ExitCode } from '@collab-etl/cli'
import type { Check } from './check.ts'
import { checkService } from './check-service.ts'
import { checkWarehouse } from './check-warehouse.ts'

/** Looks at all that a snapshot needs, without changing anything. The exit code is that of the first failure. */
export async function checkAll(context: Context): Promise<{ checks: Check[]; exitCode: ExitCode }> {
  const outcomes = [...(await checkService(context)), ...(await checkWarehouse(context))]
  const exitCode = outcomes.find((outcome) => outcome.exitCode !== EXIT.ok)?.exitCode ?? EXIT.ok
  return { checks: outcomes.map((outcome) => outcome.check), exitCode }
}
