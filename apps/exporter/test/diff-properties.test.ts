import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Format } from '@collab-etl/backups'
import type { Change } from '@collab-etl/backups/compare'
import { scratch } from '@collab-etl/harness/scratch'
import { times } from '@collab-etl/harness/thorough'
import { applyPatch } from 'diff'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BackupOptions } from '../src/backup/options.ts'
import { writeBag } from './backup-in.ts'
import { changesOf, keyOf, type Model, model, sourceOf } from './diff-model.ts'
import { compared } from './diff-of.ts'

async function bagOf(records: Model, options: Partial<BackupOptions>): Promise<string> {
  const folder = join(root, String(count++))
  await mkdir(folder)
  await writeBag(folder, sourceOf(records), options)
  return folder
}

const task = { kind: 'task', pid: 'P1', id: 'a', title: 't', content: '', owner: null, comments: [] } as const

/** A task that gets its first group is moved, and nothing else. */
const firstGroup: [Model, Model] = [[{ ...task, parent: null }], [{ ...task, parent: 'a' }]]

let root = ''
let count = 0

/** The changes of one direction, seen from the other. */
function mirrored(change: Change): Change {
  const { before, after, changes, comments } = change
  const swapped = { added: 'removed', removed: 'added' } as const
  return {
    ...change,
    before: after,
    after: before,
    changes: changes.map((name) => (name === 'added' || name === 'removed' ? swapped[name] : name)),
    comments: comments && { before: comments.after, after: comments.before },
  }
}

const inOrder = (changes: readonly Change[]) =>
  changes.map((change) => ({ ...change, placing: null })).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))

describe.each([
  ['CSV', 'CSV', ['csv'], {}, {}],
  [
    'CSV',
    'CSV of another form',
    ['csv'],
    {},
    { csv: { rawCells: true, bom: true, delimiter: ';' } } satisfies Partial<BackupOptions>,
  ],
  ['JSON lines', 'JSON lines', ['jsonl'], {}, {}],
  ['Markdown', 'Markdown', ['markdown'], {}, {}],
] as const)('a diff of %s and %s', (_a, _b, formats, left, right) => {
  // Markdown has no missing title, only "".
  const titled = (records: Model) =>
    records.flatMap((record) =>
      record.kind === 'page' || record.kind === 'post' ? [{ ...record, title: record.title ?? '' }] : [],
    )
  const states = formats[0] === 'markdown' ? model.map(titled) : model
  const common = { formats: new Set<Format>(formats) }

  test('equals a simple comparison, is symmetric, and is empty with itself', { tags: 'thorough' }, async () => {
    root = await scratch()
    await fc.assert(
      fc.asyncProperty(states, states, async (before, after) => {
        const a = await bagOf(before, { ...common, ...left })
        const b = await bagOf(after, { ...common, ...right })
        const { changes } = await compared(a, b)
        expect(inOrder(changes)).toEqual(inOrder(changesOf(before, after, formats[0])))
        expect(inOrder((await compared(b, a)).changes.map(mirrored))).toEqual(inOrder(changes))
        expect((await compared(a, a)).changes).toEqual([])
        const again = await bagOf(before, { ...common, ...right })
        expect((await compared(a, again)).changes).toEqual([])
      }),
      { numRuns: times(2, 15), examples: formats[0] === 'markdown' ? [] : [firstGroup] },
    )
  })

  test('has patches that turn one content into the other', { tags: 'thorough' }, async () => {
    root = await scratch()
    const lines = fc
      .array(fc.constantFrom('a', 'b', '', '-c', '+d', '\\ e'), { maxLength: 9 })
      .map((all) => all.join('\n'))
    await fc.assert(
      fc.asyncProperty(lines, lines, async (from, to) => {
        const page = { kind: 'page', pid: 'P1', id: 'a', title: 't', parent: null, owner: null, comments: [] } as const
        const a = await bagOf([{ ...page, content: from }], { ...common, ...left })
        const b = await bagOf([{ ...page, content: to }], { ...common, ...right })
        const patches = []
        for await (const patch of (await compared(a, b)).patches()) patches.push(patch)
        expect(patches).toHaveLength(from === to ? 0 : 1)
        for (const { text } of patches) expect(applyPatch(from, text)).toBe(to)
      }),
      { numRuns: times(2, 6) },
    )
  })
})
