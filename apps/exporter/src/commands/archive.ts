import { realpath } from 'node:fs/promises'
import { locateBackup, refuseForeignBag } from '@collab-etl/backups'
import { ARCHIVE_FORMATS } from '@collab-etl/bagit/archive'
import { defineCommand, EXIT, plainText, UsageError } from '@collab-etl/cli'
import { archiveDocument, showArchive } from '../show/archive-report.ts'
import { archiveBag } from './archive-backup.ts'
import { ENCRYPT_OPTIONS, planArchive } from './archive-flags.ts'
import { SUMMARIES } from './summaries.ts'

export const archive = defineCommand({
  ...SUMMARIES.archive,
  examples: [
    ['archive ./backups --as tar.zst', 'the latest backup, into a file next to it'],
    ['archive ./backups/latest --as zip --out /mnt/usb/collab.zip', 'a file that desktops can open'],
    ['archive ./backups --as tar.gz --encrypt age1…', 'a file that only the holder of that key can open'],
  ],
  options: {
    backup: {
      type: 'string',
      demandOption: true,
      describe: 'a backup, or the directory that holds backups: its latest',
    },
    as: {
      type: 'string',
      values: ARCHIVE_FORMATS,
      demandOption: true,
      describe: 'tar.gz|tar.zst|zip  format of the file',
    },
    out: { type: 'string', describe: 'FILE  the archive [default: next to the backup, with its name]' },
    ...ENCRYPT_OPTIONS,
  },
  settings: [],
  async run(context, { backup: named, as, out, ...flags }) {
    const { stdout } = context
    const begun = performance.now()
    const plan = await planArchive('--as', as, flags)
    const located = await locateBackup(named)
    if (plan === null || located === null) {
      throw new UsageError(`${named} is neither a backup nor a directory with a latest backup`)
    }
    await refuseForeignBag(located, named)
    // `latest` is a link; the archive has the name of the backup itself.
    const bag = await realpath(located)
    const shown = await archiveBag(context, bag, plan, out)
    const duration_ms = Math.round(performance.now() - begun)
    stdout.document({ backup: bag, ...archiveDocument(shown), duration_ms })
    stdout.line(`${stdout.bold('Archived')}: ${plainText(bag)}`)
    showArchive(stdout, shown)
    return EXIT.ok
  },
})
