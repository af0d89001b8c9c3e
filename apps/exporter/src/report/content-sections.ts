import type { Content } from '@collab-etl/backups'
import { isWhole } from '@collab-etl/contract/streams'
import { count, counted, html, joined, listOf, type Markup, said, titleOf } from '@collab-etl/documents/html/parts'
import type { ScopeState } from '@collab-etl/warehouse'
import type { UnreadItem } from '../source/backup-rows.ts'
import type { Affected, AffectedRecords } from './affected-records.ts'
import { countedKinds, type ReportCounts } from './facts.ts'
import type { ReportLinks } from './links.ts'
import { folded, named, table } from './page.ts'
import { adviceFor, capital, KIND_WORDS, RECORD_WORDS, shortened, statusWords, streamWords } from './words.ts'

/** Projects and items that are named in a list; the others are counted. */
const NAMED = 50

/** A project of the backup. */
export interface ReportedProject {
  readonly pid: string
  readonly name: string | null
  readonly counts: ReportCounts
  /** The account that read it, if the accounts have names. */
  readonly account?: string
}

type NameOf = (pid: string) => string

/** The names of projects, and of the records that issues and unread items are about. */
export interface Names {
  readonly project: NameOf
  readonly records: AffectedRecords
}

const NOT_FOUND =
  'Posts and files that no link and no attachment leads to are missing where the service does not list them, and so are comments of tasks. Contents of files are in no backup.'

/** The numbers of records, by project. */
export function* countsSection(of: {
  readonly projects: readonly ReportedProject[]
  readonly counts: ReportCounts
  readonly content: ReadonlySet<Content>
  readonly links: ReportLinks
  readonly isQuiet: boolean
}): Generator<Markup> {
  const { projects, counts, content, links, isQuiet } = of
  const kinds = countedKinds(content, counts)
  const numbers = (own: ReportCounts) => kinds.map((kind) => own[kind] ?? 0)
  const columns = kinds.map((kind) => ({ title: `${KIND_WORDS[kind]}s`, isNumber: true }) as const)
  yield html`<section>
<h2 id="contents" data-t>Contents</h2>
`
  if (projects.length === 0) yield html`<p data-t>No project.</p>\n`
  else {
    const totals = [
      said(counted(projects.length, 'project')),
      ...kinds.map((kind) => said(counted(counts[kind] ?? 0, KIND_WORDS[kind]))),
      ...(counts.users === undefined ? [] : [said(counted(counts.users, 'person', 'people'))]),
    ]
    const hasAccounts = projects.some(({ account }) => account !== undefined)
    const readAs = (text: string) => (hasAccounts ? [text] : [])
    const rows = projects.map(({ pid, name, account = '', counts: own }) => {
      return [named(titleOf(name ?? pid), links.project(pid)), ...readAs(account), ...numbers(own)]
    })
    const heads = ['project', ...readAs('read as')].map((title) => ({ title }))
    const all = table('contents', [...heads, ...columns], rows, [said('All'), ...readAs(''), ...numbers(counts)])
    yield folded(listOf(totals), !isQuiet, all)
  }
  yield html`<p class="soft" data-t>${NOT_FOUND}</p>\n`
  yield html`</section>\n`
}

/** What could not be read, and what to do; nothing if the backup is complete. */
export function missingSection(
  scopes: readonly ScopeState[],
  unread: readonly UnreadItem[],
  names: Names,
): Markup | null {
  const lacking = scopes.filter((scope) => !isWhole(scope))
  if (lacking.length + unread.length === 0) return null
  return html`<section>
<h2 id="missing" data-t>What is missing</h2>
<p data-t>Records of these lists may be missing or out of date. Those that were read are in the backup.</p>
${joined(problemsOf(lacking).flatMap((group) => (group[0] ? [problem(group[0], group, names.project)] : [])))}${unread.length > 0 && unreadList(unread, names)}</section>
`
}

/** Scopes of one stream with one status and code; streams of the same projects are put together if their reason is the same. */
function problemsOf(scopes: readonly ScopeState[]): ScopeState[][] {
  const keyOf = ({ pid, stream, status, error, accepted }: ScopeState) =>
    JSON.stringify([pid === null, stream, status, error?.code, accepted])
  const alike = ([first, ...others]: readonly ScopeState[]) =>
    JSON.stringify([first?.status, first?.error, first?.pid, first?.accepted, others.map(({ pid }) => pid)])
  const ofStreams = [...Map.groupBy(scopes, keyOf).values()]
  return [...Map.groupBy(ofStreams, alike).values()].map((groups) => groups.flat())
}

function problem(first: ScopeState, scopes: readonly ScopeState[], nameOf: NameOf): Markup {
  const { pid, status, error } = first
  const streams = [...new Set(scopes.map(({ stream }) => streamWords(stream)))]
  const what =
    pid === null
      ? html`<span data-t>The list of ${said(first.stream.replaceAll('_', ' '))}</span>`
      : listOf(streams.map((words, index) => said(index === 0 ? capital(words) : words)))
  const pids = [...new Set(scopes.flatMap(({ pid }) => pid ?? []))]
  const shown = pids.slice(0, NAMED)
  const more = pids.length - shown.length
  return html`<div class="problem warn">
<p data-t><strong>${what}</strong>: ${said(statusWords(status))}${error && html` <span class="soft" data-t>(<code>${shortened(error.code ?? '')}</code>: <bdi>${shortened(error.message)}</bdi>)</span>`}.</p>
${
  shown.length > 0 &&
  html`<p data-t><span data-t>Projects:</span> ${joined(
    shown.map((pid) => html`<bdi>${nameOf(pid)}</bdi>`),
    ', ',
  )}${more > 0 && html` ${said(`and ${count(more)} more`)}`}</p>\n`
}<p data-t>${first.accepted === undefined ? said(adviceFor(first)) : acceptedText(first.accepted)}</p>
</div>
`
}

function acceptedText(accepted: NonNullable<ScopeState['accepted']>): Markup {
  const shown = accepted.slice(0, NAMED).map(({ scope, until, reason }) => {
    return html`<code>${shortened(scope)}</code> ${said(`until ${until.slice(0, 10)}`)}: <bdi>${shortened(reason)}</bdi>`
  })
  return html`${said('Accepted:')} ${joined(shown, '; ')}.`
}

/** The unread items that the report names. */
export function namedUnread(unread: readonly UnreadItem[]): (UnreadItem & Affected)[] {
  return unread.slice(0, NAMED).map((item) => ({ ...item, record_key: item.item_id }))
}

function unreadList(unread: readonly UnreadItem[], names: Names): Markup {
  const rows = namedUnread(unread).map((item) => {
    const { pid, stream, item_id, error_code, error } = item
    const known = names.records.of(item)
    return [
      pid === null ? '' : names.project(pid),
      html`<span data-t>${RECORD_WORDS[stream] ?? stream}</span>`,
      html`${known && html`${named(titleOf(known.title), known.address)} `}<code>${shortened(item_id)}</code>`,
      shortened(`${error_code} ${error}`),
    ]
  })
  const more = unread.length - rows.length
  const columns = [{ title: 'project' }, { title: 'kind' }, { title: 'item' }, { title: 'why' }]
  return html`<h3 id="unread" data-t><span data-t>Items that could not be read</span> (${count(unread.length)})</h3>
<p data-t>Look for them in the service. Later runs request them again.</p>
${table('unread', columns, rows)}${more > 0 && html`<p class="soft" data-t>and ${count(more)} more</p>\n`}`
}
