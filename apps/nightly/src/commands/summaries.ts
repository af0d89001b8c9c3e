import type { CommandSummary } from '@collab-etl/cli'

/** What the help of the program says about its commands: here, so that the help loads none of them. */
export const SUMMARIES = {
  run: {
    command: 'run',
    describe: 'reads every project, writes a backup, verifies it, and does the other steps of nightly: in collab.yaml',
  },
  trial: {
    command: 'trial',
    describe:
      'runs the job on sample data: starts a sample service on this machine, and keeps all files below ./collab-sample',
  },
  drill: {
    command: 'drill',
    describe:
      'practises recovery from the newest archive or backup: verifies it, loads it into a temporary warehouse, compares it, and restores a project into a sandbox; the service is not called',
  },
  report: {
    command: 'report',
    describe: 'writes the report of the last runs, one HTML page (index.html), without running the job',
  },
  status: {
    command: 'status',
    describe:
      'reports the last run, and the last one that read and backed up everything; works during a run, without network',
  },
  config: {
    command: 'config',
    describe: 'prints the settings that a run would use, without secrets',
  },
} as const satisfies Readonly<Record<string, CommandSummary>>
