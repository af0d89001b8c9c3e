import {
  CHANGES,
  type Change,
  detailsOf,
  type LeftOut,
  projectOf,
  RECORD_KINDS,
  type RecordKind,
  WHY_LEFT_OUT,
} from '@collab-etl/backups/compare'
import { counted, html, joined, languageOf, listOf, type Markup, said, titleOf } from '@collab-etl/documents/html/parts'
import type { Changes } from './changes.ts'
import type { ReportLinks } from './links.ts'
import { more, named, table } from './page.ts'
import { capital } from './words.ts'

/** Records that are named of each kind in a project; the others are counted. */
const NAMED = 50

/** Records that are named in all. */
const NAMED_IN_ALL = 2000

interface ChangesShown {
  readonly changes: Changes
  readonly links: ReportLinks
  /** Names of the projects of this backup, by their ids. */
  readonly projects: ReadonlyMap<string, string | null>
}

/** What changed since the previous backup, piece by piece: numbers, then names by project. */
export async function* changeSections(shown: ChangesShown): AsyncGenerator<Markup, void, undefined> {
  const { changes } = shown
  yield html`<section>
<h2 id="changes" data-t>What changed</h2>
`
  if (changes.state === 'first')
    yield html`<p data-t>No earlier state of this service is backed up in this directory, so there is nothing to compare with.</p>\n`
  else if (changes.state === 'not_compared') {
    yield html`<p data-t><span data-t>Not compared with the previous backup, ${changes.previous}:</span> <bdi data-t>${changes.why}</bdi>.</p>\n`
  } else yield* comparedSections(shown, changes)
  yield html`</section>\n`
}

type Compared = Extract<Changes, { readonly state: 'compared' }>

async function* comparedSections(shown: ChangesShown, compared: Compared): AsyncGenerator<Markup, void, undefined> {
  const { previous, changes, kinds } = compared
  const fresh = [...shown.projects.keys()].filter((pid) => !compared.projects.has(pid))
  const gone = [...compared.projects.keys()].filter((pid) => !shown.projects.has(pid))
  const nothing = changes.length + fresh.length + gone.length === 0
  if (kinds.length === 0)
    yield html`<p data-t>No kind of record could be compared with the previous backup, ${previous}.</p>\n`
  else if (nothing)
    yield html`<p data-t><span data-t>No difference from the previous backup, ${previous}, in</span> ${listOf(kinds.map((kind) => said(plural(kind))))}.</p>\n`
  else yield html`<p data-t>Changes since the previous backup, ${previous}:</p>\n${countsTable(changes, kinds)}`
  yield projectList('Projects that are new', fresh, (pid) => shown.projects.get(pid), shown.links)
  yield projectList('Projects that are no longer in the backup', gone, (pid) => compared.projects.get(pid), null)
  yield leftOutList(compared.leftOut)
  let left = NAMED_IN_ALL
  for (const [pid, own] of Map.groupBy(changes, projectOf)) {
    const name = shown.projects.get(pid) ?? compared.projects.get(pid) ?? null
    const title = titleOf(name ?? pid)
    const address = shown.projects.has(pid) ? shown.links.project(pid) : null
    yield html`<h3 lang="${languageOf(title)}">${named(title, address)}</h3>\n`
    for (const kind of RECORD_KINDS) {
      const ofKind = own.filter((change) => change.kind === kind)
      if (ofKind.length === 0) continue
      const some = ofKind.slice(0, Math.min(NAMED, left))
      left -= some.length
      yield await changeList(some, ofKind.length, shown.links)
    }
  }
}

function countsTable(changes: readonly Change[], kinds: readonly RecordKind[]): Markup {
  const rows = kinds.flatMap((kind) => {
    const own = changes.filter((change) => change.kind === kind)
    if (own.length === 0) return []
    const row = [
      said(capital(plural(kind))),
      ...CHANGES.map((name) => own.filter((change) => change.changes.includes(name)).length),
    ]
    return [row]
  })
  const columns = CHANGES.map((name) => ({ title: name, isNumber: true }) as const)
  return table('changes', [{ title: 'kind' }, ...columns], rows)
}

async function changeList(changes: readonly Change[], total: number, links: ReportLinks): Promise<Markup> {
  const items: Markup[] = []
  for (const change of changes) {
    const { kind, before, after } = change
    const title = titleOf((after ?? before)?.title ?? null)
    const address = await links.record(change)
    const details = detailsOf(change).map(([words, ...values]) => {
      if (values.length === 0) return html`<code>${words}</code>`
      const shown = values.map((value) => (value === null ? said('none') : html`<bdi>${value}</bdi>`))
      return html`${said(words)} ${joined(shown, ' → ')}`
    })
    items.push(
      html`<li><span class="tag" data-t>${said(kind)} ${joined(change.changes.map(said), ', ')}</span> <span lang="${languageOf(title)}">${named(title, address)}</span>${details.length > 0 && html` <span class="soft" data-t>${joined(details, ', ')}</span>`}</li>\n`,
    )
  }
  const kind = items.length === 0 ? 'records' : plural(changes[0]?.kind ?? 'page')
  return html`<ul class="rows">
${joined(items)}${more(total - changes.length, ` ${kind}: collab-export diff lists them`)}</ul>
`
}

function projectList(
  heading: string,
  pids: readonly string[],
  nameOf: (pid: string) => string | null | undefined,
  links: ReportLinks | null,
): Markup {
  if (pids.length === 0) return html``
  const some = pids.slice(0, NAMED)
  const items = some.map((pid) => html`<li>${named(titleOf(nameOf(pid) ?? pid), links?.project(pid) ?? null)}</li>\n`)
  return html`<h3 data-t>${heading}</h3>
<ul>
${joined(items)}${more(pids.length - some.length)}</ul>
`
}

/** Records that were not compared, grouped by the reason. */
function leftOutList(leftOut: readonly LeftOut[]): Markup {
  if (leftOut.length === 0) return html``
  const groups = [...Map.groupBy(leftOut, ({ kind, not_in, why }) => JSON.stringify([kind, not_in, why])).values()]
  const items = groups.flatMap((own) => {
    const [first] = own
    if (first === undefined) return []
    const projects = own.filter(({ pid }) => pid !== null).length
    const where = { before: 'the previous backup', after: 'this backup', both: 'both backups' }[first.not_in]
    return [
      html`<li data-t>${said(capital(plural(first.kind)))}${projects > 0 && html` of ${said(counted(projects, 'project'))}`}, not covered by ${where}: ${said(WHY_LEFT_OUT[first.why])}</li>\n`,
    ]
  })
  return html`<p data-t>Not compared:</p>
<ul>
${joined(items)}</ul>
`
}

function plural(kind: RecordKind): string {
  return `${kind}s`
}
