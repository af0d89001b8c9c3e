import {
  formatCount,
  formatDuration,
  formatNumber,
  formatTable,
  type Settings,
  settingsFlags,
  typedName,
} from '@collab-etl/cli'
import { missingLines } from './missing.ts'
import type { LoadResult } from './run-load.ts'

/** The `--json` document. */
export function loadDocument({ baseUrl, durationMs, tables, missing, ...result }: LoadResult): object {
  return { base_url: baseUrl, ...result, missing, rows: tables, duration_ms: Math.round(durationMs) }
}

/** The text after a load: what came back, what did not, and where it is. */
export function loadSummary(result: LoadResult, settings: Settings): string {
  const { source, baseUrl, loaded, earlier, missing, tables, location, schema, durationMs } = result
  const [first, last] = [loaded[0], loaded.at(-1)]
  const times = first === last ? first?.read_at : `${first?.read_at} to ${last?.read_at}`
  const right = (header: string) => ({ header, align: 'right' }) as const
  const rows = Object.entries(tables).map(([table, { read, inserted, updated, deleted }]) => [
    table,
    ...[read, inserted, updated, deleted].map(formatCount),
  ])
  const flags = settingsFlags(settings, 'warehouse')
  return [
    `Loaded ${formatNumber(loaded.length, 'backup')} from ${source} in ${formatDuration(durationMs)}`,
    ...(earlier.length === 0 ? [] : [`${formatNumber(earlier.length, 'backup')} had been loaded before`]),
    ...(times === undefined ? [] : [`Data of ${baseUrl}, read at ${times}`]),
    '',
    formatTable(['table', right('read'), right('inserted'), right('updated'), right('deleted')], rows),
    ...(missing.length === 0 ? [] : ['', 'Not in the backup:', ...missingLines(missing).map((text) => `  ${text}`)]),
    '',
    `Warehouse: ${location}, schema ${schema}`,
    `Look at it: ${typedName('collab-extract')} runs${flags}`,
  ].join('\n')
}
