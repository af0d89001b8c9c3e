import { DECRYPT_OPTIONS, PrivateDirectory, warnOfLeft } from '@collab-etl/backups/unpack'
import { accountOf, clientOptions, defineCommand, requireService, type Settings, UsageError } from '@collab-etl/cli'
import { createClient, type LinkPattern } from '@collab-etl/core'
import { parseAssumption } from '../restore/assume.ts'
import { parseEntries } from '../restore/entries.ts'
import { plannedValues } from '../restore/further/planned-values.ts'
import { openProject, type PrepareOptions, prepareRestore, restoreProject } from '../restore/restore-backup.ts'
import { countProgress } from '../show/progress.ts'
import { exitCodeOfRestore, notCarriedText, reportPlan, reportRestore } from '../show/restore-report.ts'
import { SUMMARIES } from './summaries.ts'

/** How long a request may still take effect after its connection was lost. */
const SETTLE_SECONDS = 10

export const restore = defineCommand({
  ...SUMMARIES.restore,
  examples: [
    ['restore ./backups --to-project P2 --dry-run', 'shows what would be created and what cannot be; creates nothing'],
    ['restore ./backups --to-project P2', 'pages, parents first, and posts; run it again to resume'],
    [
      'restore ./backups --to-project P2 --entry E1 --provenance',
      'tasks as well, each with a comment on its dates and members',
    ],
    ['restore ./backups --to-project P2 --entries by-name', 'each task in the task group that has the same name there'],
    [
      'restore ./backups --to-project P2 --entries OLD1=NEW1 --entries OLD2=NEW2 --entry E1',
      'tasks of two groups kept apart, all others in a third group',
    ],
    [
      'restore ./backups --to-project P2 --assume post:N1=not-created',
      'a request whose answer was lost: creates that post again',
    ],
  ],
  options: {
    backup: {
      type: 'string',
      demandOption: true,
      describe:
        'a backup with JSON lines (or CSV: no tasks), the directory that holds backups (its latest), or an archive',
    },
    'to-project': { type: 'string', demandOption: true, describe: 'PID  the project to create in' },
    project: { type: 'string', describe: 'PID  the project of the backup, if it has several' },
    entry: {
      type: 'string',
      describe:
        'ENTRY_ID  creates tasks in this task group, except those that --entries maps [default: leaves them out]',
    },
    entries: {
      type: 'string',
      array: true,
      describe:
        'by-name|OLD_ID=NEW_ID…  maps task groups: by-name to those of the same name, OLD_ID=NEW_ID one to the group NEW_ID; repeatable',
    },
    'archived-tasks': {
      type: 'boolean',
      default: false,
      describe: 'creates archived tasks too, as open ones if the service cannot archive them',
    },
    provenance: {
      type: 'boolean',
      default: false,
      describe: 'adds a comment to each task: its dates, members, labels, checklist',
    },
    'dry-run': {
      type: 'boolean',
      default: false,
      describe: 'shows what would be created, and creates nothing; without an address, the target is not checked',
    },
    verbose: { type: 'boolean', implies: 'dry-run', describe: 'with --dry-run: lists each record' },
    assume: {
      type: 'string',
      array: true,
      describe:
        '[KIND:ID=]created:NEW_ID|[KIND:ID=]not-created…  the outcome of a request whose answer was lost; repeatable',
    },
    settle: {
      type: 'number',
      default: SETTLE_SECONDS,
      describe: 'SECONDS  how long a request whose answer was lost may still take effect',
    },
    'allow-source': {
      type: 'boolean',
      default: false,
      describe: 'restores into the original project even if it still has the records',
    },
    again: {
      type: 'boolean',
      default: false,
      describe: 'creates every record once more after a finished restore, or in a project that has the records already',
    },
    account: {
      type: 'string',
      describe: 'NAME  the account of collab.yaml that creates the records; needed if there are several',
    },
    journal: {
      type: 'string',
      describe: 'FILE  the journal [default: in the directory of the backups, or of the archive]',
    },
    ...DECRYPT_OPTIONS,
  },
  settings: ['service'],
  async run(context, args) {
    const begun = performance.now()
    const { settle, entry, provenance, journal, again, 'to-project': toProject, 'dry-run': isDry } = args
    if (!(settle >= 0)) throw new UsageError('--settle must be a number of seconds')
    const assumptions = (args.assume ?? []).map(parseAssumption)
    const links = (context.settings.file['links'] ?? []) as readonly LinkPattern[] // as `parseLinkPatterns` returned it
    const entries = args.entries === undefined ? undefined : parseEntries(args.entries)
    const address = isDry ? context.settings.baseUrl : requireService(context.settings).baseUrl
    const account = address === undefined ? undefined : accountName(context.settings, args.account)
    await using temporary = new PrivateDirectory(context.signal, warnOfLeft(context))
    const line = context.progress.line(`checking ${args.backup}`)
    const onProgress = (done: number, total: number) => line.update({ text: 'unpacking', done, total })
    const opened = await openProject(args.backup, {
      unpacked: await temporary.unpack(args.backup, args, onProgress),
      pid: args.project,
      withArchived: args['archived-tasks'],
      links,
    })
    const { backup, project, records, plan } = opened
    if (records.form === 'csv' && (entry ?? entries) !== undefined) {
      const flag = entry === undefined ? '--entries' : '--entry'
      throw new UsageError(`${flag}: ${backup} holds no tasks, which are only in JSON lines (--format jsonl)`)
    }
    const about = { backup, project: project.pid, toProject, form: records.form, plan }
    const allowSource = args['allow-source']
    const how = { toProject, entry, entries, journal, again, allowSource, assumptions, signal: context.signal }
    const dryRun = async (service: PrepareOptions['service']) => {
      const prepared = await prepareRestore(opened, { ...how, service })
      const values = await plannedValues(plan, ({ place }) => records.read(place), prepared)
      line.end()
      const incomplete = opened.incomplete(prepared.possible)
      const isVerbose = args.verbose === true
      return reportPlan(context.stdout, { ...about, ...prepared, incomplete, provenance, values, isVerbose })
    }
    if (address === undefined) return dryRun(null)
    // A request under way is finished when the program is interrupted: its answer says what was created.
    const offered = context.settings.extended === 'off' ? null : {}
    const accounts = account === undefined ? undefined : await context.accounts()
    const client = createClient({
      ...(await clientOptions(
        { ...context, signal: new AbortController().signal },
        { accounts: accounts?.filter(({ name }) => name === account) },
      )),
      offered,
    })
    try {
      if (isDry) return await dryRun({ client, baseUrl: address })
      const restored = await restoreProject(opened, {
        ...how,
        client,
        baseUrl: address,
        provenance,
        settleMs: settle * 1000,
        onPrepared: (prepared) => {
          const left = notCarriedText(plan, prepared)
          if (left !== null) context.log.info(`will not be restored: ${left}`)
        },
        onItem: countProgress(line, 'creating', 'records'),
        onReadBack: () => line.update('reading what was created'),
      })
      line.end()
      const milliseconds = performance.now() - begun
      const incomplete = opened.incomplete(restored.possible)
      reportRestore(context.stdout, { ...about, ...restored, incomplete, baseUrl: address, milliseconds })
      return exitCodeOfRestore(restored.outcome, incomplete)
    } finally {
      await client.close()
    }
  },
})

/** The account that creates the records; `undefined`: the one without a name. @throws UsageError if there are several and none is named */
function accountName(settings: Settings, given: string | undefined): string | undefined {
  if (given !== undefined) return accountOf(settings, given).name
  const names = settings.accounts?.map(({ name }) => name) ?? []
  if (names.length < 2) return names[0]
  throw new UsageError(`--account NAME is needed, as several accounts could create the records: ${names.join(', ')}`)
}
