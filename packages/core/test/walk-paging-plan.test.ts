import { describe, expect, test } from 'vitest'
import { type PagingStep, type ProbeAnswer, planPaging } from '../src/walk/paging-plan.ts'

type Answers = Readonly<Record<string, readonly string[] | null>>

/** Asks until the plan is at its end; `answers` by page and size, and for the second time as `again`. */
function run(answers: Answers, { pageSize = 100, total }: { pageSize?: number; total?: number } = {}) {
  const seen: ProbeAnswer[] = []
  const asked: string[] = []
  for (;;) {
    const step: PagingStep = planPaging(pageSize, seen)
    if (step.kind !== 'ask') return { step, asked }
    const { page, size } = step
    const name = `${page}/${size}`
    const isAgain = asked.includes(name) && `${name} again` in answers
    const ids = answers[isAgain ? `${name} again` : name]
    asked.push(name)
    if (ids === undefined || asked.length > 20) throw new Error(`asked for ${asked}`)
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
    expect(run({ '1/100': null, '0/100': page })).toEqual({ step: base(0), asked: ['1/100', '0/100', '1/100'] })
  })

  test('is judged by the second answer where the first one was an error', () => {
    const answers = { '1/100': null, '1/100 again': page, '0/100': page }
    expect(run({ ...answers, '1/2': ['1', '2'] }).step).toEqual(base(1))
    const zero = { '1/100': next, '1/2': ['3', '4'], '0/100': null, '0/100 again': page }
    expect(run(zero)).toEqual({ step: base(0), asked: ['1/100', '1/2', '0/100', '0/100'] })
  })

  test('is decided by page 0 if the size is ignored', () => {
    const asked = ['1/100', '1/2', '0/100']
    expect(run({ '1/100': next, '1/2': next, '0/100': page })).toEqual({ step: base(0), asked })
    expect(run({ '1/100': page, '1/2': page, '0/100': page }).step).toEqual(base(1))
    expect(run({ '1/100': page, '1/2': page, '0/100': [] }).step).toEqual(base(1))
    const failing = run({ '1/100': page, '1/2': null, '0/100': null })
    expect(failing).toEqual({ step: base(1), asked: [...asked, '0/100'] })
  })

  test('is decided by page 0 if half the size gives no record', () => {
    expect(run({ '1/100': page, '1/2': [], '0/100': page }).step).toEqual(base(1))
  })

  test('is decided by page 0 if pages hold one record', () => {
    const asked = ['1/1', '0/1']
    const one = (of: 0 | 1) => ({ kind: 'known', base: of, size: 1 })
    expect(run({ '1/1': ['2'], '0/1': ['1'] }, { pageSize: 1 })).toEqual({ step: one(0), asked })
    expect(run({ '1/1': ['1'], '0/1': [] }, { pageSize: 1 })).toEqual({ step: one(1), asked })
  })

  test('is left open by a list of no record or one', () => {
    const unknown = { kind: 'unknown', size: 100 }
    expect(run({ '1/100': [] }, { total: 0 })).toEqual({ step: unknown, asked: ['1/100'] })
    expect(run({ '1/100': [], '0/100': [], '1/10': [] }).step).toEqual(unknown)
    expect(run({ '1/100': [], '0/100': [], '1/10': null }).step).toEqual(unknown)
    expect(run({ '1/100': ['1'], '1/50': ['1'], '0/100': ['1'] }).step).toEqual(unknown)
  })

  test('is not left open by records beside a stated length of 0', () => {
    expect(run({ '1/100': page, '1/2': ['1', '2'] }, { total: 0 }).step).toEqual(base(1))
  })

  test('is asked for again where page 0 holds the record of page 1 and another one', () => {
    expect(run({ '1/100': ['1'], '1/50': ['1'], '0/100': ['1', '2'] }).step).toEqual({ kind: 'changed' })
  })

  test('is the same where a record moved between two requests', () => {
    expect(run({ '1/100': page, '1/2': ['2', '3'], '0/100': [] }).step).toEqual(base(1))
    expect(run({ '1/100': page, '1/2': ['0', '9'], '0/100': page }).step).toEqual({ kind: 'changed' })
    expect(run({ '1/100': page, '1/2': ['2', '3'], '0/100': page }).step).toEqual({ kind: 'changed' })
  })

  test('is confirmed by page 0 if pages are so small that three moved records hide it', () => {
    const answers = { '1/3': ['4', '5', '6'], '1/1': ['4'], '0/3': ['1', '2', '3'] }
    expect(run(answers, { pageSize: 3 }).step).toEqual({ kind: 'known', base: 0, size: 3 })
    for (const zero of [[], null]) {
      expect(run({ ...answers, '0/3': zero }, { pageSize: 3 }).step).toEqual({ kind: 'known', base: 1, size: 3 })
    }
  })

  test('is confirmed by page 0 for fewer than 12 records a page', () => {
    const asked = (pageSize: number) => {
      const ids = Array.from({ length: pageSize }, (_, id) => String(id))
      const half = Math.floor(pageSize / 2)
      const answers = { [`1/${pageSize}`]: ids, [`1/${half}`]: ids.slice(0, half), [`0/${pageSize}`]: [] }
      return run(answers, { pageSize }).asked
    }
    expect(asked(11)).toEqual(['1/11', '1/5', '0/11'])
    expect(asked(12)).toEqual(['1/12', '1/6'])
  })

  test('is not guessed where page 0 is refused and page 1 holds other records by half the size', () => {
    for (const half of [
      ['3', '4'],
      ['7', '8'],
    ]) {
      expect(run({ '1/100': next, '1/2': half, '0/100': null }).step).toEqual({ kind: 'refused' })
    }
    expect(run({ '1/100': ['9'], '1/50': page, '0/100': null }).step).toEqual({ kind: 'refused' })
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

  test('is a smaller one where page 1 is an error and page 0 is empty', () => {
    const answers = { '1/100': null, '0/100': [], '1/50': page, '1/2': ['1', '2'] }
    expect(run(answers).step).toEqual({ kind: 'known', base: 1, size: 50 })
  })

  test('is no larger one, also where pages 0 and 1 are empty', () => {
    const unknown = (size: number) => ({ step: { kind: 'unknown', size }, asked: [`1/${size}`, `0/${size}`] })
    expect(run({ '1/5': [], '0/5': [] }, { pageSize: 5 })).toEqual(unknown(5))
    expect(run({ '1/10': [], '0/10': [] }, { pageSize: 10 })).toEqual(unknown(10))
  })

  test('is none where every size is refused', () => {
    expect(run({ '1/15': null, '0/15': null, '1/10': null, '0/10': null }, { pageSize: 15 }).step).toEqual({
      kind: 'refused',
    })
  })
})
