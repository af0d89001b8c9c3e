import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '@collab-etl/harness/commands'
import { postgresServer } from '@collab-etl/harness/postgres'
import { startSandbox } from '@collab-etl/sandbox'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fileOf, loadWarehouse, releases, unpackBackup } from './released.ts'

describe.each(releases)('a backup of %s', (release) => {
  test('is whole for verify, as directory and as archive, and list shows it', async () => {
    const { directory, backup } = await unpackBackup(release)
    for (const args of [[backup], [backup, '--fast'], [fileOf(release, 'backup.tar.gz')]])
      expect(await run('collab-export', ['verify', ...args])).toMatchObject({ code: 0 })
    const { code, stdout } = await run('collab-export', ['list', directory, '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout).backups).toMatchObject([{ data: 'whole', formats: ['csv', 'html', 'jsonl', 'markdown'] }])
  })

  test('equals one of the upgraded warehouse', async () => {
    const { directory, backup } = await unpackBackup(release)
    const warehouse = await loadWarehouse(release, postgresServer())
    expect(await run('collab-extract', ['init'], { env: warehouse.env })).toMatchObject({ code: 0 })
    const args = ['backup', '--from', 'warehouse', '--out', directory, '--format', 'markdown,csv,html,jsonl', '--json']
    const made = await run('collab-export', args, { env: warehouse.env })
    expect(made.code, made.stderr).toBe(0)
    const later = JSON.parse(made.stdout).backup
    expect(later).not.toBe(backup)
    const differing = await run('collab-export', ['diff', backup, later])
    expect(differing, differing.stdout).toMatchObject({ code: 0 })
    const listed = await run('collab-export', ['list', directory, '--json'])
    expect(JSON.parse(listed.stdout).backups).toHaveLength(2)
  })

  test('is restored with all its pages and posts', async () => {
    const { backup } = await unpackBackup(release)
    const manifest = JSON.parse(await readFile(join(backup, 'data/backup.json'), 'utf8'))
    const sandbox = await startSandbox({ seed: 5, projects: 1, tasks: 1, archived: 0, pages: 0, posts: 0, events: 0 })
    onTestFinished(() => sandbox.close())
    const [pid = ''] = sandbox.pids
    const [project] = manifest.projects
    const restored = await run('collab-export', ['restore', backup, '--project', project.pid, '--to-project', pid], {
      env: { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token },
    })
    expect(restored.code, restored.stderr).toBeOneOf([0, 3])
    const { pages, posts } = sandbox.store.truth(pid)
    expect({ pages: pages.length, posts: posts.length }).toEqual({
      pages: project.counts.pages,
      posts: project.counts.posts,
    })
    expect(pages.length).toBeGreaterThan(0)
  })
})
