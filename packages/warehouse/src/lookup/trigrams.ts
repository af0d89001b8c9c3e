import { type Connection, records } from '../driver/driver.ts'

/** Three letters or digits in a row make a trigram. */
const HAS_TRIGRAM = /[\p{L}\p{N}]{3}/u

/** Letters whose lower case depends on what is beside them, or which a database may take for two characters. */
const UNSTEADY = /[Σσςİı]/u

/**
 * Patterns for ILIKE that find at least the texts with one of these forms, by an index of trigrams; none if it cannot find them.
 * @param forms the forms of a term, see `searchTerms`
 */
export function patternsOf(forms: readonly string[]): string[] {
  const isFound = forms.every((form) => HAS_TRIGRAM.test(form) && !UNSTEADY.test(form))
  return isFound ? forms.map((form) => `%${form.replaceAll(/[\\%_]/g, '\\$&')}%`) : []
}

/**
 * The columns of the warehouse, as `table.column`, that are in a trigram index which somebody added (extension `pg_trgm`). None where lower
 * case follows other rules (Turkish): ILIKE would miss what the search finds.
 */
export async function trigramColumns(connection: Connection): Promise<ReadonlySet<string>> {
  const found = await connection.query(
    `SELECT DISTINCT t.relname::text || '.' || a.attname::text AS name
     FROM pg_index i
     JOIN pg_class t ON t.oid = i.indrelid AND pg_table_is_visible(t.oid)
     CROSS JOIN LATERAL unnest(i.indkey::int2[], i.indclass::oid[]) AS k (attnum, class)
     JOIN pg_opclass c ON c.oid = k.class AND c.opcname IN ('gin_trgm_ops', 'gist_trgm_ops')
     JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum
     WHERE i.indisvalid AND lower('I' COLLATE "default") = 'i'`,
  )
  return new Set(records<{ name: string }>(found).map(({ name }) => name))
}
