/** @module-tag thorough */

import { expect } from 'vitest'
import { DatabaseWorld } from '../database/world.ts'
import { fault } from '../support/fault.ts'

fault('a comment of a post and one of a file share an id', async (fixture) => {
  await using world = await DatabaseWorld.open(fixture, { projects: 1 })
  const [pid = ''] = world.sandbox.pids
  const attached = (fid: string) => ({ fid, name: fid, desc: '', pid, size: '1', path: `/${fid}`, folder_id: '' })
  world.sandbox.store.change(pid, ({ posts, files }) => {
    const ofPost = posts.flatMap(({ comments }) => comments)[0]
    const ofFile = files.flatMap(({ comments }) => comments)[0]
    if (ofPost === undefined || ofFile === undefined) throw new Error('no comments to share an id')
    ofFile.cid = ofPost.cid
    const known = files.map(({ file }) => file.fid)
    ofPost.files = known.slice(0, 1).map(attached)
    ofFile.files = known.slice(1, 2).map(attached)
    ofPost.fids = ofPost.files.map(({ fid }) => fid)
    ofFile.fids = ofFile.files.map(({ fid }) => fid)
  })
  const count = async () =>
    (
      await world.admin(
        'SELECT parent_kind, count(*) FROM collab.comment_files WHERE deleted_at IS NULL GROUP BY 1 ORDER BY 1',
      )
    ).map(Object.values)
  const first = await world.snapshotAt()
  expect(first.code, first.stderr).toBe(0)
  await world.expectTruth()
  const before = await count()
  for (const stream of ['posts', 'files']) {
    const ran = await world.snapshotAt(world.url, { args: ['--streams', stream] })
    expect(ran.code, ran.stderr).toBe(0)
    expect(await count()).toEqual(before)
  }
  await world.expectTruth()
  return fixture.cured(await world.snapshotAt())
})
