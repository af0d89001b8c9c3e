import { expect, test } from 'vitest'
import { readProject } from '../src/index.ts'
import { RecordingSink } from './helpers/recording-sink.ts'
import { requestsFor, sandboxed } from './helpers/sandbox.ts'

// The files that tasks have are read and stored: apps/extractor/test/attachments.test.ts.

test.each<[what: string, fields: Record<string, unknown>, asked: string[]]>([
  ['ids without descriptions', { fids: ['x1', 'x2'] }, ['x1', 'x2']],
  ['descriptions without ids', { files: [{ fid: 'x1', name: 'a' }] }, ['x1']],
  ['no lists', { files: null, fids: 'x1' }, []],
  ['other elements', { files: [null, 'x1', { fid: 7 }, []], fids: [null, 7, ''] }, []],
])('attachments of a task: %s', async (_what, fields, asked) => {
  const { sandbox, client, pid } = await sandboxed()
  sandbox.store.change(pid, ({ tasks }) => Object.assign(tasks[0] ?? {}, fields))
  const options = { streams: new Set(['tasks', 'archived_tasks', 'files'] as const) }
  await readProject(client, { pid, listed: null }, options, new RecordingSink())
  expect(
    requestsFor(sandbox, 'files.get')
      .map((path) => /files\/(\w+)/.exec(path)?.[1])
      .toSorted(),
  ).toEqual(asked)
})
