/** @module-tag thorough */

import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { expectNight, night } from './night.ts'
import { serviceError } from './rules.ts'
import { projectOf, worldTonight } from './world.ts'

fault('the comments of an existing post and file answer 404', async (fixture) => {
  const stored = worldTonight()
  const [post, file] = [projectOf(stored, 'P1').posts[0], projectOf(stored, 'P1').files[0]]
  if (post === undefined || file === undefined) throw new Error('the world has neither')
  const tonight = await night(fixture, {
    rules: [
      { on: 'posts.comments.list', pid: 'P1', does: serviceError(900005, 404) },
      { on: 'files.comments.list', pid: 'P1', does: serviceError(800004, 404) },
    ],
  })
  const { posts = [], post_comments = [], files = [] } = tonight.stored.tables
  expect(posts.find(({ post_id }) => post_id === post.post.post_id)?.['name']).toBe(post.post.name)
  expect(files.find(({ fid }) => fid === file.file.fid)?.['name']).toBe(file.file.name)
  expect(post_comments.filter(({ pid }) => pid === 'P1')).not.toEqual([])
  const notComplete = tonight.stored.scopes.filter(({ status }) => status !== 'complete')
  const scopes = notComplete.map(({ pid, stream, status, error_code }) => `${pid} ${stream} ${status} ${error_code}`)
  expect(scopes.toSorted()).toEqual(['P1 files partial UNREAD_ITEMS', 'P1 posts partial UNREAD_ITEMS'])
  return fixture.named(tonight.ran, 3)
})

fault('400 texts that look like links to posts', async (fixture) => {
  const world = worldTonight()
  const [page] = projectOf(world, 'P1').pages
  if (page === undefined) throw new Error('the world has no page')
  page.content += Array.from({ length: 400 }, (_, index) => ` /post/word-${index}`).join('')
  const tonight = await night(fixture, { rules: [], world })
  expectNight(tonight, { tonight: world })
  const asked = tonight.requests.filter(({ path }) => /^\/v1\/posts\/[^/]+\?pid=P1$/.test(path)).length
  expect(asked).toBeGreaterThanOrEqual(100)
  expect(asked).toBeLessThan(110)
  const { posts } = JSON.parse(tonight.ran.stdout)
  expect(posts).toMatchObject({ left: 300, waiting: 0 })
  expect(tonight.ran.stderr).toContain(`page ${page.page_id}`)
  return fixture.cured(tonight.ran)
})
