import type { ErrorRow } from '../errors.ts'
import { body, error, filled, type Operation, operation, optional, path, pid } from '../operation.ts'
import { Comment, File, NewPage, NewPost, Page, Post } from '../resources/content.ts'
import { Success } from '../resources/project.ts'
import { Type } from '../schema.ts'

const content = optional(body(Type.String({ description: 'content in markdown' })))

const commentsOf = <const P extends Operation['params']>(what: string, params: P, missing: ErrorRow) => ({
  summary: `Comments of a ${what}`,
  params,
  success: { kind: 'array', item: Comment } as const,
  errors: [missing, error(200008, 500, 'getting comments failed')],
})

export const post_id = path('post id')
export const postMissing = error(900005, 404, 'post does not exist')

export const postOperations = [
  operation(
    'posts.comments.list',
    5,
    'GET',
    '/v1/posts/:post_id/comments',
    commentsOf('post', { post_id, pid }, postMissing),
  ),
  operation('posts.get', 11, 'GET', '/v1/posts/:post_id', {
    summary: 'One post with its content and watchers',
    params: { post_id, pid },
    success: { kind: 'object', schema: Post },
    errors: [postMissing, error(900004, 500, 'getting post detail failed')],
  }),
  operation('posts.create', 14, 'POST', '/v1/post', {
    summary: 'Creates a post',
    params: {
      pid,
      name: body(filled('title')),
      content,
    },
    success: { kind: 'object', schema: NewPost },
    errors: [error(900002, 400, 'post name empty'), error(900003, 500, 'creating post failed')],
  }),
  operation('posts.comments.delete', 18, 'DELETE', '/v1/posts/:post_id/comments/:cid', {
    summary: 'Deletes a comment of a post',
    params: { post_id, cid: path('comment id'), pid },
    success: { kind: 'object', schema: Success },
    errors: [postMissing, error(200009, 500, 'deleting comment failed')],
  }),
] as const

const fid = path('file id')
const fileMissing = error(800004, 404, 'file does not exist')

export const fileOperations = [
  operation('files.comments.list', 6, 'GET', '/v1/files/:fid/comments', commentsOf('file', { fid, pid }, fileMissing)),
  operation('files.get', 7, 'GET', '/v1/files/:fid', {
    summary: 'One file or folder',
    params: { fid, pid },
    success: { kind: 'object', schema: File },
    errors: [fileMissing, error(800003, 500, 'getting file detail failed')],
  }),
] as const

export const pageOperations = [
  operation('pages.create', 9, 'POST', '/v1/page', {
    summary: 'Creates a page',
    params: {
      pid,
      name: body(filled('document name')),
      content,
      parent_id: optional(body(Type.String({ description: 'parent document id' }))),
    },
    success: { kind: 'object', schema: NewPage },
    errors: [error(120002, 400, 'document name empty'), error(120003, 500, 'creating document failed')],
  }),
  operation('pages.list', 10, 'GET', '/v1/pages', {
    summary: 'Pages of a project, with their content',
    params: { pid },
    success: { kind: 'array', item: Page },
    errors: [error(120001, 500, 'getting document list failed')],
  }),
] as const
