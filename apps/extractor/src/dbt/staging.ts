import { type DescribedColumn, type Relation, type SchemaDescription, TABLES } from '@collab-etl/warehouse'
import { columnProperties, described, SOURCE } from './sources.ts'

/** A staging model: the live rows of one resource table. */
export interface StagingModel {
  readonly name: string
  readonly table: string
  readonly columns: readonly string[]
  readonly properties: Record<string, unknown>
}

/** Columns that say how a row was stored, of use to the tools that store it only. */
const BOOKKEEPING = new Set(['deleted_at', 'record_hash'])

/** A model for each resource table, in their order. */
export function stagingModels({ schema, objects, relations }: SchemaDescription): StagingModel[] {
  return TABLES.flatMap(({ name: table }) => {
    const object = objects.find(
      (candidate) => candidate.schema === schema && candidate.kind === 'table' && candidate.name === table,
    )
    if (object === undefined) return []
    const columns = object.columns.filter(({ name }) => !BOOKKEEPING.has(name))
    const key = keyOf(object.columns)
    const properties = {
      name: modelName(table),
      description: `${described(object.comment)}: the rows that exist.`,
      data_tests: [
        { unique_combination: { arguments: { columns: key } } },
        ...relations.filter((relation) => relation.table === table && !relation.optional).map(hasRow),
      ],
      columns: columns.map((column) => ({
        ...columnProperties(column),
        ...(!column.nullable && { data_tests: ['not_null'] }),
      })),
    }
    return [{ name: modelName(table), table, columns: columns.map(({ name }) => name), properties }]
  })
}

export function stagingSql({ table, columns }: StagingModel): string {
  const list = columns.map((name) => `  ${name}`).join(',\n')
  return `select\n${list}\nfrom {{ source('${SOURCE}', '${table}') }}\nwhere deleted_at is null\n`
}

function modelName(table: string): string {
  return `stg_collab__${table}`
}

function keyOf(columns: readonly DescribedColumn[]): string[] {
  return columns
    .filter(({ key }) => key !== null)
    .sort((a, b) => (a.key ?? 0) - (b.key ?? 0))
    .map(({ name }) => name)
}

function hasRow({ table, columns, toTable, toColumns }: Relation): Record<string, unknown> {
  return {
    has_row: {
      name: `${table}_${columns.join('_')}_in_${toTable}`,
      arguments: { columns, to: `ref('${modelName(toTable)}')`, to_columns: toColumns },
      config: { severity: 'warn' },
    },
  }
}
