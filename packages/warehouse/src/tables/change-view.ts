import { columnList, literal, quoted } from '../names.ts'
import type { Definition } from './schema.ts'
import { EXTRA, type Table } from './table.ts'

/** The columns of both, in SQL; `v` has the values of both versions, `d` what differs. */
const SHOWN = `v.table_name, v.pid, v.key,
  CASE WHEN v.old_values IS NULL THEN 'added' WHEN v.new_values IS NULL THEN 'deleted' ELSE 'changed' END AS change,
  d.columns, coalesce(d.old_values, v.old_values) AS old_values, coalesce(d.new_values, v.new_values) AS new_values, v.table_number`

/** Of a record that has both versions, the columns that differ; `jsonb_each(null)` has no row. */
const COMPARED = `CROSS JOIN LATERAL (
  SELECT array_agg(n.key) AS columns, jsonb_object_agg(n.key, v.old_values -> n.key) AS old_values, jsonb_object_agg(n.key, n.value) AS new_values
  FROM jsonb_each(CASE WHEN v.old_values IS NOT NULL THEN v.new_values END) AS n
  WHERE n.value IS DISTINCT FROM v.old_values -> n.key
) AS d
WHERE v.old_values IS NULL OR v.new_values IS NULL OR d.columns IS NOT NULL`

const COMMENTS: Readonly<Record<string, string>> = {
  changed_at: 'start of the run that wrote the change',
  run_id: 'run that wrote the change; null if no run began at changed_at, because another program wrote it',
  table_name: 'table of the record',
  pid: 'project id; null for users and personal webhooks',
  key: 'primary key of the record, by column',
  change: 'added, changed or deleted',
  columns: 'columns whose values differ; null if added or deleted',
  old_values:
    'values before, by column: of a changed record those that differ, of a deleted one all but its key; null if added',
  new_values:
    'values after, by column: of a changed record those that differ, of an added one all but its key; null if deleted',
  table_number: 'number of the table in the order of the documentation, to sort by',
  project_name: 'present name of the project; null if the record belongs to none',
}

/**
 * The statements that make, or replace, the view `changes` (what each run added, changed and deleted) and the function `changes_between`
 * (the difference of two times).
 *
 * Beginnings and ends of versions are put together by grouping: both are found by time, and no table is read as a whole. A time is
 * bounded from both sides by the run's start: for an equality the planner would expect as many rows as an average run writes, the first
 * one among them, and read whole tables.
 */
export function createChanges({ tables }: Definition): string[] {
  const atRuns = tables.map((table, index) =>
    changesAt(table, index + 1, (time) => `${time} >= run.started_at AND ${time} <= run.started_at`),
  )
  const beside = tables.map((table, index) =>
    changesAt(table, index + 1, (time) => `${time} NOT IN (SELECT started_at FROM collab.runs)`),
  )
  const between = tables.map((table, index) => changesBetween(table, index + 1))
  return [
    `CREATE OR REPLACE VIEW collab.changes AS
SELECT known.*, project.name AS project_name
FROM (
SELECT v.changed_at, v.run_id, ${SHOWN}
FROM (
  SELECT run.started_at AS changed_at, run.run_id, table_number, table_name, pid, key, old_values, new_values
  FROM collab.runs AS run CROSS JOIN LATERAL (${atRuns.join('\nUNION ALL')}) AS written
  UNION ALL
  SELECT changed_at, NULL, table_number, table_name, pid, key, old_values, new_values FROM (${beside.join('\nUNION ALL')}) AS written
) AS v ${COMPARED}
) AS known LEFT JOIN collab.projects AS project ON project.pid = known.pid`,
    `COMMENT ON VIEW collab.changes IS 'What each run added, changed and deleted: one row per record and run. Records of lists (labels, members, checklist items) are rows of their own tables. A record that is restored after its deletion is added again. Filter by run_id or changed_at: only the rows of those runs are read'`,
    ...Object.entries(COMMENTS).map(([name, text]) => `COMMENT ON COLUMN collab.changes.${name} IS ${literal(text)}`),
    `CREATE OR REPLACE FUNCTION collab.changes_between(since timestamptz, until timestamptz)
RETURNS TABLE (table_name text, pid text, key jsonb, change text, columns text[], old_values jsonb, new_values jsonb, table_number integer)
LANGUAGE sql STABLE PARALLEL SAFE AS $body$
SELECT ${SHOWN} FROM (${between.join('\nUNION ALL')}) AS v ${COMPARED}
$body$`,
    `COMMENT ON FUNCTION collab.changes_between(timestamptz, timestamptz) IS 'Difference between the states at two times, as <table>_as_of returns them: one row per record that was added, changed or deleted, without the values in between. Columns as in the view changes'`,
  ]
}

/** The changes of a table's records at times that fulfil a condition, by key and time. */
function changesAt(table: Table, number: number, holds: (time: string) => string): string {
  const { name, keys, values } = partsOf(table)
  return byKey(
    table,
    number,
    ['changed_at'],
    `SELECT ${keys}, valid_from AS changed_at, true AS is_new, ${values} AS row_values FROM collab.${name} WHERE deleted_at IS NULL AND ${holds('valid_from')}
      UNION ALL SELECT ${keys}, valid_from, true, ${values} FROM collab_history.${name} WHERE valid_from < valid_to AND ${holds('valid_from')}
      UNION ALL SELECT ${keys}, valid_to, false, ${values} FROM collab_history.${name} WHERE valid_from < valid_to AND ${holds('valid_to')}`,
  )
}

/** The versions at two times of those records that have a version that began or ended between them. */
function changesBetween(table: Table, number: number): string {
  const { name, keys, values } = partsOf(table)
  return byKey(
    table,
    number,
    [],
    `SELECT ${keys}, true AS is_new, ${values} AS row_values FROM collab.${name} WHERE deleted_at IS NULL AND valid_from > $1 AND valid_from <= $2
      UNION ALL SELECT ${keys}, true, ${values} FROM collab_history.${name} WHERE valid_from > $1 AND valid_from <= $2 AND valid_to > $2
      UNION ALL SELECT ${keys}, false, ${values} FROM collab_history.${name} WHERE valid_to > $1 AND valid_to <= $2 AND valid_from <= $1`,
  )
}

function byKey(table: Table, number: number, times: readonly string[], versions: string): string {
  const { name, keys, pid } = partsOf(table)
  const by = [keys, ...times].join(', ')
  return `
  SELECT ${[`${number} AS table_number`, `'${name}' AS table_name`, `${pid} AS pid`, `${objectOf(table.key)} AS key`, ...times].join(', ')}, old_values, new_values
  FROM (
    SELECT ${by}, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values, (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
    FROM (
      ${versions}
    ) AS version
    GROUP BY ${by}
  ) AS record`
}

function partsOf({ name, key, columns, kept = [] }: Table) {
  const values = [...columns, EXTRA, ...kept].map((column) => column.name).filter((column) => !key.includes(column))
  const hasPid = columns.some((column) => column.name === 'pid')
  // users have no project, and webhooks may move to another
  const pid = key.includes('pid') ? 'pid' : hasPid ? "coalesce(new_values, old_values) ->> 'pid'" : 'NULL'
  return { name, keys: columnList(key), values: objectOf(values), pid }
}

/** An object of columns, by their names. */
function objectOf(columns: readonly string[]): string {
  return `jsonb_build_object(${columns.map((column) => `${literal(column)}, ${quoted(column)}`).join(', ')})`
}
