import type { RecordLoss, StreamBatch } from '@collab-etl/contract/streams'

/** Losses for records that name another project than the one they were read from (`null`: none). */
export function misplaced(pid: string | null, batch: StreamBatch): RecordLoss[] {
  const losses: RecordLoss[] = []
  for (const { key, field, named } of namedProjects(batch)) {
    if (!named || named === pid) continue
    losses.push({ recordKey: key, field, kind: 'misplaced', original: JSON.stringify(named) })
  }
  return losses
}

interface NamedProject {
  readonly key: string
  readonly field: string
  readonly named: string | null | undefined
}

function namedProjects(batch: StreamBatch): NamedProject[] {
  const field = 'pid'
  switch (batch.kind) {
    case 'project':
      return batch.records.map(({ pid, detail }) => ({ key: pid, field, named: detail?.pid }))
    case 'task':
    case 'archived_task':
      return batch.records.map(({ tid, pid }) => ({ key: tid, field, named: pid }))
    case 'page':
      return batch.records.map(({ page_id, pid }) => ({ key: page_id, field, named: pid }))
    case 'post':
      return batch.records.map(({ post_id, pid }) => ({ key: post_id, field, named: pid }))
    case 'event':
      return batch.records.map(({ event_id, start, project }) => ({
        key: `${event_id} ${start}`,
        field: 'project.pid',
        named: project?.pid,
      }))
    case 'file':
      return batch.records.map(({ fid, pid }) => ({ key: fid, field, named: pid }))
    case 'webhook':
      return batch.records.map(({ wid, pid }) => ({ key: wid, field, named: pid }))
    default:
      return []
  }
}
