import fc from 'fast-check'
import type { TableName } from '../../src/tables/table.ts'
import type { Data, Row } from '../analysis/data.ts'

/** Times of versions; no run began at the third. */
export const MOMENTS = [1, 2, 3, 4, 5, 6].map((day) => `2024-03-0${day}T01:00:00.000Z`)
export const isRun = (_: string, index: number) => index !== 2

/** Rows of some shapes: of two key columns, of three, without project, with a project that is no part of the key. */
export const SHAPES: Partial<Record<TableName, (id: number, value: number) => Row>> = {
  tasks: (id, value) => ({
    tid: `t${id}`,
    name: value === 0 ? null : 'Same',
    position: value / 3,
    extra: { odd: [value] },
  }),
  task_members: (id) => ({ tid: `t${id}`, uid: 'u1' }),
  pages: (id, value) => ({ page_id: `g${id}`, content: `${value}`, parent_id: value === 2 ? 'g0' : null }),
  users: (id, value) => ({ uid: `u${id}`, display_name: `${value}`, online: value }),
  webhooks: (id, value) => ({ wid: `w${id}`, pid: value === 0 ? null : `p${value}`, actions: ['a', `${value}`] }),
  events: (id, value) => ({
    event_id: `v${id}`,
    starts_at: '2024-05-06T07:08:09.123Z',
    ends_at: value === 1 ? null : '2024-05-07',
  }),
}

/** What a record is at each moment: nothing, a value, or a new version with the same values. */
export const history = fc.record({
  table: fc.constantFrom(...(Object.keys(SHAPES) as TableName[])),
  states: fc.array(fc.constantFrom(null, 0, 1, 2, 'same' as const), {
    minLength: MOMENTS.length,
    maxLength: MOMENTS.length,
  }),
})

/** Writes a record's states at all moments down as versions. */
export async function addVersions(
  data: Data,
  table: TableName,
  id: number,
  states: readonly (number | 'same' | null)[],
): Promise<void> {
  const versions: { value: number; from: string; to: string | null }[] = []
  let open: { value: number; from: string; to: string | null } | undefined
  for (const [index, state] of states.entries()) {
    const at = MOMENTS[index] ?? ''
    const value = state === 'same' ? (open?.value ?? null) : state
    if (open !== undefined && value === open.value && state !== 'same') continue
    if (open !== undefined) open.to = at
    open = value === null ? undefined : { value, from: at, to: null }
    if (open !== undefined) versions.push(open)
  }
  const rowOf = ({ value, from }: { value: number; from: string }) => ({
    ...SHAPES[table]?.(id, value),
    valid_from: from,
  })
  await data.addPast(
    table,
    versions.flatMap((version) => (version.to === null ? [] : [{ ...rowOf(version), valid_to: version.to }])),
  )
  const last = versions.at(-1)
  if (last !== undefined) await data.add(table, [{ ...rowOf(last), deleted_at: last.to }])
}
