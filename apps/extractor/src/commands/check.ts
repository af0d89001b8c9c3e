import { type Context, defineCommand, EXIT, type ExitCode } from '@collab-etl/cli'
import type { Check } from '../check/check.ts'
import { checkOffers, offersTable } from '../check/check-offers.ts'
import { checkService } from '../check/check-service.ts'
import { checkWarehouse } from '../check/check-warehouse.ts'
import { SUMMARIES } from './summaries.ts'

const MARKS = { ok: 'ok     ', failed: 'FAILED ', unknown: '?      ' }

/** Checks without which the service cannot be read. */
const OF_SERVICE = ['token', 'service']

export const check = defineCommand({
  ...SUMMARIES.check,
  examples: [['check', 'before the first snapshot, and after one that failed']],
  options: {},
  settings: ['service', 'warehouse'],
  async run(context) {
    const { checks, exitCode } = await checkAll(context)
    const isReadable = OF_SERVICE.every((of) => checks.some(({ name, status }) => name === of && status === 'ok'))
    const offers = isReadable ? await checkOffers(context) : null
    context.stdout.document({ ok: exitCode === 0, exit_code: exitCode, checks, offers })
    for (const { name, status, message, advice } of checks) {
      const todo = advice === null ? '' : `${/[.?!]$/.test(message) ? '' : '.'} ${advice}`
      context.stdout.line(`${MARKS[status]}${name.padEnd(10)}${message}${todo}`)
    }
    if (offers !== null) context.stdout.line(`\n${offersTable(offers, context.stdout.columns)}`)
    return exitCode
  },
})

/** Looks at all that a snapshot needs, without changing anything. The exit code is that of the first failure. */
export async function checkAll(context: Context): Promise<{ checks: Check[]; exitCode: ExitCode }> {
  const outcomes = [...(await checkService(context)), ...(await checkWarehouse(context))]
  const exitCode = outcomes.find((outcome) => outcome.exitCode !== EXIT.ok)?.exitCode ?? EXIT.ok
  return { checks: outcomes.map((outcome) => outcome.check), exitCode }
}
