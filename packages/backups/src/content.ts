import { STREAMS, type StreamName } from '@collab-etl/contract/streams'

/** The kinds of content that a backup can hold. Projects are always in it. */
export const CONTENT = ['pages', 'posts', 'tasks', 'events', 'files', 'users'] as const

/** One of these kinds. */
export type Content = (typeof CONTENT)[number]

interface FormatFacts {
  /** Its name in help, messages and reports. */
  readonly title: string
  /** The kinds that it can hold. */
  readonly holds: readonly Content[]
  /** What a reader opens first, within a backup. */
  readonly start: string
}

const BUT_USERS = CONTENT.filter((kind) => kind !== 'users')

/** The formats of a backup, in the order in which they are written. */
const FACTS = {
  markdown: { title: 'Markdown', holds: BUT_USERS, start: 'data/markdown/README.md' },
  csv: { title: 'CSV', holds: CONTENT, start: 'data/csv' },
  html: { title: 'HTML', holds: CONTENT, start: 'data/html/index.html' },
  // no list of users: its records embed them
  jsonl: { title: 'JSON lines', holds: BUT_USERS, start: 'data/jsonl' },
} as const satisfies Readonly<Record<string, FormatFacts>>

export type Format = keyof typeof FACTS

export const FORMATS = Object.keys(FACTS) as readonly Format[] // typed as texts

export function formatFacts(format: Format): FormatFacts {
  return FACTS[format]
}

/** The kinds that a format can hold; empty if this version does not know the format. */
function heldBy(format: string): readonly Content[] {
  return FORMATS.flatMap((known) => (known === format ? FACTS[known].holds : []))
}

/** The kinds of `wanted` that at least one of the formats can hold, in the order of `CONTENT`. */
export function heldContent(formats: Iterable<string>, wanted: Iterable<Content> = CONTENT): ReadonlySet<Content> {
  const all = new Set(wanted)
  const held = new Set([...formats].flatMap(heldBy))
  return new Set(CONTENT.filter((kind) => all.has(kind) && held.has(kind)))
}

/** What all formats but JSON lines held before manifests listed the kinds. */
const FIRST_KINDS: readonly Content[] = ['pages', 'posts']

/** The kinds of content of a backup according to its manifest. */
export function contentOf(manifest: {
  readonly formats: readonly string[]
  readonly content?: readonly string[]
}): ReadonlySet<Content> {
  const { formats, content: listed } = manifest
  if (listed === undefined) return formats.includes('jsonl') ? heldContent(['jsonl']) : new Set(FIRST_KINDS)
  return new Set(CONTENT.filter((kind) => listed.includes(kind)))
}

/** The kinds of content that a backup holds in one of its formats. */
export function contentIn(format: string, manifest: Parameters<typeof contentOf>[0]): ReadonlySet<Content> {
  const isOlder = manifest.content === undefined && format !== 'jsonl'
  return heldContent(manifest.formats.includes(format) ? [format] : [], isOlder ? FIRST_KINDS : contentOf(manifest))
}

/** The streams whose records are of a kind. Users are also in the records of all other streams. */
const STREAMS_OF: Readonly<Record<Content, readonly StreamName[]>> = {
  pages: ['pages'],
  posts: ['posts'],
  tasks: ['entries', 'tasks', 'archived_tasks', 'task_comments'],
  events: ['events'],
  files: ['files'],
  users: ['members', 'teams'],
}

/** Posts and files are discovered in the records of all streams, and users are embedded in them. */
const NEED_ALL: readonly Content[] = ['posts', 'files', 'users']

/** The streams that the records of a kind come from. */
export function streamsOf(kind: Content): readonly StreamName[] {
  return STREAMS_OF[kind]
}

/**
 * The streams whose records a backup holds. JSON lines always have webhooks.
 * @param content the kinds that were requested: Markdown and JSON lines have members, although they hold no list of users
 */
export function streamsHeld(formats: Iterable<string>, content: ReadonlySet<Content>): readonly StreamName[] {
  const held = new Set<StreamName>([...content].flatMap((kind) => STREAMS_OF[kind]))
  return STREAMS.filter((name) => name === 'projects' || held.has(name) || isWebhooks(name, formats))
}

/** The streams that a backup depends on: if one was not read completely, the backup is partial. */
export function streamsNeeded(formats: Iterable<string>, content: ReadonlySet<Content>): readonly StreamName[] {
  if (!NEED_ALL.some((kind) => content.has(kind))) return streamsHeld(formats, content)
  return STREAMS.filter((name) => name !== 'webhooks' || isWebhooks(name, formats))
}

function isWebhooks(name: StreamName, formats: Iterable<string>): boolean {
  return name === 'webhooks' && [...formats].includes('jsonl')
}
