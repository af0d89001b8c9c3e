import { readFile } from 'node:fs/promises'
import { createChanges } from './change-view.ts'
import { commentTables, createTableReaders, createTables } from './ddl.ts'
import type { Definition } from './schema.ts'

/** Files of views and functions in plain SQL, each after those that it reads. */
const FILES = ['calendar', 'tasks', 'days', 'models']

/**
 * The statements that make, or replace, comments, views and functions, in their order. The schema `collab` must be first in
 * the search path.
 */
export async function createReaders(definition: Definition): Promise<string[]> {
  return [
    ...commentTables(definition),
    ...createTableReaders(definition),
    ...createChanges(definition),
    ...(await Promise.all(FILES.map(readSql))),
  ]
}

const readSql = (name: string) => readFile(new URL(`../../sql/${name}.sql`, import.meta.url), 'utf8')

const NAME = String.raw`(?:(collab|collab_history)\.)?"?(\w+)"?`
const MADE: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['table', new RegExp(`^CREATE TABLE ${NAME}`, 'gm')],
  ['view', new RegExp(`^CREATE OR REPLACE VIEW ${NAME}`, 'gm')],
  ['function', new RegExp(`^CREATE OR REPLACE FUNCTION ${NAME}`, 'gm')],
  ['index', new RegExp(String.raw`^CREATE INDEX \w+ ON ${NAME}`, 'gm')],
]

/**
 * What a new warehouse has, read from the SQL that makes it: tables, their columns and those of views (each has a comment), views,
 * functions and indexes, as `column collab.tasks.name`, sorted.
 */
export async function objectsOf(definition: Definition): Promise<string[]> {
  const sql = [...createTables(definition), ...(await createReaders(definition))].join(';\n')
  const objects = MADE.flatMap(([kind, pattern]) =>
    [...sql.matchAll(pattern)].flatMap(([text, place = 'collab', name]) => {
      const index = /^CREATE INDEX (\w+)/.exec(text)?.[1]
      if (index !== undefined) return [`index ${place}.${index}`]
      return kind === 'table' ? [`table ${place}.${name}`, `index ${place}.${name}_pkey`] : [`${kind} ${place}.${name}`]
    }),
  )
  const columns = [...sql.matchAll(new RegExp(String.raw`^COMMENT ON COLUMN ${NAME}\."?(\w+)"?`, 'gm'))]
  return [
    ...new Set([
      ...objects,
      ...columns.map(([, place = 'collab', name, column]) => `column ${place}.${name}.${column}`),
    ]),
  ].sort()
}
