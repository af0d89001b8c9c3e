import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defuse, undefuse } from '@collab-etl/cli'
import { scratch } from '@collab-etl/harness/scratch'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { csvTables } from '../src/csv/tables.ts'
import type { CsvOptions } from '../src/csv/writer.ts'
import { OPTIONS, writeBag } from './backup-in.ts'
import { openedByLibreOffice, RUNS_LIBREOFFICE } from './libreoffice.ts'
import { commentRow, handMadeSource, pageRow, postRow, projectRow } from './rows.ts'

const FORMULAS = ['=1+1', '+1', '-2', '@SUM(A1)', '=HYPERLINK("http://evil")', '\t=1', ' =1', '＝1']

/** Formulas after invisible characters, and after another separator. */
const HIDDEN = [
  ...['\u200e', '\u202e', '\u0085', '\u00ad', '\u0001', '\u001f', '\u200b', '\u2060', '\u{e0001}', '\ufeff'].map(
    (character) => `${character}=1+1`,
  ),
  ...['x;=1+1', 'x\t=1+1', ';=1+1'],
]

const TEXTS = [
  ...FORMULAS,
  ...['a,b;c\td|e', 'say "hi"', '"', '"quoted"', "'=kept", 'two\nlines', 'two\r\nlines\n\n', ' spaces ', 'back\\slash'],
  ...['00012', '12345678901234567890', '1e5', '0x1F', '1/2', '2024-01-01', '12:30', '50%', '1,234.5', '$5', 'TRUE'],
  ...[
    'null',
    '产品路线图，第一版',
    '😀 مرحبا ไทย',
    'x'.repeat(32_000),
    '行'.repeat(20_000),
    '#REF!',
    '<b>&amp;</b>',
    '',
  ],
  '{"a":1}',
]

function hardSource() {
  return handMadeSource({
    tables: {
      projects: [projectRow('0001', '=Plan', { position: -1.5, is_starred: true, extra: { b: [1], a: '=x' } })],
      pages: TEXTS.map((text, index) =>
        pageRow('0001', `0${String(index).padStart(3, '0')}`, text, { content: text, summary: null }),
      ),
      posts: [postRow('0001', '007', 'Post', { content: TEXTS.slice(0, 20).join('\n') })],
      post_comments: TEXTS.map((text, index) => commentRow('0001', '007', `${1000 + index}`, { raw_message: text })),
      comment_files: [
        {
          pid: '0001',
          parent_kind: 'post',
          parent_id: '007',
          cid: '1000',
          fid: '0042',
          name: '=a;b,"c".pdf',
          size_bytes: '12345678901234567',
          extra: null,
        },
      ],
    },
  })
}

async function csvFiles(csv: Partial<CsvOptions>): Promise<string[]> {
  const bag = await scratch()
  const options = { rawCells: false, bom: false, delimiter: ',', ...csv }
  await writeBag(bag, hardSource(), { formats: new Set(['csv']), csv: options })
  return CSV_FILES.map((table) => join(bag, `data/csv/${table}.csv`))
}

/** In a cell, LibreOffice has one kind of line break. */
const inOneForm = (cell: string) => cell.replace(/\r\n?/g, '\n')

const cellsOf = (text: string, delimiter: string) =>
  parse(text, { delimiter, bom: true, relax_column_count: true }).map((row) => row.map(inOneForm))

const CSV_FILES = csvTables(OPTIONS.content)

const VARIANTS = [{ delimiter: '\t', rawCells: true }, { delimiter: ',' }, { delimiter: ';', bom: true }]

describe.runIf(RUNS_LIBREOFFICE)('LibreOffice', () => {
  test.each(VARIANTS)('shows every cell as it was, columns taken for text: %j', { tags: 'thorough' }, async (csv) => {
    const files = await csvFiles(csv)
    const saved = await openedByLibreOffice(files, 'csv', { delimiter: csv.delimiter, textColumns: 20 })
    for (const [index, table] of CSV_FILES.entries()) {
      const source = cellsOf(await readFile(files[index] ?? '', 'utf8'), csv.delimiter)
      expect(cellsOf(saved.get(table) ?? '', ','), table).toEqual(source)
    }
    const contents = cellsOf(saved.get('pages') ?? '', ',').map((row) => row[5])
    const cell = csv.rawCells ? (text: string) => text : defuse
    expect(contents.slice(1)).toEqual(TEXTS.map((text) => inOneForm(cell(text))))
  })

  testThoroughly('runs no formula when a file is just opened, and would run them with raw cells', async () => {
    const formulas = async (rawCells: boolean) => {
      const saved = await openedByLibreOffice(await csvFiles({ rawCells }), 'fods', { delimiter: ',' })
      return [...saved.values()].join('').match(/table:formula=/g)?.length ?? 0
    }
    expect(await formulas(false)).toBe(0)
    expect(await formulas(true)).toBeGreaterThan(3)
  })

  testThoroughly('runs no formula after hidden characters or when it splits at all separators', async () => {
    const pages = HIDDEN.map((text, index) => pageRow('P1', `${index}`, text, { content: text, summary: null }))
    const source = handMadeSource({ tables: { projects: [projectRow('P1', 'P')], pages } })
    const bag = await scratch()
    const csv = { rawCells: false, bom: false, delimiter: ',' }
    await writeBag(bag, source, { formats: new Set(['csv']), csv })
    const file = join(bag, 'data/csv/pages.csv')
    for (const delimiter of [',', ',;\t|']) {
      const saved = await openedByLibreOffice([file], 'fods', { delimiter })
      expect(saved.get('pages')).not.toContain('table:formula=')
    }
    const cells = cellsOf(await readFile(file, 'utf8'), ',').map((row) => row[5] ?? '')
    expect(cells.slice(1).map((cell) => undefuse(cell))).toEqual(HIDDEN)
  })
})
