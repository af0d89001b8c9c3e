import type { ListedIssue } from '@collab-etl/documents'
import { count, html, joined, languageOf, type Markup, said, titleOf } from '@collab-etl/documents/html/parts'
import type { Names } from './content-sections.ts'
import type { ReportLinks } from './links.ts'
import { folded, more, named } from './page.ts'
import { issueWords, RECORD_WORDS, shortened } from './words.ts'

/** Examples of each kind of conversion issue. */
const EXAMPLES = 5

/** The conversion issues by kind, the most frequent kind first. */
function groupedIssues(issues: readonly ListedIssue[]): (readonly [string, readonly ListedIssue[]])[] {
  return [...Map.groupBy(issues, ({ kind }) => kind)].sort(
    ([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1),
  )
}

/** Those that the report names. */
export function namedIssues(issues: readonly ListedIssue[]): ListedIssue[] {
  return groupedIssues(issues).flatMap(([, own]) => own.slice(0, EXAMPLES))
}

/** The conversion issues in words: how many of each kind, and the first ones with their records and original values. */
export function issuesSection(
  issues: readonly ListedIssue[],
  names: Names,
  links: ReportLinks,
  isQuiet: boolean,
): Markup {
  const body =
    issues.length === 0
      ? html`<p data-t>None: every value is in the backup as the service sent it.</p>\n`
      : joined(groupedIssues(issues).map(([kind, own]) => issueGroup(kind, own, names, links, isQuiet)))
  return html`<section>
<h2 id="issues" data-t>Conversion issues</h2>
${body}</section>
`
}

function issueGroup(
  kind: string,
  issues: readonly ListedIssue[],
  names: Names,
  links: ReportLinks,
  isQuiet: boolean,
): Markup {
  const examples = issues.slice(0, EXAMPLES)
  return folded(
    html`<h3 data-t><span data-t>${issueWords(kind)}</span> (${count(issues.length)}, <code>${kind}</code>)</h3>`,
    !isQuiet,
    html`<ul class="rows">
${joined(examples.map((issue) => example(issue, names, links)))}${more(issues.length - examples.length, ', in backup.json')}</ul>
`,
  )
}

/** A record with the field and the original value: `page  Guide  in Road Map, field content, to /pages/a1`. */
function example(issue: ListedIssue, names: Names, links: ReportLinks): Markup {
  const { pid, stream, field } = issue
  const word = RECORD_WORDS[stream as keyof typeof RECORD_WORDS] ?? stream
  const isPart = names.records.of(issue)?.isPart === true
  const tag = isPart ? `${stream === 'posts' || stream === 'files' ? 'comment on' : 'part of'} ${word}` : word
  const where = [
    pid !== null && stream !== 'projects' && html`<span data-t>in <bdi>${names.project(pid)}</bdi></span>`,
    field && html`<span data-t>field <code>${shortened(field)}</code></span>`,
    originalText(issue),
  ].filter((part) => part !== false && part !== null && part !== '')
  return html`<li><span class="tag" data-t>${tag}</span> ${recordName(issue, names, links)} <span class="soft" data-t>${joined(
    where.map((part) => html`${part}`),
    ', ',
  )}</span></li>\n`
}

function recordName(issue: ListedIssue, names: Names, links: ReportLinks): Markup {
  const { pid, stream, record_key: key } = issue
  if (key === '*') return said('all records')
  const record = names.records.of(issue)
  const isProject = stream === 'projects' && pid !== null
  if (record === null && !isProject) return html`<code><bdi>${shortened(key ?? '')}</bdi></code>`
  const title = record === null ? names.project(pid ?? '') : titleOf(record.title)
  const address = record === null ? links.project(pid ?? '') : record.address
  return html`<span lang="${languageOf(title)}">${named(title, address)}</span>`
}

/** The original value in the words of the kind of issue; `null` if it is unknown. */
function originalText({ kind, original, record_key: key }: ListedIssue): Markup | null {
  if (original === null || original === '') return null
  const text = html`<code><bdi>${shortened(plainText(original))}</bdi></code>`
  if (key === '*') return said(`${numberText(original)} records`)
  switch (kind) {
    case 'link_target_missing':
      return html`<span data-t>to ${text}</span>`
    case 'links_not_rewritten':
    case 'html_not_rendered':
      return said(`${numberText(original)} characters`)
    case 'unlisted':
    case 'parent_missing':
    case 'parent_cycle':
      return html`<span data-t>parent ${text}</span>`
    case 'cut':
      return said(`the record states ${numberText(original)}`)
    default:
      return html`<span data-t>was ${text}</span>`
  }
}

/** A value in JSON; a text without its quotes. */
function plainText(json: string): string {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'string' ? value : json
  } catch {
    return json // too long values are stored cut, which is not JSON
  }
}

function numberText(text: string): string {
  const number = Number(text)
  return Number.isFinite(number) ? count(number) : shortened(text)
}
