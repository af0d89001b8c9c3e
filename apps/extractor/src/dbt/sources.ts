import type { DescribedColumn, SchemaDescription } from '@collab-etl/warehouse'

/** The name of the source in `{{ source(…) }}`. */
export const SOURCE = 'collab'

/** Hours since the last finished run after which a nightly run is late, and after which a second one is. */
const LATE_HOURS = { warn: 26, error: 50 } as const

/** The tables and views of the schema as a dbt source. Freshness is that of the run log: rows change only when the service's do. */
export function sources({ schema, version, objects }: SchemaDescription): Record<string, unknown> {
  const own = objects.filter((object) => object.schema === schema && object.kind !== 'function')
  return {
    name: SOURCE,
    description: `The warehouse of collab-extract, schema version ${version}.`,
    schema: "{{ var('collab_schema') }}",
    loader: 'collab-extract',
    tables: own.map((object) => ({
      name: object.name,
      description: described(object.comment),
      ...(object.name === 'runs' && { config: FRESHNESS }),
      columns: object.columns.map(columnProperties),
    })),
  }
}

const FRESHNESS = {
  loaded_at_field: 'finished_at',
  freshness: {
    warn_after: { count: LATE_HOURS.warn, period: 'hour' },
    error_after: { count: LATE_HOURS.error, period: 'hour' },
    filter: "status in ('succeeded', 'partial')",
  },
}

/** A column with its type and meaning. */
export function columnProperties({ name, type, comment }: DescribedColumn): Record<string, unknown> {
  return { name, description: described(comment), data_type: type }
}

/** A comment of the database as a description. dbt renders descriptions as templates, which no comment is. */
export function described(comment: string | null): string {
  return (comment ?? '').replace(/\{(?=[{%#])|[}%#](?=\})/g, '$& ')
}
