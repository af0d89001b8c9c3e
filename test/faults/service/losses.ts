import type { PageRecord, Store, TaskRecord } from '@collab-etl/sandbox'
import type { ExpectedLoss } from './night.ts'
import { projectOf } from './world.ts'

/** A conversion issue in a list of P1; `original` is the sent value, if it must match exactly. */
export function loss(stream: string, key: string, field: string, kind: string, original?: unknown): ExpectedLoss {
  const place = { pid: 'P1', stream, record_key: key, field, kind }
  return original === undefined ? place : { ...place, original: JSON.stringify(original) }
}

/** The first page and the first task of P1. */
export function firstOf(world: Store): { page: PageRecord; task: TaskRecord } {
  const { pages, tasks } = projectOf(world, 'P1')
  const [page, task] = [pages[0], tasks[0]]
  if (page === undefined || task === undefined) throw new Error('the world has neither')
  return { page, task }
}
