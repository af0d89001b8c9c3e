import { UsageError } from '@collab-etl/cli'
import { CHANGED_AT, DELETED_AT, FEED_TABLES, type FeedTable } from '@collab-etl/warehouse'
import { isObject, type JsonObject } from './json-file.ts'
import { recordSchema } from './schema.ts'

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
  const byId = new Map<string, Entry>()
  for (const [index, value] of streams.entries()) {
    const id = isObject(value) ? value['tap_stream_id'] : undefined
    if (!isObject(value) || typeof id !== 'string')
      throw new UsageError(`${path}: stream ${index + 1} has no tap_stream_id`)
    if (byId.has(id)) throw new UsageError(`${path} has stream ${id} twice`)
    const entry = entryOf(value, `${path}: stream ${id}`)
    if (isStreamSelected(entry)) byId.set(id, entry)
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

interface Entry {
  /** Path of the file and name of the stream, for messages. */
  readonly place: string
  readonly value: JsonObject
  /** By breadcrumb, as JSON. */
  readonly metadata: ReadonlyMap<string, JsonObject>
  readonly schema: JsonObject
  /** Of the schema. */
  readonly properties: JsonObject
}

/** A selection that cannot be read must not count as none: data would be missing, or sent against the user's will. */
function entryOf(value: JsonObject, place: string): Entry {
  const { metadata = [], schema = {} } = value
  if (!Array.isArray(metadata)) throw new UsageError(`${place}: "metadata" must be a list`)
  const found = new Map<string, JsonObject>()
  for (const item of metadata as readonly unknown[]) {
    const breadcrumb = isObject(item) ? item['breadcrumb'] : undefined
    if (!isObject(item) || !Array.isArray(breadcrumb) || !isObject(item['metadata']))
      throw new UsageError(`${place}: each item of "metadata" must have a list "breadcrumb" and an object "metadata"`)
    // several of one breadcrumb: the last value counts, as in Singer's own library
    const key = JSON.stringify(breadcrumb)
    found.set(key, { ...found.get(key), ...item['metadata'] })
  }
  const known = isObject(schema) ? schema : {}
  const properties = isObject(known['properties']) ? known['properties'] : {}
  return { place, value, metadata: found, schema: known, properties }
}

function isStreamSelected(entry: Entry): boolean {
  const metadata = metadataOf(entry, [])
  // in the schema: the deprecated form
  const chosen = flag(entry, metadata, 'selected') ?? flag(entry, entry.schema, 'selected')
  return chosen ?? flag(entry, entry.value, 'selected') ?? flag(entry, metadata, 'selected-by-default') ?? false
}

function selectedOf(table: FeedTable, entry: Entry, path: string): Selected {
  const metadata = metadataOf(entry, [])
  const method = metadata['replication-method'] ?? entry.value['replication_method'] ?? 'INCREMENTAL'
  if (method !== 'INCREMENTAL' && method !== 'FULL_TABLE') {
    throw new UsageError(
      `${path}: the replication-method of ${table.name} must be INCREMENTAL or FULL_TABLE, not ${JSON.stringify(method)}`,
    )
  }
  const replicationKey = metadata['replication-key'] || entry.value['replication_key'] || CHANGED_AT.name
  if (table.isTracked && method === 'INCREMENTAL' && replicationKey !== CHANGED_AT.name) {
    throw new UsageError(
      `${path}: the replication-key of ${table.name} must be ${CHANGED_AT.name}, not ${JSON.stringify(replicationKey)}`,
    )
  }
  requireFields(table, entry)
  const fields = allFields(table).filter((name) => isAutomatic(table, name) || isFieldSelected(entry, name))
  return { table, fields, isFull: !table.isTracked || method === 'FULL_TABLE' }
}

/** A field that the catalog does not know was added to the table after it was made. */
function isFieldSelected(entry: Entry, name: string): boolean {
  const property = Object.hasOwn(entry.properties, name) ? entry.properties[name] : undefined
  const metadata = metadataOf(entry, ['properties', name])
  if (metadata['inclusion'] === 'unsupported') return false
  const chosen =
    flag(entry, metadata, 'selected') ?? (isObject(property) ? flag(entry, property, 'selected') : undefined)
  return chosen ?? flag(entry, metadata, 'selected-by-default') ?? property !== undefined
}

/** A field that was selected expressly and does not exist (any more) would be missing in the target. */
function requireFields(table: FeedTable, entry: Entry): void {
  for (const [breadcrumb, metadata] of entry.metadata) {
    const [kind, name] = JSON.parse(breadcrumb) as readonly unknown[]
    if (kind !== 'properties' || typeof name !== 'string' || table.columns.some((column) => column.name === name))
      continue
    if (flag(entry, metadata, 'selected') !== true) continue
    throw new UsageError(
      `${entry.place}: field ${name} is selected, but does not exist; make a new catalog with --discover`,
    )
  }
}

function metadataOf({ metadata }: Entry, breadcrumb: readonly string[]): JsonObject {
  return metadata.get(JSON.stringify(breadcrumb)) ?? {}
}

/** The specification's example has texts, and Python writes them with a capital. */
function flag({ place }: Entry, holder: JsonObject, name: 'selected' | 'selected-by-default'): boolean | undefined {
  const value = holder[name]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  if (text === 'true' || text === 'false') return text === 'true'
  throw new UsageError(`${place}: "${name}" must be true or false, not ${JSON.stringify(value)}`)
}
