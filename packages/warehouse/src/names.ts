import { WarehouseError } from './errors.ts'

/** Identifiers that are valid everywhere without quotes, and short enough for the suffixes. */
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,40}$/

/** The schemas of a warehouse, quoted. */
export interface SchemaNames {
  readonly name: string
  /** Resource tables and the run log. */
  readonly main: string
  /** Superseded and deleted versions of the resource tables' rows. */
  readonly history: string
  readonly historyName: string
  /** Unlogged tables that hold what was read but not published. */
  readonly stage: string
  readonly stageName: string
  /** The job queue of runs with workers; only in Postgres. */
  readonly queue: string
  readonly queueName: string
}

export function schemaNames(name: string): SchemaNames {
  if (!SCHEMA_NAME.test(name) || name.startsWith('pg_') || name === 'information_schema') {
    throw new WarehouseError(
      'BAD_SCHEMA_NAME',
      `${JSON.stringify(name)} cannot be the name of a schema: use lower-case letters, digits and _, at most 41, not beginning with a digit or pg_`,
    )
  }
  const [historyName, stageName, queueName] = [`${name}_history`, `${name}_stage`, `${name}_queue`]
  return {
    name,
    main: quoted(name),
    history: quoted(historyName),
    historyName,
    stage: quoted(stageName),
    stageName,
    queue: quoted(queueName),
    queueName,
  }
}

/**
 * Throws `BAD_SCHEMA_NAME` for a new warehouse in a schema that another warehouse may use beside its own: migrating that one drops its
 * staging tables. A warehouse that an earlier version made under such a name keeps working.
 */
export function refuseReserved({ name }: SchemaNames): void {
  const suffix = ['_history', '_stage', '_queue'].find((reserved) => name.endsWith(reserved))
  if (suffix === undefined) return
  throw new WarehouseError(
    'BAD_SCHEMA_NAME',
    `${JSON.stringify(name)} cannot be the name of a schema: names that end in ${suffix} belong to the warehouse ${JSON.stringify(name.slice(0, -suffix.length))}; choose another --schema`,
  )
}

/** The table of a resource table's superseded and deleted versions. */
export function historyOf(schema: SchemaNames, table: { readonly name: string }): string {
  return `${schema.history}.${quoted(table.name)}`
}

/** An identifier in SQL. */
export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}

/** Identifiers, separated by commas; each after `prefix.` if one is given. */
export function columnList(names: readonly string[], prefix = ''): string {
  return names.map((name) => (prefix === '' ? quoted(name) : `${prefix}.${quoted(name)}`)).join(', ')
}

/** A text in SQL, where a statement takes no parameters. */
export function literal(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}
