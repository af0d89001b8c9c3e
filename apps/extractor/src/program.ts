import { NIGHTLY_KEY, type Program, packageVersion } from '@collab-etl/cli'
import { SUMMARIES } from './commands/summaries.ts'
import { toCliError } from './errors.ts'
import { REFRESH_KEYS } from './snapshot/refresh-policy.ts'

/** The program `collab-extract`. A command is loaded only when it runs. */
export const PROGRAM: Program = {
  name: 'collab-extract',
  version: packageVersion(new URL('../package.json', import.meta.url)),
  summary: 'Reads every project of the service into a warehouse, and reports what it read and what is incomplete.',
  summaries: SUMMARIES,
  commands: {
    snapshot: async () => (await import('./commands/snapshot.ts')).snapshot,
    worker: async () => (await import('./commands/worker.ts')).worker,
    workers: async () => (await import('./commands/workers.ts')).workers,
    compare: async () => (await import('./commands/compare.ts')).compare,
    verify: async () => (await import('./commands/compare.ts')).verify,
    login: async () => (await import('./commands/login.ts')).login,
    projects: async () => (await import('./commands/projects.ts')).projects,
    check: async () => (await import('./commands/check.ts')).check,
    runs: async () => (await import('./commands/runs.ts')).runs,
    accept: async () => (await import('./commands/accept.ts')).accept,
    load: async () => (await import('./commands/load.ts')).load,
    init: async () => (await import('./commands/init.ts')).init,
    move: async () => (await import('./commands/move.ts')).move,
    query: async () => (await import('./commands/query.ts')).query,
    changes: async () => (await import('./commands/changes.ts')).changes,
    docs: async () => (await import('./commands/docs.ts')).docs,
    dbt: async () => (await import('./commands/dbt.ts')).dbt,
    export: async () => (await import('./commands/export.ts')).exportCommand,
  },
  fileKeys: {
    links: async (value) => (await import('@collab-etl/core/links')).parseLinkPatterns(value),
    service_hosts: async (value) => (await import('@collab-etl/core/links')).parseServiceHosts(value),
    ...REFRESH_KEYS,
    ...NIGHTLY_KEY,
  },
  openTokens: async (...of) => (await import('@collab-etl/core/auth')).openTokens(...of),
  mapError: toCliError,
}
