import type { ProjectDetail, ProjectListItem, Received } from '@collab-etl/contract'
import type { RecordKinds } from '@collab-etl/contract/streams'
import type { RowWriter } from '../convert/row-writer.ts'
import { column, enumColumn, idColumn, type Table } from '../convert/table.ts'
import { labelRows } from './labels.ts'
import { userRef } from './users.ts'

/** docs/service-api.md#projectdetail and #projectlistitem. */
export const projects: Table = {
  name: 'projects',
  comment: 'Projects, as the list shows them and in detail',
  key: ['pid'],
  columns: [
    idColumn('pid', 'project id'),
    column('name', 'text', 'project name'),
    column('description', 'text', 'description'),
    column('archived', 'boolean', 'whether the project is archived'),
    column('pic', 'text', 'icon'),
    column('bg', 'text', 'background colour'),
    enumColumn('visibility', 'who may see it', { 1: 'private', 2: 'team', 3: 'public' }),
    idColumn('team_id', 'team id'),
    column('is_starred', 'boolean', "whether it is a favourite of the token's user"),
    column('position', 'double precision', "position in the user's list (may be fractional)"),
    column('member_count', 'integer', 'number of members'),
    enumColumn('curr_role', "role of the token's user", { 1: 'administrator', 2: 'member', 3: 'visitor', 4: 'guest' }),
    enumColumn('permission', "permission of the token's user", {
      31: 'administrator',
      15: 'member',
      7: 'visitor',
      5: 'guest',
      0: 'cannot operate',
    }),
    idColumn('created_by_uid', 'user id of the creator'),
  ],
  kept: [
    column(
      'unlisted_since',
      'timestamptz',
      'start of the run that first found it missing from the list though it could be read; null while it is listed',
    ),
  ],
  streams: ['projects'],
  deletedBy: 'list',
  isRecord: true,
}

export const projectLabels: Table = {
  name: 'project_labels',
  comment: 'Labels of projects',
  key: ['pid', 'name'],
  columns: [
    idColumn('pid', 'project id'),
    idColumn('name', 'label name (a colour word)'),
    column('description', 'text', 'label description'),
  ],
  streams: ['projects'],
  deletedBy: 'parent',
  parent: { tables: ['projects'], on: [] },
}

/** Fields that both the list and the detail have. */
const SHARED = ['name', 'desc', 'archived', 'pic', 'bg', 'visibility', 'team_id'] as const

/**
 * The detail was read last, so it counts where both say something; the list's different value is kept in `extra`. Without
 * a detail the list alone says what is known.
 */
export function projectRows(rows: RowWriter, record: RecordKinds['project']): void {
  const { listed, detail } = record
  const pick = <N extends (typeof SHARED)[number]>(name: N) => detail?.[name] ?? listed?.[name] ?? null
  rows.row(projects, [
    rows.key(record.pid, 'pid'),
    rows.text(pick('name'), 'name'),
    rows.text(pick('desc'), 'desc'),
    rows.flag(pick('archived'), 'archived'),
    rows.text(pick('pic'), 'pic'),
    rows.text(pick('bg'), 'bg'),
    rows.smallint(pick('visibility'), 'visibility'),
    rows.id(pick('team_id'), 'team_id'),
    rows.flag(listed?.is_star, 'is_star'),
    rows.double(listed?.pos, 'pos'),
    rows.integer(listed?.member_count, 'member_count'),
    rows.smallint(listed?.curr_role, 'curr_role'),
    rows.smallint(listed?.permission, 'permission'),
    userRef(rows, detail?.created_by ?? null, 'created_by'),
    rows.extra({ ...listed?.extra, ...detail?.extra }, { listed: otherInList(listed, detail) }),
  ])
  if (detail !== null) labelRows(rows, projectLabels, detail.labels, [rows.pid])
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
      .filter(([, ofList, ofDetail]) => isSaid(ofList) && isSaid(ofDetail) && !isEqual(ofList, ofDetail))
      .map(([name, ofList]) => [name, ofList]),
  )
}

function isSaid(value: unknown): boolean {
  return value !== null && value !== undefined
}

function isEqual(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
