import type { Member, ProjectDetail, ProjectListItem, ProjectReference, Received } from '@collab-etl/contract'
import type { RecordKinds } from '@collab-etl/contract/streams'
import { projectLabels, projectMembers, projects } from '../tables/projects.ts'
import type { RowWriter } from './row-writer.ts'
import type { ReceivedUser } from './scope-memory.ts'
import { storable } from './text.ts'

/** Fields that both the list and the detail have. */
const SHARED = ['name', 'desc', 'archived', 'pic', 'bg', 'visibility', 'team_id'] as const

/** Fields that only the list has, and fields that only the detail has. If one of the two was not read, its fields keep their stored values. */
const NOT_IN_DETAIL = new Set(['is_star', 'pos', 'member_count', 'curr_role', 'permission'])
const NOT_IN_LIST = new Set(['created_by'])
const NOT_IN_TEAM = new Set(['created_by', 'is_star', 'pos', 'member_count', 'curr_role'])

/**
 * The detail was read last, so it counts where both have a value; the list's different value is kept in `extra`. Without a detail
 * the list counts.
 */
export function projectRows(rows: RowWriter, { pid, listed, detail }: RecordKinds['project']): void {
  if (listed === null) rows.leaveOut(NOT_IN_DETAIL)
  if (detail === null) rows.leaveOut(NOT_IN_LIST)
  const shared = SHARED.map((name) => [name, detail?.[name] ?? listed?.[name] ?? null])
  const fields = { ...listed, created_by: detail?.created_by, ...Object.fromEntries(shared), pid }
  const extra = { ...listed?.extra, ...detail?.extra }
  rows.write(projects, [], fields, extra, { listed: otherInList(listed, detail) })
  if (detail !== null) rows.list(projectLabels, detail.labels, [rows.pid], 'name')
}

/** A project that only the list of a team shows: the fields of that list, and the permission to read nothing of it. */
export function teamProjectRows(rows: RowWriter, { team_id, project }: RecordKinds['team_project']): void {
  rows.leaveOut(NOT_IN_TEAM)
  rows.write(projects, [], { ...project, team_id, permission: 0 }, project.extra)
}

/** A member of the project: fields of the membership in a row of its own, those of the user in `users`. */
export function memberRows(rows: RowWriter, member: Received<typeof Member>): void {
  const uid = rows.user(userOf(member), '')
  if (uid === null) rows.lose('', 'unkeyed', member)
  else rows.write(projectMembers, [rows.pid, uid], member, member.extra)
}

/** The fields of a member that any user has; unknown ones are of the membership. */
export function userOf({ extra: _, role: _role, join_date: _joined, ...user }: Received<typeof Member>): ReceivedUser {
  return user
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

type Reference = Received<typeof ProjectReference> | null

/**
 * The values of an embedded project (docs/dev/service-api.md#projectreference) that have no column: unknown fields, and all fields of a
 * project that is not the one the record was read from. Name, icon and colour of the own project are copies.
 */
export function referenceExtra(rows: RowWriter, reference: Reference): Record<string, unknown> | undefined {
  const extra = rows.withOtherPid(reference?.extra, reference?.pid)
  return extra?.['pid'] !== undefined && isOther(rows, reference) ? { ...shownOf(reference), ...extra } : extra
}

/** How a record describes its own project, if that differs from the first record of the scope; mostly `null`. */
export function otherProject(rows: RowWriter, reference: Reference): Record<string, unknown> | null {
  if (reference === null || isOther(rows, reference)) return null
  const shown = shownOf(reference)
  const text = JSON.stringify(shown)
  rows.shown.project = text
  return rows.memory.isOtherProject(text) ? shown : null
}

function isOther(rows: RowWriter, reference: Reference): boolean {
  const pid = reference?.pid ?? ''
  return pid !== '' && pid !== rows.pid
}

/** The fields that have a value. */
function shownOf(reference: Reference): Record<string, unknown> {
  const { name = null, pic = null, bg = null } = reference ?? {}
  return {
    ...(name !== null && { name: storable(name).text }),
    ...(pic !== null && { pic: storable(pic).text }),
    ...(bg !== null && { bg: storable(bg).text }),
  }
}
