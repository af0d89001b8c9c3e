import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Format } from '@collab-etl/backups'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { scratch } from '@collab-etl/harness/scratch'
import { filesOf } from '@collab-etl/harness/trees'
import { type ProjectTruth, type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { describe, expect, onTestFinished, test } from 'vitest'
import { apiBackup } from './api-backup.ts'
import { writeBag } from './backup-in.ts'
import { backupOf } from './changing-warehouse.ts'
import { fillWarehouse } from './fill-warehouse.ts'
import { handMadeSource, pageRow } from './rows.ts'
import { warehouseInTurn } from './warehouse-in-turn.ts'

type Json = Record<string, unknown>

const JSONL = { formats: new Set<Format>(['jsonl']) }

async function recordsIn(file: string): Promise<Json[]> {
  const text = await readFile(file, 'utf8')
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
}

/** Records by their key, and their lists of things with a key by theirs: neither is in an order of the service's. */
function inOrder(records: readonly Json[], key: string): Json[] {
  return records.map(listsInOrder).sort((a, b) => compareBytes(String(a[key]), String(b[key])))
}

function listsInOrder(record: Json): Json {
  const keys: Json = { labels: 'name', todos: 'pos', files: 'fid' }
  const ordered = (name: string, list: unknown[]) => {
    const key = String(keys[name] ?? 'uid')
    const of = (item: unknown) => (typeof item === 'object' && item !== null ? (item as Json)[key] : item)
    return list.toSorted((a, b) => {
      const [left, right] = [of(a), of(b)]
      return typeof left === 'number' && typeof right === 'number' ? left - right : compareBytes(`${left}`, `${right}`)
    })
  }
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      Array.isArray(value) && name !== 'actions' ? ordered(name, value) : value,
    ]),
  )
}

async function warehouseBackup(sandbox: Sandbox): Promise<string> {
  const warehouse = await fillWarehouse(sandbox, await warehouseInTurn())
  onTestFinished(() => warehouse.close())
  return (await backupOf(warehouse, await scratch(), JSONL)).path
}

test.each([
  ['service', async (sandbox: Sandbox) => (await apiBackup(sandbox, JSONL)).bag],
  ['warehouse', warehouseBackup],
])(
  'JSON lines hold every record of a project as the service sent it, from the %s',
  { tags: 'thorough' },
  async (_, backUp) => {
    const sandbox = await startSandbox({ projects: 2, tasks: 30, archived: 25, pages: 12, posts: 8, events: 12 })
    onTestFinished(() => sandbox.close())
    const bag = await backUp(sandbox)
    const manifest = JSON.parse(await readFile(join(bag, 'data/backup.json'), 'utf8'))
    for (const { pid, jsonl } of manifest.projects) {
      const truth: ProjectTruth = sandbox.store.truth(pid)
      const read = (name: string) => recordsIn(join(bag, 'data', jsonl.folder, `${name}.jsonl`))
      const { is_star, pos, member_count, curr_role, permission } = truth.listed ?? {}
      const project = { ...truth.detail, is_star, pos, member_count, curr_role, permission }
      expect(await read('project')).toEqual(inOrder([project], 'pid'))
      expect(await read('tasks')).toEqual(inOrder(truth.tasks, 'tid'))
      expect(await read('archived_tasks')).toEqual(inOrder(truth.archived_tasks, 'tid'))
      expect(await read('pages')).toEqual(inOrder(truth.pages, 'page_id'))
      expect(await read('events')).toEqual(inOrder(truth.events, 'event_id'))
      expect(await read('webhooks')).toEqual(inOrder(truth.webhooks, 'wid'))
      const posts = truth.posts.filter(({ post }) => !truth.unlinked_posts.includes(post.post_id))
      expect(await read('posts')).toEqual(
        posts
          .map(({ post, comments }) => ({ post: listsInOrder(post), comments: inOrder(comments, 'cid') }))
          .sort((a, b) => compareBytes(String(a.post['post_id']), String(b.post['post_id']))),
      )
      const files = truth.files.filter(({ file }) => !truth.unlinked_files.includes(file.fid))
      const known = (await read('files')).map(({ file }) => (file as Json)['fid'])
      expect(await read('files')).toEqual(
        files
          .filter(({ file }) => known.includes(file.fid))
          .map(({ file, comments }) => ({ file: listsInOrder(file), comments: inOrder(comments, 'cid') }))
          .sort((a, b) => compareBytes(String(a.file['fid']), String(b.file['fid']))),
      )
      expect(jsonl.counts).toMatchObject({ project: 1, tasks: truth.tasks.length, posts: posts.length })
    }
  },
)

describe('JSON lines', () => {
  test('of a project without its own row: an empty file for it, and all its other records', async () => {
    const source = handMadeSource({
      tables: { pages: [pageRow('P1', 'a1', 'Guide', { extra: { zz: 1, aa: { b: 1, a: 2 } }, owner_uid: 'u9' })] },
      scopes: [{ pid: 'P1', stream: 'projects', status: 'failed', error: null }],
    })
    const bag = await scratch()
    await writeBag(bag, source, JSONL)
    const files = new Map(await filesOf(join(bag, 'data/jsonl')))
    const folder = 'untitled~1--P1'
    expect([...files.keys()].sort()).toEqual(
      ['archived_tasks', 'events', 'files', 'pages', 'posts', 'project', 'tasks', 'webhooks'].map(
        (name) => `${folder}/${name}.jsonl`,
      ),
    )
    expect(files.get(`${folder}/project.jsonl`)).toBe('')
    const [page] = await recordsIn(join(bag, 'data/jsonl', folder, 'pages.jsonl'))
    expect(JSON.stringify(page)).toBe(
      '{"page_id":"a1","parent_id":"","pid":"P1","name":"Guide","summary":null,' +
        '"created_at":"2024-01-01T08:00:00.000Z","updated_at":"2024-02-01T08:00:00.000Z",' +
        '"owner":{"uid":"u9","name":null,"display_name":null,"avatar":null,"desc":null,"status":null,"online":null},' +
        '"watchers":[],"content":"# Guide\\n","aa":{"a":2,"b":1},"zz":1}',
    )
  })
})
