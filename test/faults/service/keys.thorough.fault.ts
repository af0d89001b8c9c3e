/** @module-tag thorough */

import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { firstOf, loss } from './losses.ts'
import { expectNight, night } from './night.ts'
import { projectOf, worldTonight } from './world.ts'

/** The stored form of an ASCII id of more than 512 bytes: its beginning and a hash. */
function shortened(id: string): string {
  const digest = createHash('sha256').update(JSON.stringify(id)).digest('hex')
  return `${id.slice(0, 477)}…${digest.slice(0, 32)}`
}

fault('ids and labels of thousands of characters; file ids that no URL can contain', async (fixture) => {
  const [label, uid, fid, wid] = [6000, 3000, 5000, 2800].map((length) => randomBytes(length / 2).toString('hex'))
  if (!label || !uid || !fid || !wid) throw new Error('there are four of them')
  const world = worldTonight()
  const kept = worldTonight()
  const odd = [fid, 'half\ud800', 'nul\0']
  for (const [{ task }, project, id] of [
    [firstOf(world), projectOf(world, 'P1'), (text: string) => text],
    [firstOf(kept), projectOf(kept, 'P1'), shortened],
  ] as const) {
    task.labels = [{ name: id(label), desc: 'long' }]
    task.members = task.members.map((user, n) => (n === 0 ? { ...user, uid: id(uid) } : user))
    const added = project.webhooks.slice(0, 2)
    project.webhooks.push(...added.map((webhook, n) => ({ ...webhook, wid: id(`${wid}${n}`) })))
  }
  const found = projectOf(world, 'P1').posts.find(({ comments }) => comments[0]?.files.length === 1)
  const comment = found?.comments[0]
  if (found === undefined || comment === undefined) throw new Error('the world has no such comment')
  comment.fids.push(...odd)
  const key = `${found.post.post_id} ${comment.cid}`
  const tonight = await night(fixture, { rules: [], world })
  expectNight(tonight, {
    tonight: kept,
    except: (tables) => {
      const attached = (tables['comment_files'] ?? []).find(({ cid }) => cid === comment.cid)
      const none = { name: null, description: null, size_bytes: null, path: null, folder_id: null }
      for (const id of [shortened(fid), 'half\ufffd', 'nul\ufffd']) {
        tables['comment_files']?.push({ ...attached, ...none, fid: id })
      }
    },
    losses: [
      loss('tasks', 'P1-T1', 'labels[0].name', 'too_long', label),
      loss('tasks', 'P1-T1', 'members[0].uid', 'too_long', uid),
      ...[0, 1].map((n) => loss('webhooks', `${wid}${n}`, 'wid', 'too_long', `${wid}${n}`)),
      loss('posts', key, 'fids[1]', 'too_long', fid),
      loss('posts', key, 'fids[2]', 'lone_surrogate', 'half\ud800'),
      loss('posts', key, 'fids[3]', 'nul_character', 'nul\0'),
      loss('files', fid, '', 'unaskable', fid),
      loss('files', 'half\ufffd', '', 'unaskable', 'half\ud800'),
      loss('files', 'nul\ufffd', '', 'unaskable', 'nul\0'),
    ],
  })
  expect(tonight.requests.filter(({ path }) => /half|nul|…|%E2%80%A6/.test(path))).toEqual([])
  return fixture.cured(tonight.ran)
})
