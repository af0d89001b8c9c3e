import {
  BareTask,
  Comment,
  Event,
  File,
  Page,
  Post,
  ProjectDetail,
  ProjectListItem,
  type Resource,
  Task,
  Webhook,
} from '@collab-etl/contract'
import type { ConversionIssue, StreamBatch } from '@collab-etl/contract/streams'
import type { Streams } from './snapshot.ts'

type AnyRecord = Record<string, unknown>

interface Part {
  readonly resource: Resource
  readonly of: (record: AnyRecord) => AnyRecord | null
  readonly with: (record: AnyRecord, part: AnyRecord) => AnyRecord
}

const whole = (resource: Resource): Part => ({ resource, of: (record) => record, with: (_, part) => part })

const within = (resource: Resource, field: string): Part => ({
  resource,
  // records of the kinds that have such a field hold an object there, or null
  of: (record) => record[field] as AnyRecord | null,
  with: (record, part) => ({ ...record, [field]: part }),
})

const PARTS: Partial<Record<StreamBatch['kind'], { key: (record: AnyRecord) => unknown; parts: readonly Part[] }>> = {
  project: { key: ({ pid }) => pid, parts: [within(ProjectListItem, 'listed'), within(ProjectDetail, 'detail')] },
  task: { key: ({ tid }) => tid, parts: [whole(Task)] },
  archived_task: { key: ({ tid }) => tid, parts: [whole(BareTask)] },
  page: { key: ({ page_id }) => page_id, parts: [whole(Page)] },
  post: { key: ({ post_id }) => post_id, parts: [whole(Post)] },
  post_comment: { key: keyOfComment('post_id'), parts: [within(Comment, 'comment')] },
  event: { key: ({ event_id, start }) => `${event_id} ${start}`, parts: [whole(Event)] },
  file: { key: ({ fid }) => fid, parts: [whole(File)] },
  file_comment: { key: keyOfComment('fid'), parts: [within(Comment, 'comment')] },
  webhook: { key: ({ wid }) => wid, parts: [whole(Webhook)] },
}

function keyOfComment(parent: string): (record: AnyRecord) => string {
  return (record) => `${record[parent]} ${(record['comment'] as AnyRecord)['cid']}` // comments have an object there
}

/** The same streams as core hands them on when the service leaves fields out of every record, by their place in the resource. */
export function leaveOut(streams: Streams, isLeftOut: (index: number) => boolean): Streams {
  return Object.fromEntries(
    Object.entries(streams).map(([stream, input]) => [
      stream,
      { ...input, batches: input.batches?.map((batch) => ofBatch(batch, isLeftOut)) },
    ]),
  )
}

function ofBatch(batch: StreamBatch, isLeftOut: (index: number) => boolean): StreamBatch {
  const kind = PARTS[batch.kind]
  if (kind === undefined) return batch
  const losses: ConversionIssue[] = []
  const records = batch.records.map((sent) => {
    let record: AnyRecord = { ...sent }
    const recordKey = String(kind.key(record))
    for (const part of kind.parts) {
      const full = part.of(record)
      if (full === null) continue
      const left = { ...full }
      // the fixtures have no optional fields
      const names = Object.keys(part.resource.properties)
      const fields = names.filter((name) => !part.resource.key.includes(name) && Object.hasOwn(full, name))
      for (const [index, field] of fields.entries()) {
        if (!isLeftOut(index)) continue
        left[field] = Array.isArray(full[field]) ? [] : null
        losses.push({ recordKey, field, kind: 'left_out', original: null })
      }
      record = part.with(record, left)
    }
    return record
  })
  // the records keep their kind: only values that may be null became null
  return { ...batch, records, losses } as unknown as StreamBatch
}
