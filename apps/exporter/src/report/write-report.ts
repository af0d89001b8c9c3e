import type { BackupAccount, Content } from '@collab-etl/backups'
import type { EarlierBackup } from '@collab-etl/backups/repository'
import type { BagWriter } from '@collab-etl/bagit'
import { userText } from '@collab-etl/contract'
import type { ListedIssue } from '@collab-etl/documents'
import { counted, html, joined, type Markup, titleOf } from '@collab-etl/documents/html/parts'
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
import { closing, opening } from './page.ts'
import { timeText } from './words.ts'

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
 * Adds data/report.html to a bag whose other payload is complete: what the backup holds, what is missing, and what changed. It needs no other file and no
 * scripts. The same facts and the same earlier backup give the same bytes: it has only times of the source.
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
  const shown = { project: (pid: string) => titleOf(names.get(pid) ?? pid), records }
  yield opening('Backup report')
  yield header(facts, links)
  const missing = missingSection(scopes, unread, shown)
  if (missing) yield missing
  yield* changeSections({ changes, links, projects: names })
  yield* countsSection({ ...facts, links })
  yield issuesSection(issues, shown, links)
  yield closing()
}

function header(facts: ReportFacts, links: ReportLinks): Markup {
  const { origin, status, scopes } = facts
  const home = links.home()
  const terms = factsOf(facts).map(([term, text]) => html`<dt>${term}</dt><dd dir="auto">${text}</dd>\n`)
  return html`<header>
${home !== null && html`<nav aria-label="Backup"><a href="${home}">Projects</a></nav>\n`}<h1>Backup of ${timeText(stateAt(origin))}</h1>
<p class="state ${status}">${completenessText(scopes)}</p>
<dl>
${joined(terms)}</dl>
</header>
`
}

function factsOf({ origin, software, formats, content, pids }: ReportFacts): [term: string, text: string][] {
  const { kind, baseUrl, account, accounts, readAt, runId, readBy, unfinished = [], asOf, isBesideRun } = origin
  const runs = readBy?.runs ?? []
  const run = runs.length > 0 ? runs.map(runText).join('; ') : runId === null ? null : `run ${runId}`
  const source = kind === 'api' ? 'the service, directly' : run === null ? 'a warehouse' : `a warehouse, ${run}`
  const facts: [term: string, text: string | false][] = [
    ['Service', baseUrl],
    ['Read from', source],
    ['Read as', accounts ? accounts.all.map(accountText).join('; ') : account !== null && userText(account)],
    ['State as of', asOf !== undefined && !isBesideRun && timeText(asOf)],
    ['Oldest data read', timeText(readAt)],
    [
      'Carried since',
      readBy?.carriedSince
        ? `${timeText(readBy.carriedSince)}: the oldest reading of records that the run did not read again`
        : false,
    ],
    ['Note', isBesideRun === true && 'A snapshot was under way: this is the state before it began.'],
    ['Runs that did not finish', unfinished.length > 0 && unfinished.map(runText).join('; ')],
    ['Made by', software ?? false],
    ['Formats', [...formats].sort().join(', ')],
    ['Content', [...content].sort().join(', ')],
    [
      'Projects',
      pids === null ? 'all that the service lists' : `${counted(pids.length, 'project')} that were requested`,
    ],
  ]
  return facts.flatMap(([term, text]) => (text === false ? [] : [[term, text]]))
}

function accountText({ account, uid, name, projects }: BackupAccount): string {
  const who = uid === null ? '' : ` = ${userText({ uid, name })}`
  return `${account}${who}${projects === null ? '' : `: ${counted(projects, 'project')}`}`
}

function runText({ runId, startedAt, status }: ReadRun): string {
  return `run ${runId} (${timeText(startedAt)}, ${status})`
}
