import { describe, expect, test } from 'vitest'
import type { Client } from '../src/index.ts'
import { readProject } from '../src/index.ts'
import { RecordingSink } from './helpers/recording-sink.ts'
import { sandboxed } from './helpers/sandbox.ts'

/** Reads tasks and files only: no comment names a file. */
async function filesOf(client: Client, pid: string) {
  const sink = new RecordingSink()
  await readProject(client, { pid, listed: null }, { streams: new Set(['tasks', 'archived_tasks', 'files']) }, sink)
  expect(sink.statuses).toEqual({ tasks: 'complete', archived_tasks: 'complete', files: 'complete' })
  return { sink, read: sink.records('file').map(({ fid }) => fid), known: sink.records('known_file') }
}

describe('attachments of tasks', () => {
  test('files that tasks and archived tasks have are read, with their folders', async () => {
    const { sandbox, client, pid } = await sandboxed({ quirks: ['task-files'] })
    const { sink, read, known } = await filesOf(client, pid)
    const tasks = [...sink.records('task'), ...sink.records('archived_task')]
    const named = new Set(tasks.flatMap(({ extra }) => (extra?.['fids'] ?? []) as string[])) // as the quirk sends them
    expect(named.size).toBeGreaterThan(3)
    const folders = new Map(sandbox.store.truth(pid).files.map(({ file }) => [file.fid, file.folder_id]))
    const above = (fid: string): string[] => (fid === '' ? [] : [fid, ...above(folders.get(fid) ?? '')])
    expect(read.toSorted()).toEqual([...new Set([...named].flatMap(above))].toSorted())
    expect(new Set(known.map(({ source }) => source))).toEqual(new Set(['attachment', 'folder']))
  })

  test.each<[what: string, fields: Record<string, unknown>, asked: string[]]>([
    ['ids without descriptions', { fids: ['x1', 'x2'] }, ['x1', 'x2']],
    ['descriptions without ids', { files: [{ fid: 'x1', name: 'a' }] }, ['x1']],
    ['no lists', { files: null, fids: 'x1' }, []],
    ['other elements', { files: [null, 'x1', { fid: 7 }, []], fids: [null, 7, ''] }, []],
  ])('%s', async (_what, fields, asked) => {
    const { sandbox, client, pid } = await sandboxed()
    sandbox.store.change(pid, ({ tasks }) => Object.assign(tasks[0] ?? {}, fields))
    await filesOf(client, pid)
    const paths = sandbox.requests.filter(({ operation }) => operation === 'files.get').map(({ path }) => path)
    expect(paths.map((path) => /files\/(\w+)/.exec(path)?.[1]).toSorted()).toEqual(asked)
  })
})
