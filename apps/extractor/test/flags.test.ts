import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseCommandLine, UsageError } from '@collab-etl/cli'
import { scratchDirectory } from '@collab-etl/harness/commands'
import { describe, expect, test } from 'vitest'
import { PROGRAM } from '../src/program.ts'
import { SNAPSHOT_FLAGS } from '../src/snapshot/flags.ts'
import { type SnapshotArguments, snapshotOptions } from '../src/snapshot/options.ts'

const NONE: SnapshotArguments = {
  ...{
    project: undefined,
    streams: undefined,
    'events-from': undefined,
    'events-to': undefined,
    full: undefined,
    refresh: undefined,
    'max-requests': undefined,
    'max-duration': undefined,
    resume: undefined,
    workers: undefined,
    'accept-clock': undefined,
    again: undefined,
    'accept-account': undefined,
    'forget-account': undefined,
    accept: undefined,
  },
  'archived-page-size': undefined,
  post: undefined,
  'posts-file': undefined,
  'max-shrink': undefined,
  'allow-shrink': undefined,
  'rebind-service': undefined,
}

const options = (args: Partial<SnapshotArguments>, concurrency = 8) =>
  snapshotOptions({ file: {}, concurrency, databaseUrl: undefined }, { ...NONE, ...args })

describe('what a flag takes', () => {
  const {
    streams,
    'events-from': from,
    'events-to': to,
    'archived-page-size': pageSize,
    'max-shrink': shrink,
    post,
  } = SNAPSHOT_FLAGS

  test('one value, if the flag is checked as well', async () => {
    const twice = parseCommandLine(PROGRAM, ['snapshot', '--streams', 'tasks', '--streams', 'pages'])
    await expect(twice).rejects.toThrow('--streams was given 2 times; it takes one value')
  })

  test('streams, in any order, once each', () => {
    expect([...streams.coerce('tasks, pages,tasks')]).toEqual(['tasks', 'pages'])
    expect(() => streams.coerce('tasks,task')).toThrow(/there is no "task"/)
    expect(() => streams.coerce('')).toThrow(UsageError)
  })

  test('days and times from the first 13-digit millisecond to the last', () => {
    expect(from.coerce('2001-09-09T01:46:40Z').getTime()).toBe(1_000_000_000_000)
    expect(() => from.coerce('2001-09-09T01:46:39.999Z')).toThrow(/13-digit milliseconds only/)
    expect(to.coerce('2286-11-20T17:46:39.999Z').getTime()).toBe(9_999_999_999_999)
    expect(() => to.coerce('2286-11-21')).toThrow(/13-digit milliseconds only/)
    expect(() => from.coerce('May')).toThrow(/--events-from must be a date/)
  })

  test('a day as the end of a range is in it', () => {
    expect(to.coerce('2024-02-29').toISOString()).toBe('2024-02-29T23:59:59.999Z')
  })

  test.each(['0', '1001', '1.5', 'many'])('no page of %s', (text) => {
    expect(() => pageSize.coerce(text)).toThrow(/whole number from 1 to 1000/)
  })

  test.each(['2', '-1', '50%', 'half', '.'])('no fraction of %s', (text) => {
    expect(() => shrink.coerce(text)).toThrow(/fraction from 0 to 1/)
  })

  test.each(['0', '.5', '1.', '0.25'])('a fraction of %s', (text) => {
    expect(shrink.coerce(text)).toBe(Number(text))
  })

  test('posts of projects; only the first colon parts them', () => {
    expect(post.coerce(['p:1', 'q:a:b'])).toEqual([
      { pid: 'p', id: '1' },
      { pid: 'q', id: 'a:b' },
    ])
    for (const text of ['1', ':1', 'p:'])
      expect(() => post.coerce([text])).toThrow(`--post must be PID:POST_ID, not "${text}"`)
  })
})

describe('flags together', () => {
  test('defaults', async () => {
    const { projects, streams, limits, projectsAtOnce } = await options({})
    expect({ projects, streams: streams.size, limits, projectsAtOnce }).toEqual({
      projects: null,
      streams: 12,
      projectsAtOnce: 8,
      limits: { maxShrink: 0.5, allowShrink: false },
    })
    expect((await options({}, 2)).projectsAtOnce).toBe(2)
    expect((await options({ 'max-shrink': 0 })).limits.maxShrink).toBe(0)
  })

  test('posts of flag and file', async () => {
    await using scratch = await scratchDirectory()
    const path = join(scratch.path, 'posts.csv')
    await writeFile(path, 'pid,post_id\nq,2\n')
    expect((await options({ post: [{ pid: 'p', id: '1' }], 'posts-file': path })).namedPosts).toEqual([
      { kind: 'post', pid: 'p', id: '1', source: 'flag' },
      { kind: 'post', pid: 'q', id: '2', source: 'file' },
    ])
  })

  test('a range back to front', async () => {
    const range = { 'events-from': new Date('2024-02-01'), 'events-to': new Date('2024-01-01') }
    await expect(options(range)).rejects.toThrow('--events-from is after --events-to')
  })
})

test.each([
  ['', 'recent'],
  ['true', 'recent'],
  ['false', 'off'],
  ['force', 'force'],
])('--resume=%s', (text, mode) => {
  expect(SNAPSHOT_FLAGS.resume.coerce(text)).toBe(mode)
})

test('--resume takes a time, and no other value', () => {
  expect(SNAPSHOT_FLAGS.resume.coerce('2026-02-03T02:30:00Z')).toEqual(new Date('2026-02-03T02:30:00Z'))
  expect(() => SNAPSHOT_FLAGS.resume.coerce('yes')).toThrow(
    '--resume takes no value other than force or a time, not "yes"',
  )
})
