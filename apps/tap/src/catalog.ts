import { UsageError } from '@collab-etl/cli'
import { CHANGED_AT, DELETED_AT, FEED_TABLES, type FeedTable } from '@collab-etl/warehouse'
import { isObject, type JsonObject } from './json-file.ts'
import { recordSchema } from './schema.ts'

/** A stream to be synced. */
export interface Selected {
  readonly table: FeedTable
  /** In the order of the table's columns. */
  readonly fields: readonly string[]
  /** All records each time; else what changed since the last sync. */
  readonly isFull: boolean
}

/** The catalog of all streams, with the metadata by which users select. */
export function discover(schemaName: string): { streams: JsonObject[] } {
  return { streams: FEED_TABLES.map((table) => catalogEntry(table, schemaName)) }
}

const allFields = ({ columns }: FeedTable) => columns.map(({ name }) => name)

/** Fields that every record has: those that targets need to store it. */
function isAutomatic({ key, isTracked }: FeedTable, name: string): boolean {
  return key.includes(name) || name === DELETED_AT.name || (isTracked && name === CHANGED_AT.name)
}

function catalogEntry(table: FeedTable, schemaName: string): JsonObject {
  const { name, key, columns, isTracked } = table
  const ofStream = {
    inclusion: 'available',
    'table-key-properties': key,
    'forced-replication-method': isTracked ? 'INCREMENTAL' : 'FULL_TABLE',
    ...(isTracked && { 'valid-replication-keys': [CHANGED_AT.name] }),
    'schema-name': schemaName,
    'is-view': false,
    // the specification: streams are not selected by default
    'selected-by-default': false,
  }
  const ofFields = columns.map((column) => ({
    breadcrumb: ['properties', column.name],
    metadata: {
      inclusion: isAutomatic(table, column.name) ? 'automatic' : 'available',
      'selected-by-default': true,
      'sql-datatype': column.type,
    },
  }))
  return {
    tap_stream_id: name,
    stream: name,
    table_name: name,
    key_properties: key,
    schema: recordSchema(table, allFields(table)),
    metadata: [{ breadcrumb: [], metadata: ofStream }, ...ofFields],
  }
}

/** All streams with all their fields: a sync without a catalog. */
export function everything(): Selected[] {
  return FEED_TABLES.map((table) => ({ table, fields: allFields(table), isFull: !table.isTracked }))
}

/**
 * The streams and fields that a catalog selects, in the order in which they are synced.
 * @throws UsageError if it is not a catalog, or selects a stream that does not exist
 */
export function selectedIn(catalog: JsonObject, path: string): Selected[] {
  const { streams } = catalog
  if (!Array.isArray(streams)) throw new UsageError(`${path} is not a catalog: it has no list "streams"`)
  const byId = new Map<string, JsonObject>()
  for (const [index, entry] of streams.entries()) {
    const id = isObject(entry) ? entry['tap_stream_id'] : undefined
    if (typeof id !== 'string') throw new UsageError(`${path}: stream ${index + 1} has no tap_stream_id`)
    if (byId.has(id)) throw new UsageError(`${path} has stream ${id} twice`)
    if (isObject(entry) && isStreamSelected(entry)) byId.set(id, entry)
  }
  const unknown = [...byId.keys()].find((id) => !FEED_TABLES.some(({ name }) => name === id))
  if (unknown !== undefined) {
    throw new UsageError(`${path} selects stream ${unknown}, which does not exist; make a new one with --discover`)
  }
  return FEED_TABLES.flatMap((table) => {
    const entry = byId.get(table.name)
    return entry === undefined ? [] : [selectedOf(table, entry, path)]
  })
}

function isStreamSelected(entry: JsonObject): boolean {
  const metadata = metadataOf(entry, [])
  const schema = isObject(entry['schema']) ? entry['schema'] : {}
  // in the schema: the deprecated form
  const chosen = flag(metadata['selected']) ?? flag(schema['selected']) ?? flag(entry['selected'])
  return chosen ?? flag(metadata['selected-by-default']) ?? false
}

function selectedOf(table: FeedTable, entry: JsonObject, path: string): Selected {
  const method = metadataOf(entry, [])['replication-method'] ?? entry['replication_method'] ?? 'INCREMENTAL'
  if (method !== 'INCREMENTAL' && method !== 'FULL_TABLE') {
    throw new UsageError(
      `${path}: the replication-method of ${table.name} must be INCREMENTAL or FULL_TABLE, not ${JSON.stringify(method)}`,
    )
  }
  const fields = allFields(table).filter((name) => isAutomatic(table, name) || isFieldSelected(entry, name))
  return { table, fields, isFull: !table.isTracked || method === 'FULL_TABLE' }
}

/** A field that the catalog does not know was added to the table after it was made. */
function isFieldSelected(entry: JsonObject, name: string): boolean {
  const schema = isObject(entry['schema']) ? entry['schema'] : {}
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const property = properties[name]
  const metadata = metadataOf(entry, ['properties', name])
  if (metadata['inclusion'] === 'unsupported') return false
  const chosen = flag(metadata['selected']) ?? (isObject(property) ? flag(property['selected']) : undefined)
  return chosen ?? flag(metadata['selected-by-default']) ?? property !== undefined
}

function metadataOf({ metadata }: JsonObject, breadcrumb: readonly string[]): JsonObject {
  if (!Array.isArray(metadata)) return {}
  const wanted = JSON.stringify(breadcrumb)
  const found: unknown = metadata.find((item) => isObject(item) && JSON.stringify(item['breadcrumb']) === wanted)
  return isObject(found) && isObject(found['metadata']) ? found['metadata'] : {}
}

/** The specification's example has texts. */
function flag(value: unknown): boolean | undefined {
  if (value === true || value === 'true') return true
  return value === false || value === 'false' ? false : undefined
}
