import type { DescribedObject, Relation, SchemaDescription } from '@collab-etl/warehouse'

/** A part of the schema that fits into one diagram. */
export interface Area {
  /** Part of the file name: `erd-tasks.mmd`. */
  readonly name: string
  readonly title: string
  readonly objects: readonly DescribedObject[]
  /** Those that begin in the area; some end in another. */
  readonly relations: readonly Relation[]
}

const TASKS = /^(?:projects|project_labels|project_members|teams|users|entries|tasks|task_.*)$/
const DOCUMENTS = /^(?:(?:page|post|file)s?(?:_.*)?|comment_files|known_(?:posts|files))$/
const MODELS = /^(?:fct_|dim_)/

/** Keys that models share with dimensions and with tasks. */
const MODEL_KEYS: readonly Omit<Relation, 'table' | 'optional'>[] = [
  { columns: ['pid'], toTable: 'dim_project', toColumns: ['pid'] },
  { columns: ['uid'], toTable: 'dim_user', toColumns: ['uid'] },
  { columns: ['owner_uid'], toTable: 'dim_user', toColumns: ['uid'] },
  { columns: ['created_by_uid'], toTable: 'dim_user', toColumns: ['uid'] },
  { columns: ['day'], toTable: 'dim_date', toColumns: ['day'] },
  { columns: ['pid', 'tid'], toTable: 'fct_task', toColumns: ['pid', 'tid'] },
]

/** The schema in four areas; tables that others added are in the third, views that show all columns of one table in none. */
export function areasOf({ schema, objects, relations }: SchemaDescription): Area[] {
  const own = objects.filter((object) => object.schema === schema)
  const tables = own.filter(({ kind }) => kind === 'table')
  const views = own.filter(({ kind, name }) => kind === 'view' && !name.startsWith('live_'))
  const area = (name: string, title: string, of: readonly DescribedObject[], all: readonly Relation[]): Area => {
    const names = new Set(of.map((object) => object.name))
    return { name, title, objects: of, relations: all.filter(({ table }) => names.has(table)) }
  }
  const isOther = ({ name }: DescribedObject) => !TASKS.test(name) && !DOCUMENTS.test(name)
  return [
    area(
      'tasks',
      'Projects, tasks and users',
      tables.filter(({ name }) => TASKS.test(name)),
      relations,
    ),
    area(
      'documents',
      'Pages, posts and files',
      tables.filter(({ name }) => DOCUMENTS.test(name)),
      relations,
    ),
    area('runs', 'Events, webhooks and the run log', tables.filter(isOther), relations),
    area(
      'views',
      'Views for analysts',
      views,
      views.flatMap((view) => modelRelations(view, views)),
    ),
  ].filter(({ objects: of }) => of.length > 0)
}

/** Models name their dimensions; the older views name projects only by their id. */
function modelRelations({ name, columns }: DescribedObject, views: readonly DescribedObject[]): Relation[] {
  const has = new Set(columns.map((column) => column.name))
  const names = new Set(views.map((view) => view.name))
  return MODEL_KEYS.filter(
    ({ columns: key, toTable }) =>
      (MODELS.test(name) || toTable === 'dim_project') &&
      toTable !== name &&
      names.has(toTable) &&
      key.every((column) => has.has(column)),
  ).map((key) => ({ ...key, table: name, optional: true }))
}
