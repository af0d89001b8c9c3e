import { operation } from '../operation.ts'
import { Comment } from '../resources/comment.ts'
import { File } from '../resources/file.ts'
import { path, pid } from './params.ts'

const fid = path('file id')
const fileMissing = { code: 800004, status: 404, meaning: 'file does not exist' }

export const fileOperations = [
  operation({
    id: 'files.comments.list',
    number: 6,
    method: 'GET',
    path: '/v1/files/:fid/comments',
    summary: 'Comments of a file',
    params: { fid, pid },
    success: { kind: 'array', item: Comment },
    errors: [fileMissing, { code: 200008, status: 500, meaning: 'getting comments failed' }],
  }),
  operation({
    id: 'files.get',
    number: 7,
    method: 'GET',
    path: '/v1/files/:fid',
    summary: 'One file or folder',
    params: { fid, pid },
    success: { kind: 'object', schema: File },
    errors: [fileMissing, { code: 800003, status: 500, meaning: 'getting file detail failed' }],
  }),
] as const
