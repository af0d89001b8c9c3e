import { describe, expect, test } from 'vitest'
import { type PagingStep, type ProbeAnswer, planPaging } from '../src/walk/paging-plan.ts'

type Answers = Readonly<Record<string, readonly string[] | null>>

/** Asks until the plan is at its end; `answers` by page and size. */
function run(answers: Answers, { pageSize = 100, total }: { pageSize?: number; total?: number } = {}) {
  const seen: ProbeAnswer[] = []
  for (;;) {
    const step: PagingStep = planPaging(pageSize, seen)
    if (step.kind !== 'ask') return { step, asked: seen.map(({ page, size }) => `${page}/${size}`) }
    const { page, size } = step
    const ids = answers[`${page}/${size}`]
    if (ids === undefined) throw new Error(`asked for page ${page} by ${size}`)
    seen.push({ page, size, ids, total })
  }
}

const page = ['1', '2', '3', '4']
const next = ['5', '6', '7', '8']

describe('the first page', () => {
  const base = (of: 0 | 1) => ({ kind: 'known', base: of, size: 100 })

  test('is page 1 where half the size gives its first half: one request more', () => {
    expect(run({ '1/100': page, '1/2': ['1', '2'] })).toEqual({ step: base(1), asked: ['1/100', '1/2'] })
  })

  test('is page 0 where half the size gives other records, or the second half', () => {
    expect(run({ '1/100': next, '1/2': ['3', '4'], '0/100': page }).step).toEqual(base(0))
    expect(run({ '1/100': page, '1/2': ['3', '4'], '0/100': page }).step).toEqual(base(0))
  })

  test('is page 0 where page 1 is empty or an error, and page 0 holds records', () => {
    expect(run({ '1/100': [], '0/100': page }).step).toEqual(base(0))
    expect(run({ '1/100': null, '0/100': page }).step).toEqual(base(0))
  })

  test('is decided by page 0 if the size is ignored', () => {
    expect(run({ '1/100': next, '1/2': next, '0/100': page }).step).toEqual(base(0))
    expect(run({ '1/100': page, '1/2': page, '0/100': page }).step).toEqual(base(1))
    expect(run({ '1/100': page, '1/2': page, '0/100': [] }).step).toEqual(base(1))
    expect(run({ '1/100': page, '1/2': null, '0/100': null }).asked).toEqual(['1/100', '1/2', '0/100', '0/100'])
  })

  test('is left open by a list of no record or one', () => {
    const unknown = { kind: 'unknown', size: 100 }
    expect(run({ '1/100': [] }, { total: 0 })).toEqual({ step: unknown, asked: ['1/100'] })
    expect(run({ '1/100': [], '0/100': [], '1/10': [] }).step).toEqual(unknown)
    expect(run({ '1/100': ['1'], '1/50': ['1'], '0/100': ['1'] }).step).toEqual(unknown)
  })

  test('is the same where a record moved between two requests', () => {
    expect(run({ '1/100': page, '1/2': ['2', '3'], '0/100': [] }).step).toEqual(base(1))
    expect(run({ '1/100': page, '1/2': ['0', '9'], '0/100': page }).step).toEqual({ kind: 'changed' })
  })

  test('is confirmed by page 0 if pages are so small that three moved records hide it', () => {
    const answers = { '1/3': ['4', '5', '6'], '1/1': ['4'], '0/3': ['1', '2', '3'] }
    expect(run(answers, { pageSize: 3 }).step).toEqual({ kind: 'known', base: 0, size: 3 })
    expect(run({ ...answers, '0/3': [] }, { pageSize: 3 }).step).toEqual({ kind: 'known', base: 1, size: 3 })
  })

  test('is not guessed where page 0 is refused and page 1 holds other records by half the size', () => {
    expect(run({ '1/100': next, '1/2': ['3', '4'], '0/100': null }).step).toEqual({ kind: 'refused' })
  })
})

describe('the size', () => {
  test('is the largest below the one asked for that is not refused', () => {
    const answers = { '1/60': null, '0/60': null, '1/50': null, '0/50': null, '1/20': page, '1/2': ['1', '2'] }
    expect(run(answers, { pageSize: 60 }).step).toEqual({ kind: 'known', base: 1, size: 20 })
  })

  test('is a smaller one where a page by the size asked for is empty and one by 10 is not', () => {
    const empty = { '1/100': [], '0/100': [], '1/10': page }
    const answers = { ...empty, '1/50': page, '1/2': ['1', '2'] }
    expect(run(answers).step).toEqual({ kind: 'known', base: 1, size: 50 })
  })

  test('is none where every size is refused', () => {
    expect(run({ '1/15': null, '0/15': null, '1/10': null, '0/10': null }, { pageSize: 15 }).step).toEqual({
      kind: 'refused',
    })
  })
})
