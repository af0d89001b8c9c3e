import { count, counted, day, html, listOf, type Markup, said, time } from '@collab-etl/documents/html/parts'
import { failedStepNames, type Night, type Step, scopeKeys } from '../night.ts'
import type { ReportCounts, ReportFacts, ReportScope } from './facts.ts'

/** The outcome of a night in one sentence. */
export function headline({ outcome, steps, exit_code: code, snapshot, attempts = 1 }: Night): Markup {
  if (outcome === 'whole') {
    const known = snapshot?.accepted?.length ? ', except for accepted failures' : ''
    const tries = attempts > 1 && said(`, in ${attempts} attempts`)
    return html`${said(`Everything was read and backed up${known}`)}${tries}`
  }
  const failed = failedStepNames(steps)
  if (failed.length === 0) {
    return said(outcome === 'partial' ? 'Some data is incomplete' : `The run failed (exit ${code})`)
  }
  const capital = (name: string) => name.replace(/^./, (letter) => letter.toUpperCase())
  const names = failed.map((name, index) => said(index === 0 ? capital(name) : name))
  return html`<span data-t>${listOf(names)} failed</span>`
}

/** Since when nights do not succeed; `null`: the last one did. */
export function sinceText({ consecutive_failures: nights, failing_since: since, outcome }: Night): Markup | null {
  if (outcome === 'whole' || since === null) return null
  if (nights === 1) return said('This is the first run that did not succeed.')
  return html`<span data-t>${counted(nights, 'run')} in a row did not succeed, since${day(since)}.</span>`
}

/** What is still safe after a night that did not succeed; `null`: it did. */
export function safeText(night: Night): Markup | null {
  const { outcome, started_at: start, last_whole_at: whole, backup, verification } = night
  if (outcome === 'whole') return null
  const isDamaged = verification !== null && verification.damaged > 0
  const written =
    backup === null
      ? said('No backup was written.')
      : html`<span data-t>Backup <bdi>${backup.name}</bdi> holds everything that was read.</span>`
  const tonight = isDamaged ? html`<span data-t>Backup <bdi>${verification.backup}</bdi> is damaged.</span>` : written
  if (whole === start) return tonight
  const before =
    whole === null
      ? said('No run has read and backed up everything yet.')
      : html`<span data-t>The last run that read and backed up everything began on ${time(whole)}.</span>`
  return html`${tonight} ${before}`
}

/** The steps of the last night that did not succeed, and since when each did not, night after night for the same causes. */
export function failedSteps(
  nights: readonly Night[],
): { readonly step: Step; readonly since: string; readonly nights: number }[] {
  const steps = nights.at(-1)?.steps ?? []
  return steps
    .filter(({ status }) => status === 'failed' || status === 'partial')
    .map((step) => {
      const cause = causeOf(nights.at(-1) ?? { snapshot: null }, step)
      const isOther = (night: Night) => {
        const same = night.steps.find(({ name }) => name === step.name)
        return same === undefined || causeOf(night, same) !== cause
      }
      const bad = nights.slice(nights.findLastIndex(isOther) + 1)
      return { step, since: bad[0]?.started_at ?? step.started_at, nights: bad.length }
    })
}

/** The cause of a step that did not succeed: the scopes that are incomplete, else its reason without numbers and names of backups. */
function causeOf(night: Pick<Night, 'snapshot'>, { status, reason }: Step): string {
  const scopes = status === 'partial' ? scopeKeys(night) : []
  return [status, ...(scopes.length > 0 ? scopes : [(reason ?? '').replaceAll(/\d+/g, '0')])].join(' ')
}

/** What the status of a scope means. */
const STATUS_TEXTS: Readonly<Record<string, string>> = {
  failed: 'could not be read',
  partial: 'was read in part',
  drifted: 'changed while it was read, or may be cut off',
  refused: 'was read, but the deletion guard refused to mark rows deleted',
  carried: 'was not read, because its account failed',
  skipped: 'may no longer be read',
}

/** What is wrong with a scope, and since when, as a sentence without its subject. */
export function scopeText({ status, since, runs, unread_items: items, last_complete_at: whole }: ReportScope): Markup {
  const missing = items > 0 && html` ${said(`(${counted(items, 'item')} missing)`)}`
  const what = html`${said(STATUS_TEXTS[status] ?? `is ${status}`)}${missing}`
  if (runs <= 1 && whole !== null) return html`${what} ${said('for the first time')}`
  return html`${what} <span data-t>since${day(since)}${said(`, ${counted(runs, 'run')}`)}</span>${whole === null && said(', and never completely before')}`
}

/** The incomplete scopes as the record of runs has them, for a report without the warehouse. */
export function scopesOnRecord(nights: readonly Night[]): ReportScope[] {
  const withSnapshot = nights.filter(({ snapshot }) => snapshot !== null)
  const last = withSnapshot.at(-1)
  return (last?.snapshot?.not_whole ?? []).map(({ pid, project_name: name, stream, status, error }) => {
    const isIn = ({ snapshot }: Night) =>
      snapshot?.not_whole.some((scope) => scope.pid === pid && scope.stream === stream) ?? false
    const bad = withSnapshot.slice(withSnapshot.findLastIndex((night) => !isIn(night)) + 1)
    const whole = withSnapshot[withSnapshot.length - bad.length - 1]?.started_at ?? null
    return {
      pid,
      project_name: typeof name === 'string' ? name : null,
      stream,
      status,
      error,
      unread_items: 0,
      last_complete_at: whole,
      since: bad[0]?.started_at ?? '',
      runs: bad.length,
    }
  })
}

/** `12 added, 3 changed, 1 deleted`; parts that are 0 are left out. */
export function changesText({ inserted, updated, deleted }: ReportCounts): string {
  const parts = [
    [inserted, 'added'],
    [updated, 'changed'],
    [deleted, 'deleted'],
  ] as const
  return parts
    .filter(([number]) => number > 0)
    .map(([number, word]) => `${count(number)} ${word}`)
    .join(', ')
}

/** Which run the changes by project are of; `null`: the last night's. */
export function otherRunText({ nights, changes }: ReportFacts): Markup | null {
  if (changes === null || nights.at(-1)?.snapshot?.run_id === changes.run_id) return null
  return html`<span data-t>Of the run that began on ${time(changes.started_at)}, the last one that finished.</span>`
}
