import { startReceiver } from '@collab-etl/harness/receiver'
import { describe, expect, test } from 'vitest'
import {
  isNotified,
  messageOf,
  type Night,
  type NotifyAs,
  notify,
  pingEnd,
  pingStart,
  type ScopeFact,
} from '../src/index.ts'
import { failedNight, night, step } from './night-fixture.ts'

const PLACES = { moreCommand: 'collab-nightly status' }

describe('a ping', () => {
  test.each(['/uuid', '/uuid/'])('to %s goes to /start and then to /<exit code>', async (path) => {
    await using receiver = await startReceiver()
    expect(await pingStart(receiver.url + path)).toBeNull()
    expect(await pingEnd(receiver.url + path, failedNight())).toBeNull()
    const [start, end] = receiver.received
    expect(start).toMatchObject({ method: 'GET', path: '/uuid/start', body: '' })
    expect(end).toMatchObject({ method: 'POST', path: '/uuid/4' })
    expect(JSON.parse(end?.body ?? '')).toEqual(failedNight())
  })

  test('keeps the query of its address', async () => {
    await using receiver = await startReceiver()
    await pingStart(`${receiver.url}/key/slug?create=1`)
    expect(receiver.received[0]?.path).toBe('/key/slug/start?create=1')
  })

  test('has at most 100,000 bytes, and the exit code in any case', async () => {
    await using receiver = await startReceiver()
    const scopes = (error: string) =>
      Array.from({ length: 100 }, () => ({ pid: 'P', stream: 'tasks', status: 'failed', error }))
    const { snapshot } = night()
    const long = (error: string): Night =>
      night({ exit_code: 3, snapshot: snapshot && { ...snapshot, not_whole: scopes(error) } })
    const steps = Array.from({ length: 400 }, (_, n) => step(`step ${n}`, { reason: '\u{1f4a5}'.repeat(400) }))
    for (const big of [long('x'.repeat(2000)), night({ exit_code: 3, steps })]) await pingEnd(receiver.url, big)
    for (const { body, path } of receiver.received) {
      expect(path).toBe('/3')
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(100_000)
      expect(JSON.parse(body)).toMatchObject({ exit_code: 3, shortened: true })
    }
  })
})

describe('which nights are notified', () => {
  const [whole, failed] = [night(), failedNight()]
  const partial = night({
    outcome: 'partial',
    exit_code: 3,
    steps: [step('snapshot', { status: 'partial', exit_code: 3 })],
  })
  const damaged = failedNight({ verification: { backup: 'B', mode: 'full', damaged: 1 } })
  const scope = (pid: string, stream: string, status: string) => ({ pid, stream, status, error: null })
  const { snapshot } = night()
  const withScopes = (...not_whole: ScopeFact[]): Night => ({
    ...partial,
    snapshot: snapshot && { ...snapshot, not_whole },
  })
  const [posts, refused] = [scope('P', 'posts', 'partial'), scope('Q', 'tasks', 'refused')]
  const deleted = night({
    snapshot: snapshot && { ...snapshot, deleted_projects: [{ pid: 'P', name: 'Relaunch', rows: 985 }] },
  })
  const [snapshotFailed, pruneFailed] = ['snapshot', 'prune'].map((name) =>
    failedNight({ exit_code: 1, steps: [step(name, { status: 'failed', exit_code: 1 })] }),
  ) as [Night, Night]

  test.each([
    { when: 'failure', nights: [whole, failed, failed, whole], notified: [false, true, true, false] },
    { when: 'always', nights: [whole, failed], notified: [true, true] },
    { when: 'change', nights: [whole, failed, failed, whole, whole], notified: [false, true, false, true, false] },
    { when: 'change', nights: [failed, whole], notified: [true, true] },
    { when: 'change', nights: [partial, partial, failed, failed, partial], notified: [true, false, true, false, true] },
    { when: 'change', nights: [failed, damaged, damaged, whole, whole], notified: [true, true, false, true, false] },
    // a worse problem behind one that is known; a fixed one; the same in another order
    {
      when: 'change',
      nights: [withScopes(posts), withScopes(posts, refused), withScopes(refused, posts), withScopes(refused)],
      notified: [true, true, false, true],
    },
    { when: 'change', nights: [whole, deleted, whole], notified: [false, true, false] },
    // the same exit code of another step
    { when: 'change', nights: [snapshotFailed, pruneFailed, snapshotFailed], notified: [true, true, true] },
  ] as const)('$when: $notified', ({ when, nights, notified }) => {
    expect(nights.map((one, index) => isNotified(when, one, nights[index - 1] ?? null))).toEqual(notified)
  })
})

describe('a message', () => {
  test('of a failed night says what failed, since when, what is safe, and where to look', () => {
    const { title, lines } = messageOf(failedNight(), PLACES)
    expect(title).toBe('collab-nightly on etl-1: snapshot FAILED (exit 4: the token is not accepted)')
    expect(lines).toEqual([
      '2 failures in a row, since 2026-02-02 02:30 UTC.',
      'The run of 2026-02-03 02:30 UTC wrote no backup. The last run that read and backed up everything began 2026-02-01 02:30 UTC.',
      'More: collab-nightly status',
      'Skipped: backup',
      'snapshot failed: the access token is refused',
    ])
  })

  test('of a partial night names the streams that are not whole', () => {
    const steps = [step('snapshot', { status: 'partial', exit_code: 3 }), step('backup')]
    const of = {
      exit_code: 3,
      outcome: 'partial',
      consecutive_failures: 1,
      failing_since: '2026-02-03T02:30:00.000Z',
    } as const
    const { title, lines } = messageOf(night({ ...of, steps, last_whole_at: null }), PLACES)
    expect(title).toBe('collab-nightly on etl-1: incomplete (exit 3)')
    expect(lines).toContain('Incomplete: events: 1 failed')
    expect(lines).toContain('This is the first failure.')
    expect(lines.join(' ')).toMatch(
      /backup 20260203T023900Z holds everything that was read. Every byte was verified, without damage. No run has read/,
    )
  })

  test('names refused deletions first, a shared reason once, and counts accepted failures', () => {
    const { snapshot } = night()
    const steps = ['snapshot', 'backup'].map((name) => step(name, { status: 'partial', reason: 'posts of X partial' }))
    const failure = (until: string) => ({ scope: 'P/posts', until, reason: 'known' })
    const facts = {
      scopes: { posts: { complete: 1, partial: 4 }, tasks: { refused: 1 } },
      accepted: [failure('2027-12-31T00:00:00Z'), failure('2027-02-01T00:00:00Z')],
    }
    const { lines } = messageOf(
      night({ outcome: 'partial', exit_code: 3, steps, snapshot: snapshot && { ...snapshot, ...facts } }),
      PLACES,
    )
    expect(lines).toContain('Incomplete: tasks: 1 refused, posts: 4 partial')
    expect(lines).toContain('Accepted failures: 2, until 2027-02-01 or later')
    expect(lines.at(-1)).toBe('snapshot and backup are incomplete: posts of X partial')
  })

  test('names the projects that are no longer in the service', () => {
    const { snapshot } = night()
    const deleted_projects = [{ pid: 'f916', name: 'Relaunch', rows: 985 }]
    const { title, lines } = messageOf(night({ snapshot: snapshot && { ...snapshot, deleted_projects } }), PLACES)
    expect(title).toMatch(/: everything was read and backed up; 1 project is no longer in the service$/)
    expect(lines).toContain('No longer in the service: Relaunch (f916), 985 rows')
  })

  test('of a wrong clock names the clock, not a setting', () => {
    const steps = [step('snapshot', { status: 'failed', reason: 'the clock of this machine shows …: --accept-clock' })]
    expect(messageOf(failedNight({ exit_code: 2, steps }), PLACES).title).toMatch(/\(exit 2: the clock is wrong\)$/)
  })

  describe('says of the backups only what was checked', () => {
    const failed = (name: string, of: Partial<Night>) =>
      messageOf(failedNight({ steps: [step(name, { status: 'failed', reason: 'broken' })], ...of }), PLACES).lines.join(
        ' ',
      )
    const { backup, last_whole_at: start } = night()
    const verification = (of: object) => ({ backup: '20260203T023900Z', mode: 'full', damaged: 0, ...of })

    test.each([
      [
        'an earlier one verified in part',
        { verification: verification({ mode: 'sample' }) },
        /wrote no backup\. The latest one is 20260203T023900Z\. Part of its files was verified/,
      ],
      [
        'an earlier one by sizes',
        { verification: verification({ mode: 'fast' }) },
        /Its files have the right number and sizes/,
      ],
      [
        'an earlier one that is damaged',
        { verification: verification({ damaged: 2 }) },
        /the latest one, 20260203T023900Z, is damaged\. Earlier backups share/,
      ],
      [
        'one that is damaged',
        { backup, verification: verification({ damaged: 1 }) },
        /The backup 20260203T023900Z is damaged\./,
      ],
      ['one that was not verified', { backup }, /It was not verified\./],
      [
        'one without a summary',
        { steps: [step('backup'), step('archive', { status: 'failed' })] },
        /A backup was written, but its summary was lost\./,
      ],
    ] as const)('%s', (_, of, expected) => {
      expect(failed('archive', of)).toMatch(expected)
    })

    test('a damaged backup does not hold everything', () => {
      const text = failed('verify', { backup, verification: verification({ damaged: 1 }), started_at: start ?? '' })
      expect(text).not.toContain('holds everything')
    })
  })

  test('of the first whole night after failures says so', () => {
    const { title, lines } = messageOf(night(), { ...PLACES, previous: failedNight() })
    expect(title).toBe('collab-nightly on etl-1: recovered: everything was read and backed up')
    expect(lines[0]).toBe('Recovered after 2 failures in a row, since 2026-02-02 02:30 UTC.')
  })

  test('of a night with damage and a rejected token says both in its first line', () => {
    const steps = [
      step('snapshot', { status: 'failed', exit_code: 4 }),
      step('verify', { status: 'failed', exit_code: 5 }),
    ]
    const { title } = messageOf(failedNight({ steps, verification: { backup: 'B', mode: 'full', damaged: 1 } }), PLACES)
    expect(title).toMatch(/: snapshot and verify FAILED \(exit 4: the token is not accepted; damage was found\)$/)
  })

  test('names the command that examines what failed', () => {
    const { lines } = messageOf(failedNight(), { ...PLACES, checkCommand: 'collab-extract check' })
    expect(lines.slice(2, 4)).toEqual(['Check: collab-extract check', 'More: collab-nightly status'])
  })

  test('of a whole night is short', () => {
    expect(messageOf(night(), PLACES).lines).toEqual(['Backup 20260203T023900Z', 'More: collab-nightly status'])
  })
})

describe('a notification', () => {
  async function sent(as: NotifyAs, of: Night) {
    await using receiver = await startReceiver()
    const url = `${receiver.url}/hook`
    expect(await notify({ url, as, when: 'always' }, messageOf(of, PLACES), of)).toBeNull()
    expect(receiver.received).toHaveLength(1)
    return receiver.received[0]
  }

  test('for Slack is a text in which nothing is markup', async () => {
    const steps = [step('snapshot', { status: 'failed', exit_code: 1, reason: '<!channel> & <script>' })]
    const { text } = JSON.parse((await sent('slack', failedNight({ steps })))?.body ?? '')
    expect(text).toMatch(
      /^\*collab-nightly on etl-1: snapshot FAILED \(exit 4: the token is not accepted\)\*\n2 failures .*\nsnapshot failed: &lt;!channel&gt; &amp; &lt;script&gt;$/s,
    )
  })

  test('for ntfy has its title and priority in the headers', async () => {
    const received = await sent('ntfy', failedNight({ host: 'büro' }))
    expect(received?.headers).toMatchObject({
      title: 'collab-nightly on b?ro: snapshot FAILED (exit 4: the token is not accepted)',
      priority: 'high',
    })
    expect(received?.body).toMatch(/^2 failures in a row.*\nsnapshot failed: the access token is refused$/s)
  })

  test('for ntfy stays a message, however long the reasons, which end between words', async () => {
    const long = step('snapshot', { status: 'failed', reason: '\u{1f4a5}'.repeat(3000) })
    const words = step('verify', { status: 'failed', reason: 'the service answered; '.repeat(300) })
    const body = (await sent('ntfy', failedNight({ steps: [long, words] })))?.body ?? ''
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(4096)
    expect(body).toContain('\nMore: collab-nightly status\n')
    expect(body).toMatch(/\nverify failed: (the service answered; )+the service answered…$/)
  })

  test('of 3,000 bytes is sent whole to each service', async () => {
    const steps = [step('snapshot', { status: 'failed', reason: 'cause '.repeat(500) })]
    for (const as of ['ntfy', 'slack', 'json'] as const)
      expect((await sent(as, failedNight({ steps })))?.body).toContain('cause '.repeat(499))
  })

  test('as JSON has title, text and the night', async () => {
    const document = JSON.parse((await sent('json', failedNight()))?.body ?? '')
    expect(Object.keys(document)).toEqual(['title', 'text', 'night'])
    expect(document.night).toEqual(failedNight())
  })
})

test('the headline of an incomplete night does not name its report, which does not count', () => {
  const steps = [
    step('snapshot', { status: 'partial', exit_code: 3 }),
    step('report', { status: 'failed', exit_code: 1 }),
  ]
  const { title, lines } = messageOf(night({ outcome: 'partial', exit_code: 3, steps }), PLACES)
  expect(title).toBe('collab-nightly on etl-1: incomplete (exit 3)')
  expect(lines).toContain('report failed')
})
