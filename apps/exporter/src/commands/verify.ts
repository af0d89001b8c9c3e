import { defineCommand, EXIT, formatCount, UsageError } from '@collab-etl/cli'
import { locateBackup } from '../bag/locate.ts'
import { verifyBag } from '../bag/verify.ts'
import { reportVerify } from '../show/verify-report.ts'

export const verify = defineCommand({
  command: 'verify <backup>',
  describe: 'checks every file of a backup against its manifest',
  examples: [
    ['verify ./backups/latest', 'every byte of the latest backup'],
    ['verify ./backups --fast', 'the same one by numbers and sizes of files alone'],
  ],
  options: {
    backup: {
      type: 'string',
      demandOption: true,
      describe: 'a backup, or the directory that holds backups: its latest',
    },
    fast: { type: 'boolean', default: false, describe: 'numbers and sizes of files only' },
  },
  settings: [],
  async run({ stdout, progress, signal }, { backup: named, fast }) {
    const begun = performance.now()
    const path = await locateBackup(named)
    if (path === null) throw new UsageError(`${named} is no backup, and no directory with a latest one`)
    const line = progress.line(`checking ${path}`)
    const report = await verifyBag(path, {
      ...{ fast, signal },
      onProgress: (done, total) => line.update(`checking: ${formatCount(done)} of ${formatCount(total)} files`),
    })
    line.end()
    reportVerify(stdout, report, { path, fast, milliseconds: performance.now() - begun })
    return report.damage.length === 0 ? EXIT.ok : EXIT.damage
  },
})
