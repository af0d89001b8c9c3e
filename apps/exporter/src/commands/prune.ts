import { resolve } from 'node:path'
import {
  archivesOffRecord,
  decide,
  decideArchives,
  type ListedArchive,
  type ListedBackup,
  listArchives,
  listBackups,
  noteGone,
  type Policy,
  parseDuration,
  type Removed,
  removeArchive,
  removeBackup,
} from '@collab-etl/backups/repository'
import { warnOfLeft } from '@collab-etl/backups/unpack'
import { openTemporaryDirectory, removeStaleDirectories } from '@collab-etl/bagit'
import { type Context, defineCommand, EXIT, UsageError } from '@collab-etl/cli'
import { beforePruning } from '../errors.ts'
import { reportPrune } from '../show/list-report.ts'
import { countProgress } from '../show/progress.ts'
import { SUMMARIES } from './summaries.ts'

const KEEP = 'N  keeps the newest of each of the last N'

export const prune = defineCommand({
  ...SUMMARIES.prune,
  examples: [
    [
      'prune ./backups --keep-daily 7 --keep-weekly 5 --keep-monthly 12 --dry-run',
      'shows which backups would be removed, and why',
    ],
    [
      'prune ./backups --keep-within 30d --keep-yearly unlimited',
      'everything of the last 30 days, and one backup of each year',
    ],
  ],
  options: {
    directory: { type: 'string', demandOption: true, describe: 'directory that holds the backups' },
    'keep-last': { type: 'string', describe: 'N  keeps the N newest' },
    'keep-hourly': { type: 'string', describe: `${KEEP} hours that have one (UTC)` },
    'keep-daily': { type: 'string', describe: `${KEEP} days that have one` },
    'keep-weekly': { type: 'string', describe: `${KEEP} weeks that have one (Monday to Sunday)` },
    'keep-monthly': { type: 'string', describe: `${KEEP} months that have one` },
    'keep-yearly': { type: 'string', describe: `${KEEP} years that have one` },
    'keep-within': {
      type: 'string',
      describe: 'DURATION  keeps every backup newer than that, counted from the latest one: 30d, 12h, 1y6mo',
    },
    archives: {
      type: 'string',
      describe: 'DIR  applies the rules to the archives of these backups in DIR, not to the backups',
    },
    'dry-run': { type: 'boolean', default: false, describe: 'shows what would be removed, and removes nothing' },
  },
  settings: [],
  async run(context, args) {
    const policy: Policy = {
      last: parseCount('--keep-last', args['keep-last']),
      periods: {
        hourly: parseCount('--keep-hourly', args['keep-hourly']),
        daily: parseCount('--keep-daily', args['keep-daily']),
        weekly: parseCount('--keep-weekly', args['keep-weekly']),
        monthly: parseCount('--keep-monthly', args['keep-monthly']),
        yearly: parseCount('--keep-yearly', args['keep-yearly']),
      },
      within: args['keep-within'] === undefined ? null : parseDuration('--keep-within', args['keep-within']),
    }
    if (policy.within === null && policy.last + sum(Object.values(policy.periods)) === 0) {
      throw new UsageError(
        'no rule keeps any backup: give one or more of --keep-last, --keep-daily, --keep-within and so on',
      )
    }
    const directory = resolve(args.directory)
    if (args.archives !== undefined) {
      await pruneArchives(context, directory, { archives: resolve(args.archives), policy, isDry: args['dry-run'] })
      return EXIT.ok
    }
    const line = context.progress.line('reading backups')
    const backups = await beforePruning(directory, () =>
      listBackups(directory, {
        signal: context.signal,
        onProgress: countProgress(line, 'reading', 'backups'),
      }),
    )
    line.end()
    const now = new Date()
    const decisions = decide(policy, backups, now)
    const toRemove = decisions.filter(({ action }) => action === 'remove').map(({ backup }) => backup)
    const removed = args['dry-run'] ? null : await removeAll(context, directory, toRemove)
    reportPrune(context.stdout, { what: 'backup', directory, decisions, removed, now })
    return EXIT.ok
  },
})

interface ArchivePruning {
  /** Directory of the archives. */
  readonly archives: string
  readonly policy: Policy
  readonly isDry: boolean
}

/** Removes archives of the backups of a directory that no rule keeps. Any other file is left alone. */
async function pruneArchives(
  { signal, stdout }: Context,
  repository: string,
  { archives: directory, policy, isDry }: ArchivePruning,
): Promise<void> {
  const now = new Date()
  const listed = await beforePruning(directory, () => listArchives(repository, directory))
  const decisions = decideArchives(policy, listed, now)
  const removed: Removed[] = []
  for (const { backup, action } of decisions) {
    signal.throwIfAborted()
    const gone = isDry || action === 'keep' ? null : await removeArchive(repository, backup)
    if (gone) removed.push(gone)
  }
  const gone = isDry ? [] : await noteGone(repository, policy, listed, now)
  const warning = goneText(directory, gone)
  const unknown = await archivesOffRecord(directory, listed)
  reportPrune(stdout, { what: 'archive', directory, decisions, removed: isDry ? null : removed, now, warning, unknown })
}

function goneText(directory: string, gone: readonly ListedArchive[]): string | null {
  if (gone.length === 0) return null
  const names = gone.slice(0, MOST_GONE).map(({ name }) => name)
  const more = gone.length > MOST_GONE ? ` and ${gone.length - MOST_GONE} more` : ''
  return `archives on record that are not in ${directory}, or have another size: ${names.join(', ')}${more}: were they removed, or is another disk mounted?`
}

/** Archives that one line names. */
const MOST_GONE = 5

/** `0` and an absent flag both keep none. */
function parseCount(flag: string, text: string | undefined): number {
  if (text === undefined) return 0
  if (text.trim() === 'unlimited') return Number.POSITIVE_INFINITY
  if (/^\d{1,6}$/.test(text.trim())) return Number(text)
  throw new UsageError(`${flag} must be a number of backups, or unlimited, not "${text}"`)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** Removes the oldest first, so that an interruption leaves the newer ones. Removes temporary directories of killed runs in any case. */
async function removeAll(context: Context, directory: string, backups: readonly ListedBackup[]): Promise<Removed[]> {
  const { progress, signal, log } = context
  const onLeft = warnOfLeft(context)
  const names = await beforePruning(directory, () => removeStaleDirectories(directory, { signal, onLeft }))
  if (names.length > 0) log.info({ names }, 'removed what a killed run had left behind')
  if (backups.length === 0) return []
  const line = progress.line('removing')
  await using temporary = await beforePruning(directory, () => openTemporaryDirectory(directory, onLeft))
  const removed: Removed[] = []
  for (const [index, backup] of backups.entries()) {
    signal.throwIfAborted()
    line.update({ text: `removing ${backup.name}`, done: index, total: backups.length })
    const gone = await removeBackup(directory, temporary, backup)
    if (gone) removed.push(gone)
  }
  line.end()
  return removed
}
