import { NIGHTLY_KEY, packageVersion, runCli, SNAPSHOT_KEYS } from '@collab-etl/cli'
import { SUMMARIES } from './commands/summaries.ts'
import { toCliError } from './errors.ts'

await runCli({
  name: 'collab-export',
  version: packageVersion(new URL('../package.json', import.meta.url)),
  summary:
    'Writes, verifies, compares, shows, archives, converts, prunes and restores backups as Markdown, HTML, CSV and JSON lines.',
  summaries: SUMMARIES,
  commands: {
    backup: async () => (await import('./commands/backup.ts')).backup,
    archive: async () => (await import('./commands/archive.ts')).archive,
    diff: async () => (await import('./commands/diff.ts')).diff,
    verify: async () => (await import('./commands/verify.ts')).verify,
    view: async () => (await import('./commands/view.ts')).view,
    convert: async () => (await import('./commands/convert.ts')).convert,
    list: async () => (await import('./commands/list.ts')).list,
    prune: async () => (await import('./commands/prune.ts')).prune,
    restore: async () => (await import('./commands/restore.ts')).restore,
  },
  fileKeys: {
    links: async (value) => (await import('@collab-etl/core/links')).parseLinkPatterns(value),
    service_hosts: async (value) => (await import('@collab-etl/core/links')).parseServiceHosts(value),
    ...SNAPSHOT_KEYS,
    ...NIGHTLY_KEY,
  },
  openTokens: async (...of) => (await import('@collab-etl/core/auth')).openTokens(...of),
  mapError: toCliError,
})
