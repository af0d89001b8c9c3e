import { isExactNumber, parseExactJson } from '@collab-etl/contract/exact-json'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { onBothBackends } from './support/backends.ts'
import { page } from './support/records.ts'
import { batch, live, snapshot } from './support/snapshot.ts'

const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9][0-9]{0,24}$/)),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\.[0-9]{1,24}$/)),
    fc.oneof(fc.constant(''), fc.stringMatching(/^[eE][+-]?[0-9]{1,7}$/)),
  )
  .map((parts) => parts.join(''))

/** At the ends of what doubles and Postgres' numeric hold. */
const EDGES = [
  ...['12345678901234567890', '9007199254740993', '0.1000000000000000055', '1.0', '-0', '-0.0', '0e5', '0e9999999'],
  ...['1e400', '1e-400', '1e999', '1e1000', '1e131071', '1e131072', '1e-16383', '1e-16384', '1e99999999999999999999'],
  ...['-1.50e-17', '1234567890123456789.10', `0.${'0'.repeat(400)}10`, `${'9'.repeat(500)}.5`],
]

onBothBackends('numbers in extra', (backend) => {
  test('any number is stored as the number that was sent, or is listed with its text', async () => {
    const warehouse = await backend.warehouse()
    const texts = [...EDGES, ...fc.sample(numberText, 400)]
    const pages = texts.map((text, index) =>
      page(`g${index}`, { extra: { n: parseExactJson(text), deep: [{ n: parseExactJson(text) }] } }),
    )
    const { run } = await snapshot(warehouse, { pages: { batches: [batch('page', pages)] } })
    const { losses = [] } = (await warehouse.log.run(run.id)) ?? {}
    const lost = new Map(losses.map(({ record_key, field, original }) => [`${record_key} ${field}`, original]))
    const kept = texts.flatMap((text, index) => (lost.has(`g${index} n`) ? [] : [{ index, text }]))
    expect(kept.length).toBeGreaterThan(100)
    for (const [index, text] of texts.entries()) {
      expect(lost.get(`g${index} deep[0].n`)).toBe(lost.get(`g${index} n`))
      if (lost.has(`g${index} n`) && isExactNumber(parseExactJson(text))) expect(lost.get(`g${index} n`)).toBe(text)
    }
    // Postgres itself says which are another number
    const other = await backend.driver.query(
      `SELECT sent.text, p.extra ->> 'n' FROM unnest($1::text[], $2::text[]) AS sent (id, text)
       LEFT JOIN ${warehouse.schema}.pages p ON p.page_id = sent.id
       WHERE (p.extra ->> 'n')::numeric IS DISTINCT FROM sent.text::numeric
          OR (p.extra -> 'deep' -> 0 ->> 'n')::numeric IS DISTINCT FROM sent.text::numeric`,
      // numeric refuses 0 with a large exponent
      [kept.map(({ index }) => `g${index}`), kept.map(({ text }) => (/^-?[0.]*(?:e|$)/i.test(text) ? '0' : text))],
    )
    expect(other.rows).toEqual([])
  })

  test('what is read from the warehouse has every digit, and is unchanged the next time', async () => {
    const warehouse = await backend.warehouse()
    const extra = { big: parseExactJson('12345678901234567890'), list: [parseExactJson('1.5e400')], one: 1 }
    const streams = { pages: { batches: [batch('page', [page('g1', { extra })])] } }
    await snapshot(warehouse, streams)
    const [row] = await live(warehouse, 'pages', ['extra'])
    const sent = { big: extra.big, one: 1, list: [parseExactJson(`15${'0'.repeat(399)}`)] }
    expect(parseExactJson(JSON.stringify(row?.['extra']))).toEqual(sent)
    const { rows } = await warehouse.rows.query(`SELECT extra FROM ${warehouse.schema}.pages`)
    expect(JSON.stringify(rows)).toContain('12345678901234567890')
    const again = await snapshot(warehouse, streams)
    expect(again.tables.pages).toMatchObject({ read: 1, updated: 0 })
    const changed = { ...extra, big: parseExactJson('12345678901234567891') }
    const next = await snapshot(warehouse, { pages: { batches: [batch('page', [page('g1', { extra: changed })])] } })
    expect(next.tables.pages).toMatchObject({ read: 1, updated: 1 })
  })
})
