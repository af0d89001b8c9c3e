import { describe, expect, test } from 'vitest'
import {
  type Acceptance,
  acceptedIn,
  type EndedScope,
  endedIn,
  parsePlace,
  placeText,
  unneededIn,
} from '../src/snapshot/accepted.ts'
import { decideOutcome } from '../src/snapshot/outcome.ts'
import { Tally } from '../src/snapshot/tally.ts'

const NOW = new Date('2027-01-10T00:00:00Z')

const scope = (stream: EndedScope['stream'], of: Partial<EndedScope> = {}): EndedScope => ({
  ...{ pid: 'p1', stream, status: 'complete', error: null, carried: 0 },
  ...of,
})

const partial = (code = 'UNREAD_ITEMS') => ({ status: 'partial', error: { code, message: 'why' } }) as const

const unread = (id: string, isFromText = false) => ({
  ...{ pid: 'p1', stream: 'posts' as const, item_id: id, from_text: isFromText },
})

function accept(text: string, until = '2027-02-01'): Acceptance {
  const place = parsePlace(text)
  if (place === null) throw new Error(`no place: ${text}`)
  return { ...place, until: new Date(until), reason: 'known' }
}

const READ = scope('tasks')

describe('which scopes of a run lack only accepted failures', () => {
  const accepted = (scopes: EndedScope[], items: ReturnType<typeof unread>[], ...texts: string[]) =>
    acceptedIn(
      { scopes, unread: items },
      texts.map((text) => accept(text)),
      NOW,
    ).map(({ stream }) => stream)
  const posts = scope('posts', partial())

  test.each([
    ['its only failed item', ['a'], ['p1/posts/a'], ['posts']],
    ['each failed item', ['a', 'b'], ['p1/posts/a', 'p1/posts/b'], ['posts']],
    ['the whole scope', ['a', 'b'], ['p1/posts'], ['posts']],
    ['not another item', ['a', 'b'], ['p1/posts/a'], []],
    ['not the comments of the item', ['a/comments'], ['p1/posts/a'], []],
    ['not the same item of another project', ['a'], ['p2/posts/a'], []],
    ['not another stream', ['a'], ['p1/files/a'], []],
  ])('%s', (_, items, texts, expected) => {
    expect(
      accepted(
        [READ, posts],
        items.map((id) => unread(id)),
        ...texts,
      ),
    ).toEqual(expected)
  })

  test('an item accepts no failure of the rest of its scope', () => {
    for (const status of ['failed', 'drifted', 'refused'] as const) {
      const failed = scope('posts', { status, error: { code: 'HTTP_500', message: '' } })
      expect(accepted([READ, failed], [unread('a')], 'p1/posts/a')).toEqual([])
    }
    expect(accepted([READ, scope('posts', partial('NOT_REQUESTED'))], [unread('a')], 'p1/posts/a')).toEqual([])
    expect(accepted([READ, posts], [], 'p1/posts/a')).toEqual([])
  })

  test('an id that only texts name needs no acceptance', () => {
    expect(accepted([READ, posts], [unread('a'), unread('blog', true)], 'p1/posts/a')).toEqual(['posts'])
  })

  test('a refused deletion, and a run that could read no project, are never accepted', () => {
    expect(accepted([READ, scope('pages', { status: 'refused' })], [], 'p1/pages')).toEqual([])
    const failed = scope('pages', { status: 'failed', error: { code: 'HTTP_500', message: '' } })
    expect(accepted([READ, failed], [], 'p1/pages')).toEqual(['pages'])
    const denied = scope('tasks', { status: 'skipped', error: { code: 'NOT_ALLOWED', message: '' } })
    const list = scope('projects', { pid: null })
    expect(accepted([list, denied, failed], [], 'p1/pages', 'p1/tasks')).toEqual([])
  })

  test('the list of projects is never accepted', () => {
    const list = scope('projects', { pid: null, ...partial() })
    expect(accepted([READ, list], [], '/projects')).toEqual([])
    expect(accepted([scope('webhooks', { pid: null, ...partial() })], [], '/webhooks')).toEqual([])
    expect(accepted([READ, scope('webhooks', { pid: null, ...partial() })], [], '/webhooks')).toEqual(['webhooks'])
  })

  test('an acceptance that has ended counts no longer', () => {
    const run = { scopes: [READ, posts], unread: [unread('a')] }
    expect(acceptedIn(run, [accept('p1/posts/a', NOW.toISOString())], NOW)).toEqual([])
    const ended = endedIn(run, [accept('p1/posts/a', '2027-01-09'), accept('p1/posts/b', '2027-01-09')], {
      now: NOW,
      accepted: [],
    })
    expect(ended).toEqual([{ scope: 'p1/posts/a', until: '2027-01-09T00:00:00.000Z', reason: 'known' }])
  })

  test('an accepted scope leaves the run succeeded, and any other failure partial', () => {
    const tally = new Tally()
    const report = (of: EndedScope) =>
      tally.addScope({ ...of, pages: 0, read: 0, content_hash: null, carried_since: null })
    for (const each of [READ, posts]) report(each)
    tally.unread.push({ ...unread('a'), source: 'known', error_code: '1', error: '', first_failed_at: '' })
    expect(decideOutcome(undefined, tally.scopes)).toEqual({ status: 'partial', exitCode: 3 })
    tally.accept(acceptedIn(tally, [accept('p1/posts/a')], NOW))
    expect(decideOutcome(undefined, tally.scopes)).toEqual({ status: 'succeeded', exitCode: 0 })
    report(scope('events', { status: 'drifted' }))
    expect(decideOutcome(undefined, tally.scopes)).toEqual({ status: 'partial', exitCode: 3 })
  })

  test('a reason beside unread items is not lost when parts of a scope are put together', () => {
    const tally = new Tally()
    for (const code of ['UNREAD_ITEMS', 'NOT_REQUESTED', 'UNREAD_ITEMS']) {
      tally.addScope({ ...scope('posts', partial(code)), pages: 0, read: 0, content_hash: null, carried_since: null })
    }
    expect(tally.scopes).toMatchObject([{ error: { code: 'NOT_REQUESTED' } }])
  })
})

describe('which acceptances are no longer needed', () => {
  const unneeded = (scopes: EndedScope[], items: ReturnType<typeof unread>[], text: string, readsAll = true) =>
    unneededIn({ scopes, unread: items }, [accept(text)], { now: NOW, readsAll }).map((each) => each.scope)

  test('those of what was read', () => {
    expect(unneeded([scope('posts')], [], 'p1/posts')).toEqual(['p1/posts'])
    expect(unneeded([scope('posts')], [], 'p1/posts/a')).toEqual(['p1/posts/a'])
    expect(unneeded([scope('posts', partial())], [unread('b')], 'p1/posts/a')).toEqual(['p1/posts/a'])
  })

  test('not those of what still fails, or was not read', () => {
    expect(unneeded([scope('posts', partial())], [unread('a')], 'p1/posts/a')).toEqual([])
    expect(unneeded([scope('posts', partial())], [unread('a')], 'p1/posts')).toEqual([])
    expect(unneeded([scope('posts', { status: 'failed' })], [], 'p1/posts/a')).toEqual([])
    expect(unneeded([scope('tasks', { status: 'carried', carried: 1 })], [], 'p1/tasks')).toEqual([])
  })

  test('those of a scope that does not exist, if the run read all', () => {
    expect(unneeded([READ], [], 'p9/posts')).toEqual(['p9/posts'])
    expect(unneeded([READ], [], 'p9/posts', false)).toEqual([])
  })
})

test('a place is a project, a stream and perhaps an item, which may hold slashes', () => {
  const range = { pid: 'p1', stream: 'events', item: '2027-01-01T00:00:00.000Z/2027-02-01T00:00:00.000Z' } as const
  for (const place of [range, { pid: null, stream: 'webhooks', item: null } as const]) {
    expect(parsePlace(placeText(place))).toEqual(place)
  }
  for (const text of ['p1', 'p1/', 'p1/post', 'p1/posts/', 'posts', '']) expect(parsePlace(text)).toBeNull()
})
