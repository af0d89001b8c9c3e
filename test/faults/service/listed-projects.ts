import { isOptional, STREAMS } from '@collab-etl/contract/streams'
import type { ProjectListItemRecord } from '@collab-etl/sandbox'
import { value } from '@collab-etl/sandbox/behaviours'
import type { Stored, Tables } from '../support/stored.ts'
import { expectedTables, held, type NotComplete } from './expected.ts'
import { worldBefore } from './world.ts'

type Listed = ProjectListItemRecord[]

/** Every stream of these projects. */
export function skipped(...pids: string[]): NotComplete {
  return Object.fromEntries(
    pids.flatMap((pid) =>
      STREAMS.filter((stream) => !isOptional(stream)).map((stream) => [`${stream} ${pid}`, 'skipped' as const]),
    ),
  )
}

/** Not in the list, so that values that only the list has are those of the night before. */
export function unlisted(pids: readonly string[], since: unknown): (tables: Tables) => void {
  const before = expectedTables({ before: held(worldBefore()), tonight: held(worldBefore()) })['projects'] ?? []
  return ({ projects = [] }) => {
    for (const row of projects.filter(({ pid }) => pids.includes(String(pid)))) {
      const was = before.find(({ pid }) => pid === row['pid']) ?? {}
      for (const name of ['is_starred', 'position', 'member_count', 'curr_role', 'permission']) row[name] = was[name]
      row['unlisted_since'] = since
    }
  }
}

/** All rows of a project are unchanged. */
export function asBefore(pid: string): (tables: Tables) => void {
  const before = expectedTables({ before: held(worldBefore()), tonight: held(worldBefore()) })
  return (tables) => {
    for (const [table, rows] of Object.entries(tables)) {
      const own = before[table]?.filter((row) => row['pid'] === pid) ?? []
      tables[table] = [...rows.filter((row) => row['pid'] !== pid), ...own]
    }
  }
}

/** The stored projects that are not in the list, and since when. */
export function notListed({ tables }: Stored): { readonly pids: unknown[]; readonly since: unknown[] } {
  const rows = (tables['projects'] ?? []).filter((row) => row['unlisted_since'] !== undefined)
  return { pids: rows.map(({ pid }) => pid).toSorted(), since: [...new Set(rows.map((row) => row['unlisted_since']))] }
}

/** The list without some projects. */
export function without(...pids: string[]) {
  return {
    on: 'projects.list',
    does: value((listed: Listed) => listed.filter(({ pid }) => !pids.includes(pid))),
  } as const
}
