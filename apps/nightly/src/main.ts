import { type FileKeys, packageVersion, runCli, SNAPSHOT_KEYS } from '@collab-etl/cli'
import { SUMMARIES } from './commands/summaries.ts'

/** Accepted as they are: the programs of the steps check them. */
const OF_STEPS: FileKeys = { links: (value) => value, service_hosts: (value) => value, ...SNAPSHOT_KEYS }

await runCli({
  name: 'collab-nightly',
  version: packageVersion(new URL('../package.json', import.meta.url)),
  summary: 'Reads every project into the warehouse, writes a backup, verifies it, and reports the outcome.',
  summaries: SUMMARIES,
  commands: {
    $0: async () => (await import('./commands/run.ts')).nightly,
    run: async () => (await import('./commands/run.ts')).run,
    trial: async () => (await import('./commands/trial.ts')).trial,
    drill: async () => (await import('./commands/drill.ts')).drill,
    report: async () => (await import('./commands/report.ts')).report,
    status: async () => (await import('./commands/status.ts')).status,
    config: async () => (await import('./commands/config.ts')).config,
  },
  fileKeys: { ...OF_STEPS, nightly: async (...of) => (await import('./config/read.ts')).readNightly(...of) },
})
