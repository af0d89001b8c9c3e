import type { EntryMapping } from '../entries.ts'
import type { FurtherKind } from '../item.ts'
import type { JournalState } from '../journal-state.ts'
import type { Plan } from '../plan.ts'
import type { RestoreRequest } from '../request.ts'
import type { Possible } from './kinds.ts'
import { isOfRecord, valuesOf } from './values.ts'

/** Numbers of values. */
export interface PlannedValues {
  readonly toCreate: Readonly<Partial<Record<FurtherKind, number>>>
  readonly before: Readonly<Partial<Record<FurtherKind, number>>>
}

/** Counts the values of records that a restore would write, and those that earlier runs wrote. */
export async function plannedValues(
  { items }: Plan,
  read: RestoreRequest['read'],
  {
    state,
    possible,
    entries: { rows },
  }: { state: JournalState; possible: Possible; entries: Pick<EntryMapping, 'rows'> },
): Promise<PlannedValues> {
  const counts = {
    toCreate: {} as Partial<Record<FurtherKind, number>>,
    before: {} as Partial<Record<FurtherKind, number>>,
  }
  if (possible.kinds.size === 0) return counts
  const leftOut = leftOutGroups(rows)
  for (const item of items) {
    const call = state.of({ call: item.kind, id: item.id })
    if (item.kind === 'page' || (call === undefined && item.kind === 'task' && leftOut.has(item.entryId))) continue
    // A newer backup of the target itself has what was created.
    if (call?.state === 'done' && call.newId === item.id) continue
    for (const value of valuesOf(item, await read(item), possible)) {
      const { kind, id } = value
      const earlier = state.of({ call: kind, id })?.state
      if (earlier === 'begun' || (earlier === undefined && isOfRecord(value) && state.isWritten(item.id))) continue
      const sum = earlier === 'done' ? counts.before : counts.toCreate
      sum[kind] = (sum[kind] ?? 0) + 1
    }
  }
  return counts
}

/** Groups of the backup whose tasks are not created. */
export function leftOutGroups(rows: EntryMapping['rows']): ReadonlySet<string> {
  return new Set(rows.filter(({ to, by }) => to === null && by !== 'created').map(({ group }) => group.id))
}
