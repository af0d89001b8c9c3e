import { defineCommand } from '@collab-etl/cli'
import { checkAll } from '../check/check-all.ts'

const MARKS = { ok: 'ok     ', failed: 'FAILED ', unknown: '?      ' }

export const check = defineCommand({
  command: 'check',
  describe: 'tests token, service, database and schema version, and says how to fix what fails',
  examples: [['check', 'before the first snapshot, and after one that failed']],
  options: {},
  settings: ['service', 'warehouse'],
  async run(context) {
    const { checks, exitCode } = await checkAll(context)
    context.stdout.document({ ok: exitCode === 0, exit_code: exitCode, checks })
    for (const { name, status, message, advice } of checks) {
      const todo = advice === null ? '' : `${/[.?!]$/.test(message) ? '' : '.'} ${advice}`
      context.stdout.line(`${MARKS[status]}${name.padEnd(10)}${message}${todo}`)
    }
    return exitCode
  },
})
