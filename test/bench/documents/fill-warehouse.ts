import type { RecordKind, RecordKinds, ScopeSink, StreamBatch, StreamName } from '@collab-etl/contract/streams'
import { openWarehouse, type Run } from '@collab-etl/warehouse'
import type { Warehouse } from '../measured/snapshot.ts'
import { ProjectRecords } from './records.ts'
import { ProjectTasks } from './tasks.ts'
import type { DocumentWorld } from './world.ts'

/** Records per batch: few, because each may be a large document. */
const BATCH = 500

/** Empty streams; a backup is complete only if all streams were read completely. */
const EMPTY_STREAMS: readonly StreamName[] = ['archived_tasks', 'events', 'files', 'webhooks']

/** Fills a warehouse like a snapshot, without a service. Its schema must exist. */
export async function fillWarehouse(options: Warehouse, world: DocumentWorld): Promise<void> {
  const warehouse = await openWarehouse(options)
  try {
    await using _lock = await warehouse.runs.lock()
    const run = await warehouse.runs.begin({
      baseUrl: 'https://collab.example.com',
      toolVersion: 'bench',
      options: { projects: null, streams: ['projects', 'tasks', 'pages', 'posts', ...EMPTY_STREAMS] },
    })
    for (let project = 0; project < world.projects; project++) {
      const share = (all: number) => Math.floor(all / world.projects) + (project < all % world.projects ? 1 : 0)
      const own = { ...world, pages: share(world.pages), posts: share(world.posts), tasks: share(world.tasks ?? 0) }
      await fillProject(run, new ProjectRecords(project, own), new ProjectTasks(project, own))
    }
    await run.finish({ status: 'succeeded', requests: 0, retries: 0, bytes: 0 })
  } finally {
    await warehouse.close()
  }
}

async function fillProject(run: Run, records: ProjectRecords, tasks: ProjectTasks): Promise<void> {
  const { pid } = records
  const stage = await run.stage(pid)
  const stream = new StreamWriter(stage, pid)
  await stream.write('projects', 'project', [records.detail()])
  await stream.end('projects')
  await stream.write('tasks', 'task', tasks.all())
  await stream.end('tasks')
  await stream.write('pages', 'page', records.pages())
  await stream.end('pages')
  await stream.write('posts', 'post', records.posts())
  await stream.write('posts', 'known_post', records.knownPosts())
  await stream.write('posts', 'post_comment', records.comments())
  await stream.end('posts')
  for (const empty of EMPTY_STREAMS) await stream.end(empty)
  await stage.publish({ maxShrink: 0, allowShrink: false })
}

/** Writes the streams of one project, one after the other. */
class StreamWriter {
  readonly #sink: ScopeSink
  readonly #pid: string
  #read = 0

  constructor(sink: ScopeSink, pid: string) {
    this.#sink = sink
    this.#pid = pid
  }

  async write<K extends RecordKind>(stream: StreamName, kind: K, records: Iterable<RecordKinds[K]>): Promise<void> {
    let batch: RecordKinds[K][] = []
    const flush = async () => {
      // the signature keeps kind and records together, which a union type cannot express
      const whole = { kind, records: batch, losses: [] } as unknown as StreamBatch
      await this.#sink.write({ pid: this.#pid, stream }, whole)
      // a discovered id is not a record that was read
      if (kind !== 'known_post') this.#read += batch.length
      batch = []
    }
    for (const record of records) if (batch.push(record) >= BATCH) await flush()
    if (batch.length > 0) await flush()
  }

  async end(stream: StreamName): Promise<void> {
    const now = new Date()
    await this.#sink.end({
      scope: { pid: this.#pid, stream },
      status: 'complete',
      pages: 1,
      read: this.#read,
      requests: 0,
      bytes: 0,
      startedAt: now,
      finishedAt: now,
    })
    this.#read = 0
  }
}
