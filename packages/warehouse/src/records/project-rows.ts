import type { ProjectDetail, ProjectListItem, Received } from '@collab-etl/contract'
import type { RecordKinds } from '@collab-etl/contract/streams'
import { projectLabels, projects } from '../tables/projects.ts'
import type { RowWriter } from './row-writer.ts'

/** Fields that both the list and the detail have. */
const SHARED = ['name', 'desc', 'archived', 'pic', 'bg', 'visibility', 'team_id'] as const

/**
 * The detail was read last, so it counts where both have a value; the list's different value is kept in `extra`. Without a detail
 * the list counts.
 */
export function projectRows(rows: RowWriter, { pid, listed, detail }: RecordKinds['project']): void {
  const shared = SHARED.map((name) => [name, detail?.[name] ?? listed?.[name] ?? null])
  const fields = { ...listed, created_by: detail?.created_by, ...Object.fromEntries(shared), pid }
  const extra = { ...listed?.extra, ...detail?.extra }
  rows.write(projects, [], fields, extra, { listed: otherInList(listed, detail) })
  if (detail !== null) rows.list(projectLabels, detail.labels, [rows.pid], 'name')
}

function otherInList(
  listed: Received<typeof ProjectListItem> | null,
  detail: Received<typeof ProjectDetail> | null,
): Record<string, unknown> {
  if (listed === null || detail === null) return {}
  const shared = SHARED.map((name) => [name, listed[name], detail[name]] as const)
  const unknown = Object.entries(listed.extra ?? {}).map(
    ([name, value]) => [name, value, detail.extra?.[name]] as const,
  )
  return Object.fromEntries(
    [...shared, ...unknown]
      .filter(([, ofList, ofDetail]) => hasValue(ofList) && hasValue(ofDetail) && !isEqual(ofList, ofDetail))
      .map(([name, ofList]) => [name, ofList]),
  )
}

function hasValue(value: unknown): boolean {
  return value !== null && value !== undefined
}

function isEqual(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
