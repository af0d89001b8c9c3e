import { resolve } from 'node:path'
import { defineCommand, EXIT, formatCount } from '@collab-etl/cli'
import { beforeListing } from '../errors.ts'
import { listBackups } from '../repository/list-backups.ts'
import { reportList } from '../show/list-report.ts'

export const list = defineCommand({
  command: 'list <directory>',
  describe: 'shows the backups of a directory: size, new bytes, age, state',
  examples: [
    ['list ./backups', 'the oldest first'],
    ['list ./backups --json', 'for scripts: when each was last verified, what is new in it, what is wrong with it'],
  ],
  options: {
    directory: { type: 'string', demandOption: true, describe: 'where backups lie' },
  },
  settings: [],
  async run({ stdout, progress, signal }, args) {
    const directory = resolve(args.directory)
    const line = progress.line('looking at backups')
    const backups = await beforeListing(directory, () =>
      listBackups(directory, {
        signal,
        onProgress: (done, total) =>
          line.update(() => `looking: ${formatCount(done)} of ${formatCount(total)} backups`),
      }),
    )
    line.end()
    reportList(stdout, { directory, backups, now: new Date() })
    return EXIT.ok
  },
})
