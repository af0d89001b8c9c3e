import { clientOptions, defineCommand, formatCount, requireService, UsageError } from '@collab-etl/cli'
import { createClient, type LinkPattern } from '@collab-etl/core'
import { parseAssumption } from '../restore/assume.ts'
import { openProject, readState, restoreProject } from '../restore/restore-backup.ts'
import { exitCodeOfRestore, reportPlan, reportRestore } from '../show/restore-report.ts'

/** Longer than any request that nobody waits for any more should take. */
const SETTLE_SECONDS = 10

export const restore = defineCommand({
  command: 'restore <backup>',
  describe: 'creates the pages, posts and tasks of a backup in a project of a service',
  examples: [
    ['restore ./backups --to-project P2 --dry-run', 'what would be created, and what cannot be; asks no service'],
    ['restore ./backups --to-project P2', 'pages, parents first, and posts; run it again to go on where it ended'],
    ['restore ./backups --to-project P2 --entry E1 --provenance', 'tasks as well, each with a comment on what it was'],
    [
      'restore ./backups --to-project P2 --assume post:N1=not-created',
      'of a call whose answer was lost: create it again',
    ],
  ],
  options: {
    backup: {
      type: 'string',
      demandOption: true,
      describe: 'a backup with JSON lines (or CSV), or the directory that holds backups: its latest',
    },
    'to-project': { type: 'string', demandOption: true, describe: 'PID  where to create' },
    project: { type: 'string', describe: 'PID  of the backup, if it has several' },
    entry: { type: 'string', describe: 'ENTRY_ID  the task group to create tasks in; without it they are left out' },
    'archived-tasks': { type: 'boolean', default: false, describe: 'archived tasks too, as open ones' },
    provenance: {
      type: 'boolean',
      default: false,
      describe: 'a comment on each task: its dates, members, labels, checklist',
    },
    'dry-run': { type: 'boolean', default: false, describe: 'only tell; needs no service' },
    assume: {
      type: 'string',
      array: true,
      describe: '[KIND:ID=]created:NEW_ID or [KIND:ID=]not-created  what became of a call that nobody can know about',
    },
    settle: {
      type: 'number',
      default: SETTLE_SECONDS,
      describe: 'SECONDS  how long a call whose answer was lost may still take effect',
    },
    'allow-source': {
      type: 'boolean',
      default: false,
      describe: 'restore into the project that the backup was made of even if it still holds the records',
    },
    journal: { type: 'string', describe: 'FILE  the journal; default: beside the backup' },
  },
  settings: ['service'],
  async run(context, args) {
    const begun = performance.now()
    const { settle, entry, provenance, journal, 'to-project': toProject, 'dry-run': isDry } = args
    if (!(settle >= 0)) throw new UsageError('--settle must be a number of seconds')
    const assumptions = (args.assume ?? []).map(parseAssumption)
    const links = (context.settings.file['links'] ?? []) as readonly LinkPattern[] // as `parseLinkPatterns` returned it
    const service = isDry ? null : requireService(context.settings)
    const line = context.progress.line(`checking ${args.backup}`)
    await using opened = await openProject(args.backup, {
      ...{ pid: args.project, withArchived: args['archived-tasks'], links },
    })
    const { backup, project, records, plan, incomplete } = opened
    if (records.form === 'csv' && entry !== undefined) {
      throw new UsageError(`--entry: ${backup} holds no tasks, which stand in JSON lines alone (--format jsonl)`)
    }
    const about = { backup, project: project.pid, toProject, form: records.form, plan, incomplete }
    if (service === null) {
      // What is created already can be told where it is known which service is meant.
      const { baseUrl } = context.settings
      const state = baseUrl === undefined ? null : await readState(opened, { baseUrl, toProject }, journal)
      line.end()
      return reportPlan(context.stdout, { ...about, entry, state })
    }
    // A call that is under way is waited for when the program is to end: its answer is worth it.
    const client = createClient(clientOptions({ ...context, signal: new AbortController().signal }))
    try {
      const { baseUrl } = service
      const { outcome, journal: written } = await restoreProject(opened, {
        ...{ client, baseUrl, toProject, entry, provenance, assumptions, journal, signal: context.signal },
        settleMs: settle * 1000,
        allowSource: args['allow-source'],
        onItem: (done, total) => line.update(`creating: ${formatCount(done)} of ${formatCount(total)}`),
        onReadBack: () => line.update('reading what was created'),
      })
      line.end()
      const milliseconds = performance.now() - begun
      reportRestore(context.stdout, { ...about, outcome, journal: written, baseUrl, milliseconds })
      return exitCodeOfRestore(outcome, incomplete)
    } finally {
      await client.close()
    }
  },
})
