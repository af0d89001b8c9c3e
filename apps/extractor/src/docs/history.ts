import type { DescribedObject, SchemaDescription } from '@collab-etl/warehouse'
import { code, codes, inline, markdownTable } from './markdown.ts'

/** History in few words: what its tables have that the tables of the schema have not, and the functions that read it. */
export function historySection(
  { schema, historySchema, objects }: SchemaDescription,
  functions: readonly DescribedObject[],
): string[] {
  const past = objects.filter((object) => object.schema === historySchema)
  const current = new Map(objects.filter((object) => object.schema === schema).map((object) => [object.name, object]))
  return [
    ...grouped(past, (table) => differences(table, current.get(table.name))).map(
      ([text, names]) => `Schema ${code(historySchema)} holds ${codes(names)}. ${text}`,
    ),
    ...grouped(functions, asOf).map(([text, names]) => `${text} There is one for ${codes(names.map(tableOf))}.`),
  ]
}

/** A function that reads history. All tables have the same ones, which are described together. */
export function isAsOf({ kind, name }: DescribedObject): boolean {
  return kind === 'function' && name.endsWith('_as_of')
}

/** What can be said, with the names of those it can be said of. */
function grouped(
  objects: readonly DescribedObject[],
  say: (object: DescribedObject) => string,
): (readonly [text: string, names: readonly string[]])[] {
  const groups = new Map<string, string[]>()
  for (const object of objects) {
    const text = say(object)
    const names = groups.get(text)
    if (names === undefined) groups.set(text, [object.name])
    else names.push(object.name)
  }
  return [...groups]
}

function differences({ name, comment, columns }: DescribedObject, current: DescribedObject | undefined): string {
  const about = sentence(comment, name)
  const more = columns.filter((column) => !current?.columns.some((other) => other.name === column.name))
  const table = markdownTable(
    ['column', 'type', 'meaning'],
    more.map((column) => [code(column.name), code(column.type), inline(column.comment)]),
  )
  if (current === undefined) return `${about}\n\n${table}`
  const missing = current.columns.filter((column) => !columns.some((other) => other.name === column.name))
  const keyOf = (object: DescribedObject) =>
    object.columns.filter(({ key }) => key !== null).map((column) => column.name)
  const added = keyOf({ ...current, columns }).filter((column) => !keyOf(current).includes(column))
  const without = missing.length === 0 ? '' : ` without ${codes(missing.map((column) => column.name))}`
  const key = added.length === 0 ? '' : `, and its key with ${codes(added)} at the end`
  const also = more.length === 0 ? '' : ` Also:\n\n${table}\n`
  return `${about} Each has the columns of the table of its name${without}${key}.${also}`.trimEnd()
}

function asOf({ name, comment, signature }: DescribedObject): string {
  const call = `<table>_as_of(${signature?.arguments ?? ''})`
  const returns = signature?.returns ?? ''
  // a function that returns its own column list has the columns of its table
  const alike = returns.startsWith('TABLE(') ? '<table>' : returns.replace(tableOf(name), '<table>')
  return `${code(call)} → ${code(alike)}: ${sentence(comment, tableOf(name))}`
}

function tableOf(name: string): string {
  return name.replace(/_as_of$/, '')
}

/** A comment that names its own table, said of every one. */
function sentence(comment: string | null, table: string): string {
  const text = inline((comment ?? '').replace(` of ${table} `, ' of <table> '))
  return text === '' || text.endsWith('.') ? text : `${text}.`
}
