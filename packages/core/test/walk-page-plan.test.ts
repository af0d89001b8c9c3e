import { describe, expect, test } from 'vitest'
import {
  firstPage,
  nextPage,
  type PageObservation,
  type PagePlan,
  type PageStep,
  pagesAhead,
} from '../src/walk/page-plan.ts'

const options = { pageSize: 10, maxRereads: 1 }

const nothing: PageObservation = {
  length: 0,
  fresh: 0,
  repeated: 0,
  seenBefore: 0,
  sameAsLast: false,
}
const fresh = (length: number): PageObservation => ({ ...nothing, length, fresh: length })
const again = (length: number): PageObservation => ({ ...fresh(length), seenBefore: length })
const repeated = (length: number): PageObservation => ({ ...nothing, length, repeated: length })

/** The step after the last of several pages. */
function follow(plan: PagePlan, ...pages: PageObservation[]): PageStep {
  let step: PageStep = { kind: 'page', plan }
  for (const page of pages) {
    if (step.kind !== 'page') throw new Error(`ended before all pages were seen: ${step.kind}`)
    step = nextPage(step.plan, page)
  }
  return step
}

const asked = (step: PageStep) =>
  step.kind === 'page'
    ? `${step.plan.phase} ${step.plan.page} of pass ${step.plan.pass} by ${step.plan.size}`
    : step.kind

describe('the end of the list', () => {
  test('an empty list: two empty pages', () => {
    expect(follow(firstPage(options), nothing, nothing)).toEqual({ kind: 'end', pages: 0, drift: null })
  })

  test('a short page is not the end', () => {
    expect(asked(follow(firstPage(options), fresh(10), fresh(3)))).toBe('pages 3 of pass 1 by 10')
  })

  test('one empty page is not the end', () => {
    expect(asked(follow(firstPage(options), fresh(10), fresh(3), nothing))).toBe('pages 4 of pass 1 by 10')
  })

  test('a short last page is read once more after all others', () => {
    const step = follow(firstPage(options), fresh(10), fresh(3), nothing, nothing)
    expect(asked(step)).toBe('check 2 of pass 1 by 10')
    expect(asked(follow(firstPage(options), fresh(10), fresh(3), nothing, nothing, repeated(3)))).toBe(
      'pages 1 of pass 2 by 10',
    )
  })

  test('after a full last page, the empty one behind it is', () => {
    const step = follow(firstPage(options), fresh(10), fresh(10), nothing, nothing)
    expect(asked(step)).toBe('check 3 of pass 1 by 10')
  })

  test('a single page needs no such check: the empty one was asked for after it', () => {
    expect(asked(follow(firstPage(options), fresh(10), nothing, nothing))).toBe('pages 1 of pass 2 by 10')
  })

  test('complete as soon as the second pass has found every id of the first', () => {
    const step = follow(firstPage(options), fresh(10), fresh(3), nothing, nothing, repeated(3), again(10), again(3))
    expect(step).toEqual({ kind: 'end', pages: 2, drift: null })
  })
})

describe('a cap on the size of pages', () => {
  test('the first page says what to ask the others for', () => {
    expect(asked(follow(firstPage(options), fresh(4)))).toBe('pages 2 of pass 1 by 4')
  })

  test('later pages do not change it', () => {
    expect(asked(follow(firstPage(options), fresh(4), fresh(2), fresh(1)))).toBe('pages 4 of pass 1 by 4')
  })

  test('an empty first page says nothing', () => {
    expect(asked(follow(firstPage(options), nothing, fresh(4)))).toBe('pages 3 of pass 1 by 10')
  })

  test('a service that returns more than requested is checked at its next record', () => {
    const step = follow(firstPage(options), fresh(20), fresh(12), nothing, nothing)
    expect(asked(step)).toBe('check 2 of pass 1 by 10')
  })
})

describe('the size of pages is kept', () => {
  test('in a second pass whose first page is shorter', () => {
    const step = follow(firstPage(options), fresh(10), nothing, nothing, fresh(7))
    expect(asked(step)).toBe('pages 2 of pass 2 by 10')
  })

  test('in halves of a page, though the first of them is shorter', () => {
    const same = { ...repeated(10), sameAsLast: true }
    expect(asked(follow(firstPage(options), fresh(10), same, same, fresh(3)))).toBe('pages 2 of pass 2 by 5')
  })

  test('but not where no first page had records before', () => {
    const step = follow(firstPage(options), nothing, fresh(4), nothing, nothing, fresh(4))
    expect(asked(step)).toBe('pages 2 of pass 2 by 4')
  })
})

describe('drift', () => {
  const overlap = { ...fresh(9), length: 10, repeated: 1 }

  test('a record on two pages: the list is read again, and that reading is confirmed', () => {
    const first = [fresh(10), overlap, nothing, nothing]
    expect(asked(follow(firstPage(options), ...first))).toBe('pages 1 of pass 2 by 10')
    const second = [again(10), again(9), nothing, nothing, repeated(9), again(10), again(9)]
    expect(follow(firstPage(options), ...first, ...second)).toEqual({ kind: 'end', pages: 2, drift: null })
  })

  test('an empty page in the middle', () => {
    const plan = firstPage({ ...options, maxRereads: 0 })
    expect(follow(plan, fresh(10), nothing, fresh(10), nothing, nothing)).toEqual({
      kind: 'end',
      pages: 2,
      drift: 'gap',
    })
  })

  test('more records on the last page than it had', () => {
    const plan = firstPage({ ...options, maxRereads: 0 })
    const step = follow(plan, fresh(10), fresh(3), nothing, nothing, { ...repeated(4), repeated: 3, fresh: 1 })
    expect(step).toEqual({ kind: 'end', pages: 2, drift: 'moved' })
  })

  test('as many records on the last page, but others', () => {
    const plan = firstPage({ ...options, maxRereads: 0 })
    const step = follow(plan, fresh(10), fresh(3), nothing, nothing, { ...repeated(3), repeated: 2, fresh: 1 })
    expect(step).toEqual({ kind: 'end', pages: 2, drift: 'moved' })
  })

  test('an id that the second pass does not find: a third one confirms the second', () => {
    const first = [fresh(10), fresh(3), nothing, nothing, repeated(3)]
    const second = [again(10), { ...again(3), seenBefore: 2 }, nothing, nothing, repeated(3)]
    const step = follow(firstPage(options), ...first, ...second)
    expect(asked(step)).toBe('pages 1 of pass 3 by 10')
    expect(follow(firstPage(options), ...first, ...second, again(10), again(3)).kind).toBe('end')
  })

  test('after the last pass it is reported', () => {
    const pass = [fresh(10), fresh(3), nothing, nothing, repeated(3)]
    const step = follow(firstPage(options), ...pass, ...pass, ...pass)
    expect(step).toEqual({ kind: 'end', pages: 2, drift: 'moved' })
  })

  test('a list emptied while it is walked is complete: nothing lasted', () => {
    const step = follow(firstPage(options), fresh(10), nothing, nothing, nothing, nothing)
    expect(step).toEqual({ kind: 'end', pages: 0, drift: null })
  })
})

describe('an inconsistent read is reported by its first reason', () => {
  const once = firstPage({ ...options, maxRereads: 0 })

  test('a page without new records before the end is an overlap', () => {
    const pages = [fresh(10), fresh(10), repeated(10), nothing, nothing]
    expect(follow(once, ...pages)).toEqual({ kind: 'end', pages: 2, drift: 'overlap' })
  })

  test('a gap stays one if a page without new records follows', () => {
    const pages = [fresh(10), nothing, fresh(10), repeated(10), nothing, nothing]
    expect(follow(once, ...pages)).toEqual({ kind: 'end', pages: 2, drift: 'gap' })
  })

  test('a single page of a second pass is checked, because it was not requested alone', () => {
    const step = follow(firstPage(options), fresh(10), nothing, nothing, fresh(10), nothing, nothing)
    expect(asked(step)).toBe('check 2 of pass 2 by 10')
  })
})

describe('a service that does not page', () => {
  const same = { ...repeated(10), sameAsLast: true }

  test.each([11, null])('three pages alike are not the list where the service states a length of %s', (total) => {
    const step = follow(firstPage(options), fresh(10), same, { ...same, total })
    expect(asked(step)).toBe('pages 1 of pass 2 by 5')
  })

  test('pages of two records are halved too', () => {
    const two = { ...repeated(2), sameAsLast: true }
    const step = follow(firstPage({ ...options, pageSize: 2 }), fresh(2), two, two)
    expect(asked(step)).toBe('pages 1 of pass 2 by 1')
  })

  test('the pass by halves is one more than the limit', () => {
    const halves = [fresh(5), fresh(5), nothing, nothing, nothing]
    const step = follow(firstPage({ ...options, maxRereads: 0 }), fresh(10), same, same, ...halves)
    expect(asked(step)).toBe('pages 1 of pass 3 by 5')
  })

  test('three pages alike are read again by half the size, and refused if they are still alike', () => {
    const step = follow(firstPage(options), fresh(10), same, same)
    expect(asked(step)).toBe('pages 1 of pass 2 by 5')
    const pages = [fresh(10), same, same, fresh(5), same, same]
    expect(follow(firstPage(options), ...pages)).toEqual({ kind: 'refuse', why: 'page_ignored' })
  })

  test('three pages alike behind another one are the end; a page far beyond is the check', () => {
    const pages = [fresh(10), fresh(10), same, same]
    const step = follow(firstPage(options), ...pages)
    expect(asked(step)).toBe('check 100004 of pass 1 by 10')
    expect(asked(follow(firstPage(options), ...pages, same))).toBe('pages 1 of pass 2 by 10')
  })

  test('a single record on three pages is the list, where more were asked for', () => {
    const one = { ...repeated(1), sameAsLast: true }
    expect(asked(follow(firstPage(options), fresh(1), one, one))).toBe('check 100003 of pass 1 by 1')
    expect(follow(firstPage({ ...options, pageSize: 1 }), fresh(1), one, one).kind).toBe('refuse')
  })

  test('three pages alike are the list where the service states that length', () => {
    const step = follow(firstPage(options), fresh(10), same, { ...same, total: 10 })
    expect(asked(step)).toBe('check 100003 of pass 1 by 10')
  })

  test('two pages alike may be a list that grew by a page', () => {
    expect(follow(firstPage(options), fresh(10), same, fresh(10)).kind).toBe('page')
  })

  test('repeated pages end the reading, and are rejected if they repeat each time', () => {
    const round = [...Array.from({ length: 12 }, () => fresh(10)), ...Array.from({ length: 13 }, () => repeated(10))]
    expect(asked(follow(firstPage(options), ...round))).toBe('pages 1 of pass 2 by 10')
    const rounds = [...round, ...round]
    expect(follow(firstPage(options), ...rounds)).toEqual({ kind: 'refuse', why: 'page_ignored' })
  })

  test('ten pages without anything new are still bulk archiving', () => {
    const pages = [fresh(10), ...Array.from({ length: 10 }, () => repeated(10))]
    expect(asked(follow(firstPage(options), ...pages))).toBe('pages 12 of pass 1 by 10')
    expect(asked(follow(firstPage(options), ...pages, repeated(10)))).toBe('pages 1 of pass 2 by 10')
  })

  test('a list that never ends is refused', () => {
    const plan = { ...firstPage(options), page: 1_000_000 }
    expect(nextPage(plan, fresh(10))).toEqual({ kind: 'refuse', why: 'page_limit' })
  })
})

describe('pages asked for ahead', () => {
  const ahead = (...pages: PageObservation[]) => {
    const step = follow(firstPage(options), ...pages)
    return step.kind === 'page' ? pagesAhead(step.plan, 8) : 0
  }

  test('the first alone, then twice as many each time, up to the limit', () => {
    const full = Array.from({ length: 5 }, () => fresh(10))
    expect([0, 1, 2, 3, 4, 5].map((count) => ahead(...full.slice(0, count)))).toEqual([1, 2, 4, 8, 8, 8])
  })

  test('after a short page, the two that prove the end', () => {
    expect(ahead(fresh(10), fresh(10), fresh(10), fresh(4))).toBe(2)
  })

  test('after an empty page, one', () => {
    expect(ahead(fresh(10), fresh(10), fresh(10), nothing)).toBe(1)
  })

  test('in the second pass, as many as the first one found', () => {
    const pass = [fresh(10), fresh(10), fresh(3), nothing, nothing, repeated(3)]
    expect(ahead(...pass)).toBe(3)
    expect(ahead(...pass, again(10))).toBe(2)
    expect(ahead(...pass, again(10), again(10))).toBe(1)
  })
})
