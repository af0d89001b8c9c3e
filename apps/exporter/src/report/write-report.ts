import type { BackupAccount, Content } from '@collab-etl/backups'
import type { EarlierBackup } from '@collab-etl/backups/repository'
import type { BagWriter } from '@collab-etl/bagit'
import { userText } from '@collab-etl/contract'
import type { ListedIssue } from '@collab-etl/documents'
import {
  counted,
  html,
  joined,
  type Markup,
  readReportLayout,
  said,
  time,
  titleOf,
} from '@collab-etl/documents/html/parts'
import type { ReadRun, ScopeState } from '@collab-etl/warehouse'
import type { BackupRows, Origin, UnreadItem } from '../source/backup-rows.ts'
import { AffectedRecords } from './affected-records.ts'
import { changeSections } from './change-sections.ts'
import { type Changes, changesSince } from './changes.ts'
import { countsSection, missingSection, namedUnread, type ReportedProject } from './content-sections.ts'
import { earlierReport } from './earlier-report.ts'
import { completenessText, REPORT_PATH, type ReportCounts, stateAt } from './facts.ts'
import { issuesSection, namedIssues } from './issue-section.ts'
import type { ReportLinks } from './links.ts'
import { FOOT } from './page.ts'

/** What the report states. */
export interface ReportFacts {
  readonly origin: Origin
  /** Name and version of the program; absent if it is not known. */
  readonly software?: string | undefined
  readonly formats: ReadonlySet<string>
  readonly content: ReadonlySet<Content>
  /** The requested projects; `null`: all. */
  readonly pids: readonly string[] | null
  readonly status: 'complete' | 'accepted' | 'partial'
  readonly projects: readonly ReportedProject[]
  readonly counts: ReportCounts
  readonly scopes: readonly ScopeState[]
  readonly unread: readonly UnreadItem[]
  readonly issues: readonly ListedIssue[]
  readonly changes: Changes
}

/**
 * Adds data/report.html to a bag whose other payload is complete: what the backup holds, what is missing, and what changed. It needs no other file, and no
 * script to be read. The same facts and the same earlier backup give the same bytes: it has only times of the source.
 */
export async function addReport(
  bag: BagWriter,
  facts: Omit<ReportFacts, 'changes'>,
  context: {
    /** What the backup was made from. */
    readonly source: BackupRows
    /** The tables that it holds. */
    readonly tables: ReadonlySet<string>
    readonly links: ReportLinks
    /** The backup to compare with. */
    readonly earlier: EarlierBackup | null
    readonly signal: AbortSignal
  },
): Promise<void> {
  const { source, tables, links, earlier, signal } = context
  await bag.flushManifest()
  const { same, differing } = await earlierReport(earlier, bag.folder, facts)
  if (same !== null) {
    await bag.add(REPORT_PATH, same)
    return
  }
  const changes = await changesSince(earlier, bag.folder, { source: facts.origin.kind, differing, signal })
  const named = [...namedIssues(facts.issues), ...namedUnread(facts.unread)]
  const records = await AffectedRecords.read({ source, tables }, links, named)
  const file = await bag.stream(REPORT_PATH)
  for await (const piece of pieces({ ...facts, changes }, links, records)) await file.write(String(piece))
  await file.end()
}

async function* pieces(
  facts: ReportFacts,
  links: ReportLinks,
  records: AffectedRecords,
): AsyncGenerator<Markup, void, undefined> {
  const { projects, scopes, unread, issues, changes } = facts
  const names = new Map(projects.map(({ pid, name }) => [pid, name]))
  const layout = await readReportLayout('backup')
  const shown = { project: (pid: string) => titleOf(names.get(pid) ?? pid), records }
  const missing = missingSection(scopes, unread, shown)
  const isQuiet =
    missing === null && changes.state === 'compared' && changes.changes.length === 0 && changes.leftOut.length === 0
  yield layout.opening({ head: html`<title data-t>Backup report</title>`, home: homeOf(links) })
  yield header(facts)
  if (missing) yield missing
  yield* changeSections({ changes, links, projects: names })
  yield* countsSection({ ...facts, links, isQuiet })
  yield issuesSection(issues, shown, links, isQuiet)
  yield originSection(facts)
  yield layout.closing(FOOT)
}

function homeOf(links: ReportLinks): Markup {
  const home = links.home()
  return home === null
    ? html`<span class="home" data-t>Backup report</span>`
    : html`<a class="home" href="${home}" data-t>Projects</a>`
}

const TONES = { complete: 'good', accepted: 'warn', partial: 'warn' } as const

function header({ origin, status, scopes }: ReportFacts): Markup {
  return html`<header>
<h1 data-t>Backup of ${time(stateAt(origin))}</h1>
<p class="state ${TONES[status]}" data-t>${completenessText(scopes)}</p>
</header>
`
}

/** Where the data is from, and what was requested. */
function originSection(facts: ReportFacts): Markup {
  const terms = factsOf(facts).map(
    ([term, text]) =>
      html`<dt data-t>${term}</dt><dd dir="auto"${typeof text !== 'string' && html` data-t`}>${text}</dd>\n`,
  )
  return html`<section>
<h2 data-t>About this backup</h2>
<dl class="facts">
${joined(terms)}</dl>
</section>
`
}

function factsOf({ origin, software, formats, content, pids }: ReportFacts): [term: string, text: Markup | string][] {
  const { kind, baseUrl, account, accounts, readAt, runId, readBy, unfinished = [], asOf, isBesideRun } = origin
  const runs = readBy?.runs ?? []
  const run =
    runs.length > 0 ? runsText(runs) : runId === null ? null : html`<span data-t>run <bdi>${runId}</bdi></span>`
  const source = kind === 'api' ? said('the service, directly') : html`${said('a warehouse')}${run && html`, ${run}`}`
  const facts: [term: string, text: Markup | string | false][] = [
    ['Service', baseUrl],
    ['Read from', source],
    ['Read as', accounts ? joined(accounts.all.map(accountText), '; ') : account !== null && userText(account)],
    ['State as of', asOf !== undefined && !isBesideRun && time(asOf)],
    ['Oldest data read', time(readAt)],
    [
      'Carried since',
      readBy?.carriedSince
        ? html`${time(readBy.carriedSince)}: ${said('the oldest reading of records that the run did not read again')}`
        : false,
    ],
    ['Note', isBesideRun === true && said('A snapshot was under way: this is the state before it began.')],
    ['Runs that did not finish', unfinished.length > 0 && runsText(unfinished)],
    ['Made by', software ?? false],
    ['Formats', [...formats].sort().join(', ')],
    ['Content', joined([...content].sort().map(said), ', ')],
    [
      'Projects',
      said(pids === null ? 'all that the service lists' : `${counted(pids.length, 'project')} that were requested`),
    ],
  ]
  return facts.flatMap(([term, text]) => (text === false ? [] : [[term, text]]))
}

function accountText({ account, uid, name, projects }: BackupAccount): Markup {
  const who = uid === null ? '' : ` = ${userText({ uid, name })}`
  return html`<bdi>${account}${who}</bdi>${projects !== null && html`: ${said(counted(projects, 'project'))}`}`
}

function runsText(runs: readonly ReadRun[]): Markup {
  const shown = runs.map(
    ({ runId, startedAt, status }) =>
      html`<span data-t>run <bdi>${runId}</bdi> (${time(startedAt)}, ${said(status)})</span>`,
  )
  return joined(shown, '; ')
}
