import { runCli } from '@collab-etl/cli'
import { parseLinkPatterns } from '@collab-etl/core'
import { archive } from './commands/archive.ts'
import { backup } from './commands/backup.ts'
import { diff } from './commands/diff.ts'
import { list } from './commands/list.ts'
import { prune } from './commands/prune.ts'
import { restore } from './commands/restore.ts'
import { verify } from './commands/verify.ts'
import { toCliError } from './errors.ts'
import { VERSION } from './version.ts'

await runCli({
  name: 'collab-export',
  version: VERSION,
  summary: 'Writes the pages and posts of every project as Markdown and CSV, and proves that a backup is whole.',
  commands: [backup, archive, diff, verify, list, prune, restore],
  fileKeys: { links: parseLinkPatterns },
  mapError: toCliError,
})
