import { resolve } from 'node:path'
import { listBackups } from '@collab-etl/backups/repository'
import { defineCommand, EXIT } from '@collab-etl/cli'
import { beforeListing } from '../errors.ts'
import { reportList } from '../show/list-report.ts'
import { countProgress } from '../show/progress.ts'
import { SUMMARIES } from './summaries.ts'

export const list = defineCommand({
  ...SUMMARIES.list,
  examples: [
    ['list ./backups', 'the backups, oldest first'],
    ['list ./backups --json', 'for scripts: when each was last verified, its new data, its problems'],
  ],
  options: {
    directory: { type: 'string', demandOption: true, describe: 'directory that holds the backups' },
  },
  settings: [],
  async run({ stdout, progress, signal }, args) {
    const directory = resolve(args.directory)
    const line = progress.line('reading backups')
    const backups = await beforeListing(directory, () =>
      listBackups(directory, {
        signal,
        onProgress: countProgress(line, 'reading', 'backups'),
      }),
    )
    line.end()
    reportList(stdout, { directory, backups, now: new Date() })
    return EXIT.ok
  },
})
