import { type Context, plainText } from '@collab-etl/cli'
import type { ScopeResult, StreamName } from '@collab-etl/contract/streams'
import {
  type Client,
  isNotFound,
  type KnownId,
  type LinkRule,
  type ProjectToRead,
  type ReadProjectOptions,
  readPersonalWebhooks,
  readProject,
} from '@collab-etl/core'
import type { KnownKind, ProjectStage, Run, Warehouse } from '@collab-etl/warehouse'
import type { Display } from '../reading/display.ts'
import { knownThings } from '../reading/known-ids.ts'
import { observedSink } from '../reading/observed-sink.ts'
import { storedEventsOf } from '../reading/stored-events.ts'
import { type FoundThings, leftMessage } from './found-things.ts'
import type { SnapshotOptions } from './options.ts'
import { ACCESS_LOST } from './outcome.ts'
import { RESUMED, type Resumable, watchedPages } from './resume.ts'
import { type Tally, unreadScope } from './tally.ts'

const LOST = {
  code: ACCESS_LOST,
  message: 'the token no longer has access to this project (permission 0): its content is as an earlier run read it',
}

/** A text may contain thousands of words that look like links: at most this many per project and run may be not found. */
const MAX_MISSING = 100

/** What reading projects needs and leaves its results in. */
export interface Reading {
  readonly client: Client
  /** Projects of the run, listed or named: what their ids tell of a link. */
  readonly pids: Set<string>
  readonly linkRule: LinkRule
  readonly warehouse: Warehouse
  readonly run: Run
  readonly options: SnapshotOptions
  readonly resumed: Resumable | null
  /** Projects whose archived walk went on where the resumed run was broken off, and from which page. */
  readonly resumedWalks: Map<string, number>
  readonly log: Context['log']
  readonly tally: Tally
  readonly found: FoundThings
  readonly display: Display
  /** Projects without permission that an earlier run could read. */
  readonly lost: Set<string>
  /** Projects that were read although they are missing from the list. */
  readonly unlisted: string[]
  readonly events: EventsRead
}

/** What is known of events that lie outside the range that is read. */
interface EventsRead {
  /** The range; `null`: no events were read yet. */
  range: { readonly from: Date; readonly to: Date } | null
  /** Stored events of the range that were moved out of it. */
  moved: number
}

/** Reads a project whole and publishes it: afterwards it is wholly new, or, if this throws, wholly as it was. */
export async function readOneProject(reading: Reading, project: ProjectToRead, signal: AbortSignal): Promise<void> {
  const { client, warehouse, run, options, resumed, resumedWalks, log } = reading
  const { pid } = project
  if (resumed?.published.has(pid)) return await publishResumed(reading, pid, resumed.runId)
  // Without --project, unlisted projects were requested before.
  if (options.projects !== null && project.listed === null && !(await isVisible(client, pid, signal))) {
    const error = { code: 'NOT_VISIBLE', message: `the token sees no project ${pid}` }
    return await publishUnread(reading, pid, [unreadScope({ pid, stream: 'projects' }, 'failed', error)])
  }
  const known = await knownThings(warehouse, pid, namedPosts(options, pid))
  const archivedPages = watchedPages(run.archivedPages(pid), (page) => {
    resumedWalks.set(pid, page)
    log.info({ pid, page }, `project ${pid}: the walk over archived tasks goes on from page ${page}`)
  })
  const noPermission = reading.lost.has(pid) ? LOST : undefined
  const storedEvents = storedEventsOf(warehouse, pid)
  const more = { archivedPages, noPermission, storedEvents, signal }
  await readAndPublish(reading, project, { streams: options.streams, ...known, ...more })
}

/** Posts and files of a project that others led to after it was read. */
export interface FollowUp {
  readonly project: ProjectToRead
  readonly knownPosts: readonly KnownId[]
  readonly knownFiles: readonly KnownId[]
}

/** What is to be followed up now. Where a project's own posts or files failed as a whole, these are left for another run. */
export function followUps({ found, tally }: Reading, projects: readonly ProjectToRead[]): FollowUp[] {
  const take = (kind: KnownKind, stream: StreamName, pid: string) =>
    tally.isRead(pid, stream) ? found.takeToFollow(kind, pid) : []
  return projects
    .map((project) => ({
      project,
      knownPosts: take('post', 'posts', project.pid),
      knownFiles: take('file', 'files', project.pid),
    }))
    .filter(({ knownPosts, knownFiles }) => knownPosts.length + knownFiles.length > 0)
}

/** Reads them, and what they lead to in the same project. */
export async function readFollowUp(
  reading: Reading,
  { project, ...known }: FollowUp,
  signal: AbortSignal,
): Promise<void> {
  const { warehouse, options } = reading
  const { waitingPosts, waitingFiles } = await knownThings(warehouse, project.pid, namedPosts(options, project.pid))
  const streams = new Set((['posts', 'files'] as const).filter((stream) => reading.options.streams.has(stream)))
  await readAndPublish(reading, project, { streams, ...known, waitingPosts, waitingFiles, signal })
}

/** Posts of a project that the user names; they are always requested. */
function namedPosts({ namedPosts }: SnapshotOptions, pid: string): ReadonlySet<string> {
  return new Set(namedPosts.filter((named) => named.pid === pid).map(({ id }) => id))
}

/** The list's own scope, and what belongs to no project. */
export async function readUnowned(reading: Reading, list: ScopeResult, signal: AbortSignal): Promise<void> {
  const { client, options } = reading
  await publish(reading, null, async (stage) => {
    await stage.end(list)
    if (options.projects === null && options.streams.has('webhooks'))
      await readPersonalWebhooks(client, stage, { signal })
  })
}

async function readAndPublish(reading: Reading, project: ProjectToRead, what: ReadProjectOptions): Promise<void> {
  const { client, linkRule, options, found, display, log } = reading
  const { pid, listed } = project
  const line = display.project(plainText(listed?.name || pid))
  let finished = false
  try {
    await publish(reading, pid, async (stage) => {
      const sink = observedSink(stage, {
        onWrite: ({ stream }, batch) => {
          found.note(pid, batch)
          line.add(stream, batch)
        },
        onRestart: ({ stream }) => line.void(stream),
      })
      const { eventsFrom, eventsTo, archivedPageSize, links: linkPatterns } = options
      const results = await readProject(
        client,
        project,
        { ...what, eventsFrom, eventsTo, archivedPageSize, linkPatterns, linkRule, maxMissing: MAX_MISSING },
        sink,
      )
      for (const { scope, discovered: counts, range, beyond = [], error } of results) {
        reading.events.range ??= range ?? null
        reading.events.moved += beyond.length
        if (counts === undefined) continue
        const kind = scope.stream === 'files' ? 'file' : 'post'
        found.addCounts(kind, pid, counts)
        if (counts.left > 0 && error?.code !== 'NOT_REQUESTED') {
          log.warn({ pid, left: counts.left, in: counts.leftIn }, leftMessage(kind, pid, counts))
        }
      }
      line.doing('storing')
    })
    finished = true
  } finally {
    line.end(finished)
  }
}

/** Stages what `read` hands on and publishes it in one transaction; if `read` fails, nothing of it is stored. */
async function publish(
  reading: Reading,
  pid: string | null,
  read: (stage: ProjectStage) => Promise<unknown>,
): Promise<void> {
  const stage = await reading.run.stage(pid)
  try {
    await read(stage)
  } catch (error) {
    // The first error is the one to tell; a stage that cannot be discarded any more is gone anyway.
    await stage.discard().catch(() => {})
    throw error
  }
  reading.tally.addPublished(await stage.publish(reading.options.limits))
}

/** Publishes scopes of a project that were not read. */
export function publishUnread(reading: Reading, pid: string, scopes: readonly ScopeResult[]): Promise<void> {
  return publish(reading, pid, async (stage) => {
    for (const scope of scopes) await stage.end(scope)
  })
}

function publishResumed(reading: Reading, pid: string, runId: string): Promise<void> {
  const error = { code: RESUMED, message: `published by run ${runId}, which this run resumes` }
  const scopes = [...reading.options.streams].map((stream) => unreadScope({ pid, stream }, 'skipped', error))
  return publishUnread(reading, pid, scopes)
}

/** Whether a project that is not in the list can be read all the same, as public ones may be. */
async function isVisible(client: Client, pid: string, signal: AbortSignal): Promise<boolean> {
  try {
    await client.projects.get({ pid }, { signal })
    return true
  } catch (error) {
    // Any other failure is told by the scopes, or ends the run, when the project is read.
    return !isNotFound(error)
  }
}
