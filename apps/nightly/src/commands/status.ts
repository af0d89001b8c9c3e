import { damagedCopies, type ListedBackup, listBackups } from '@collab-etl/backups/repository'
import {
  defineCommand,
  deniedError,
  duration,
  EXIT,
  formatBytes,
  formatDuration,
  formatNumber,
  plainText,
  type Settings,
  UsageError,
} from '@collab-etl/cli'
import type { DrillFacts } from '@collab-etl/observability'
import { planOf } from '../config/plan.ts'
import { readDrill } from '../run/drill-record.ts'
import { readNights } from '../run/record.ts'
import { type Standing, standingOf } from '../run/standing.ts'
import { stepLines } from '../run/step-lines.ts'
import { type BegunNight, begunNight } from '../run/under-way.ts'
import { SUMMARIES } from './summaries.ts'

export const status = defineCommand({
  ...SUMMARIES.status,
  examples: [
    ['status', 'the state of the backups that collab.yaml names'],
    ['status --max-age 26h --quiet', 'for a monitor: exit code 6 if there was no whole run within 26 hours'],
    ['status --out /var/backups/collab --json', 'for scripts'],
  ],
  options: {
    out: { type: 'string', describe: 'DIR  directory that holds the backups [default: ./collab-backup]' },
    'max-age': {
      type: 'string',
      describe: 'DURATION  exit code 6 if the last whole run ended longer ago, such as 26h',
    },
    quiet: { type: 'boolean', default: false, describe: 'prints nothing unless the exit code is 6' },
  },
  settings: [],
  async run({ settings, stdout, signal }, { out: named, 'max-age': maxAge, quiet }) {
    const { out } = planOf(settings, { out: named })
    const maxAgeMs = maxAge === undefined ? null : parseAge(maxAge)
    const nights = await readNights(out)
    const backups = await backupsOf(out, signal)
    const damaged = await damagedCopies(out).catch(() => [])
    const known = standingOf(nights, backups, { now: new Date(), maxAgeMs, damaged })
    const isEmpty = nights.length === 0 && backups.length === 0
    const [begun, drill] = [await begunNight(out), await readDrill(out)]
    const standing = { ...known, begun, ...(isEmpty && begun === null && { stale: emptyText(out, settings) }) }
    stdout.document({ out, config_file: settings.configFile ?? null, ...standing, last_drill: drill })
    const place = { out, settings: settingsText(settings) }
    if (!quiet || standing.stale !== null)
      for (const line of linesOf(place, { ...standing, drill }, new Date())) stdout.line(line)
    return standing.stale === null ? EXIT.ok : EXIT.stale
  },
})

function settingsText({ configFile }: Pick<Settings, 'configFile'>): string {
  return configFile ?? `none: there is no collab.yaml in ${process.cwd()}`
}

/** A wrong directory would look like a job that never ran, and did never fail. */
function emptyText(out: string, { configFile }: Pick<Settings, 'configFile'>): string {
  const found = `${out} has neither a record of runs nor a backup`
  if (configFile !== undefined) return `${found}: if the job has run, its settings are not those of ${configFile}`
  return `${found}: give the --config FILE of the job, or the --out DIR of its backups`
}

function parseAge(text: string): number {
  try {
    return duration(text)
  } catch (error) {
    throw new UsageError(`--max-age ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function backupsOf(out: string, signal: AbortSignal): Promise<ListedBackup[]> {
  try {
    return await listBackups(out, { signal })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw deniedError(error) ?? error
  }
}

function linesOf(
  place: { readonly out: string; readonly settings: string },
  standing: Standing & { readonly begun: BegunNight | null; readonly drill: DrillFacts | null },
  now: Date,
): string[] {
  const { begun, drill, last_run: last, last_whole_at: lastWhole, last_verified: verified, backups, stale } = standing
  const { consecutive_failures: failures, failing_since: since } = standing
  const time = (iso: string | null) => (iso === null ? 'never' : `${minute(iso)}, ${ago(iso, now)}`)
  const rows: [string, string][] = [
    ['settings', place.settings],
    [
      'last run',
      last === null ? 'never' : `${time(last.started_at)}: ${last.outcome === 'whole' ? 'succeeded' : last.outcome}`,
    ],
    ['last whole run', time(lastWhole)],
    ['last verified', verified === null ? 'never' : `${time(verified.at)}: ${verified.backup} (${verified.mode})`],
    ['last drill', drill === null ? 'never' : `${time(drill.started_at)}: ${drillText(drill)}`],
    ['failures', failures === 0 ? 'none' : `${formatNumber(failures, 'run')} in a row, since ${minute(since ?? '')}`],
    ['backups', backupsText(backups)],
  ]
  return [
    `Nightly job of ${plainText(place.out)}`,
    ...rows.map(([name, text]) => `  ${name.padEnd(16)}${plainText(text)}`),
    ...(begun === null ? [] : [`  ${plainText(begunText(begun))}`]),
    ...backups.damaged.map(
      (name) => `  damaged         ${plainText(name)}: remove it, or run collab-export verify once it is intact again`,
    ),
    ...standing.warnings.map((line) => `  warning         ${plainText(line)}`),
    ...[...standing.deleted_projects, ...standing.accepted].map((line) => `  ${plainText(line)}`),
    ...(last === null || last.outcome === 'whole' ? [] : ['The last run:', ...stepLines(last)]),
    ...(stale === null ? [] : [`STALE: ${plainText(stale)}`]),
  ]
}

function begunText({ started_at: start, host, step, process: owner }: BegunNight): string {
  if (owner !== null) return `under way       since ${minute(start)}, now in step ${step} (${owner})`
  return `killed          the run that began ${minute(start)} on ${host}, in step ${step}: the next run reports it`
}

function drillText({ problem, source, duration_ms: milliseconds }: DrillFacts): string {
  return problem === null ? `${source} came back in ${formatDuration(milliseconds)}` : `FAILED: ${problem}`
}

function backupsText({
  count,
  latest_bytes: latest,
  added_bytes: added,
  growth_nights: nights,
}: Standing['backups']): string {
  const size = latest === null ? '' : `, the latest ${formatBytes(latest)}`
  return `${count}${size}; ${formatBytes(added)} added in ${formatNumber(nights, 'run')}`
}

function minute(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`
}

function ago(iso: string, now: Date): string {
  const milliseconds = now.getTime() - Date.parse(iso)
  return milliseconds < 0 ? 'in the future' : `${formatDuration(milliseconds)} ago`
}
