import type { StreamName } from '@collab-etl/contract/streams'
import type { ScopeState } from '@collab-etl/warehouse'

/** The singular of each kind that is counted, in the order in which they are shown. */
export const KIND_WORDS = {
  pages: 'page',
  posts: 'post',
  post_comments: 'comment',
  tasks: 'task',
  task_comments: 'task comment',
  events: 'event',
  files: 'file',
} as const

/** One record of a stream. */
export const RECORD_WORDS: Readonly<Record<StreamName, string>> = {
  projects: 'project',
  members: 'member',
  entries: 'task group',
  tasks: 'task',
  archived_tasks: 'archived task',
  task_comments: 'task comment',
  pages: 'page',
  posts: 'post',
  events: 'event',
  files: 'file',
  webhooks: 'webhook',
  teams: 'team',
}

/** What a stream reads. */
export function streamWords(stream: StreamName): string {
  return stream === 'projects' ? 'the project itself' : `${RECORD_WORDS[stream]}s`
}

/** How the reading of a scope that is not whole ended. */
const STATUS_WORDS: Readonly<Record<string, string>> = {
  failed: 'could not be read',
  partial: 'some items could not be read',
  drifted: 'the list changed while it was read, or it may be cut',
  refused: 'read, but no row was marked deleted, because there were more than the deletion guard allows',
  skipped: 'not read, because the token has no permission',
  carried: 'not read, because the account that can read them failed; earlier records are kept',
}

export function statusWords(status: string): string {
  return STATUS_WORDS[status] ?? status
}

/** What to do about scopes that are not whole; the rows of docs/troubleshooting.md. */
export function adviceFor({ status, error }: Pick<ScopeState, 'status' | 'error'>): string {
  const code = error?.code ?? ''
  const known = ADVICE[code]
  if (known !== undefined) return known
  if (status === 'partial') return 'Look at the items in the service. The next run requests them again.'
  if (status === 'drifted') return 'Run again when fewer people are at work.'
  if (status === 'refused')
    return 'Check in the service whether so much was really deleted. If so, run snapshot once with --allow-shrink.'
  if (status === 'skipped')
    return 'Give the user of the token permission in the project, if these records are to be in the backup.'
  if (/^(?:HTTP_5\d\d|TIMEOUT|RESET)$/.test(code)) return 'Run again later, with a lower --concurrency or with --rate.'
  return 'Look the code up in docs/troubleshooting.md of collab-etl, and run again.'
}

const ADVICE: Readonly<Record<string, string>> = {
  ACCOUNT_FAILED: 'Replace the token of the account, and run again.',
  NO_PROJECTS: 'Check that the token is that of a user who sees the projects.',
  NOT_STORED: 'The message names what is missing. Run a snapshot of the project.',
  PAGE_IGNORED:
    'The service ignores the page number, so the list cannot be read. Report it to the operator of the service.',
  NOT_REQUESTED: 'The next run requests the rest.',
  TASKS_UNREAD: 'See why the lists of tasks are incomplete. The next run that reads them reads the comments, too.',
  BUDGET: 'Wait for the next runs, or raise --max-requests or --max-duration.',
  NEVER_READ: 'Run collab-extract snapshot without --project and --streams.',
  LEFT_OUT:
    'Run collab-extract snapshot again. If that does not help, check in the service that the project is listed.',
  POSSIBLY_CAPPED: 'For events, use --events-window 31d or less. Otherwise ask the operator of the service.',
}

/** What was done with a value that could not be kept exactly, by kind of conversion issue. */
const ISSUE_WORDS: Readonly<Record<string, string>> = {
  coerced: 'Values of another type or form than documented: converted',
  rounded: 'Numbers with more digits than can be stored: the nearest value was stored',
  out_of_range: 'Numbers that do not fit: left empty',
  invalid_timestamp: 'Dates that do not exist: left empty',
  left_out: 'Fields that the service did not send: the stored value was kept, or left empty',
  missing: 'Fields that the service sent as null although its documentation has a value: left empty',
  null_list: 'Lists that the service sent as null: read as empty, and nothing was deleted',
  unreadable: 'Values of another type: the stored value was kept, or left empty',
  unkeyed: 'Elements without an id: not stored',
  duplicate: 'Two different records with the same id: the later one was stored',
  repeated_field: 'Fields that one record has twice: the last value was stored',
  misplaced: 'Records that name another project: kept in the one they were read from',
  invalid_utf8: 'Bytes that are not text: replaced by U+FFFD',
  nul_character: 'Characters that cannot be stored: replaced by U+FFFD',
  lone_surrogate: 'Incomplete characters (lone surrogates): replaced by U+FFFD',
  too_long: 'Ids of more than 512 bytes: shortened',
  unaskable: 'Ids that no request can contain: what they name was not read',
  cut: 'Lists with fewer elements than the record states: those that were received were stored',
  unlisted: 'Pages whose parent is not in the list of pages',
  parent_missing: 'Pages whose parent is not in the project: shown at the top',
  parent_cycle: 'Pages that are each other’s parent: one of them is shown at the top',
  path_too_long: 'Pages too deep for a file path: shown at the top',
  link_target_missing: 'Links to pages, posts, files or projects that are not in the backup: left as they were',
  links_not_rewritten: 'Texts that would take too long to parse: their links were left as they were',
  html_not_rendered: 'Texts that would take too long to parse: shown as plain text',
  not_in_icalendar: 'Events before the year 0 or after 9999: not in events.ics',
}

export function issueWords(kind: string): string {
  return ISSUE_WORDS[kind] ?? 'Values that were not kept exactly'
}

/** `5 January 2026, 02:00 UTC`; any other text as it is. */
export function timeText(iso: string): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return iso
  return `${DAY.format(time)}, ${time.toISOString().slice(11, 16)} UTC`
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** `a, b and c`. */
export function listed(words: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(words)
}

export function capital(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

/** UTF-16 units of an id, a message or a value that are shown. */
const TEXT_SHOWN = 300

/** A text of the service, cut if it is long. */
export function shortened(text: string): string {
  return text.length <= TEXT_SHOWN ? text : `${text.slice(0, TEXT_SHOWN).toWellFormed()}…`
}
