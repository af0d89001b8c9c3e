import Type from 'typebox'
import { operation } from '../operation.ts'
import { Comment } from '../resources/comment.ts'
import { NewPost, Post } from '../resources/post.ts'
import { Success } from '../resources/success.ts'
import { body, filled, optional, path, pid } from './params.ts'

const post_id = path('post id')
const postMissing = { code: 900005, status: 404, meaning: 'post does not exist' }

export const postOperations = [
  operation({
    id: 'posts.comments.list',
    number: 5,
    method: 'GET',
    path: '/v1/posts/:post_id/comments',
    summary: 'Comments of a post',
    params: { post_id, pid },
    success: { kind: 'array', item: Comment },
    errors: [postMissing, { code: 200008, status: 500, meaning: 'getting comments failed' }],
  }),
  operation({
    id: 'posts.get',
    number: 11,
    method: 'GET',
    path: '/v1/posts/:post_id',
    summary: 'One post with its content and watchers',
    params: { post_id, pid },
    success: { kind: 'object', schema: Post },
    errors: [postMissing, { code: 900004, status: 500, meaning: 'getting post detail failed' }],
  }),
  operation({
    id: 'posts.create',
    number: 14,
    method: 'POST',
    path: '/v1/post',
    summary: 'Creates a post',
    params: {
      pid,
      name: body(filled('title')),
      content: optional(body(Type.String({ description: 'content in markdown' }))),
    },
    success: { kind: 'object', schema: NewPost },
    errors: [
      { code: 900002, status: 400, meaning: 'post name empty' },
      { code: 900003, status: 500, meaning: 'creating post failed' },
    ],
  }),
  operation({
    id: 'posts.comments.delete',
    number: 18,
    method: 'DELETE',
    path: '/v1/posts/:post_id/comments/:cid',
    summary: 'Deletes a comment of a post',
    params: { post_id, cid: path('comment id'), pid },
    success: { kind: 'object', schema: Success },
    errors: [postMissing, { code: 200009, status: 500, meaning: 'deleting comment failed' }],
  }),
] as const
