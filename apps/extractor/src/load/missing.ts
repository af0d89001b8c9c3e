import type { TableSource } from '@collab-etl/backups/batches'
import type { ConversionIssue, Scope } from '@collab-etl/contract/streams'
import type { ProjectStage } from '@collab-etl/warehouse'

/** Something that a warehouse has and that cannot come back from a backup. */
export interface Missing {
  /** The table of the records. */
  readonly table: string
  /** Fields of the records; `null`: the records themselves. */
  readonly fields: readonly string[] | null
}

/** A personal webhook is its owner's: no backup has it. */
const PERSONAL: Missing = { table: 'personal webhooks', fields: null }

/** What cannot come back from a backup. */
export function missingIn(tables: readonly TableSource[]): Missing[] {
  const missing = tables.flatMap(({ table, format, lacks }): Missing[] => {
    if (format === null) return [{ table, fields: null }]
    return lacks.length === 0 ? [] : [{ table, fields: lacks }]
  })
  return [...missing, PERSONAL]
}

/** The same for a person, one line each. */
export function missingLines(missing: readonly Missing[]): string[] {
  const whole = missing.filter(({ fields }) => fields === null).map(({ table }) => table)
  const parts = missing.flatMap(({ table, fields }) => (fields === null ? [] : `${table}: ${fields.join(', ')}`))
  return [...(whole.length === 0 ? [] : [whole.join(', ')]), ...parts]
}

/** Lists the kinds of records that a backup does not have among the losses of its run. Fields are listed with their records. */
export function noteMissing(stage: ProjectStage, scope: Scope, tables: readonly TableSource[], projects: number): void {
  const missing = missingIn(tables).filter((each) => each.fields === null && each !== PERSONAL)
  const losses = missing.map(({ table }): ConversionIssue => {
    return { recordKey: '*', field: table, kind: 'left_out', original: String(projects) }
  })
  stage.note(scope, losses)
}
