import type { Comment, CommentFile, File, Page, Post, Received } from '@collab-etl/contract'
import { type Column, LIVE, type Table } from '../convert/table.ts'
import { childrenOf, columnsOf, given, project } from './columns.ts'

const ofPage = columnsOf<Received<typeof Page>>()
const ofPost = columnsOf<Received<typeof Post>>()
const ofDocument = columnsOf<Received<typeof Page> | Received<typeof Post>>()
const ofFile = columnsOf<Received<typeof File>>()
const ofComment = columnsOf<Received<typeof Comment>>()
const ofCommentFile = columnsOf<Received<typeof CommentFile>>()

/** The columns that pages and posts share; what the service calls a name and a summary differs. */
function documentColumns(name: string, summary: string): readonly Column[] {
  return [
    ofDocument.text('name', name),
    ofDocument.text('summary', summary),
    ofDocument.text('content', 'content in markdown'),
    ofDocument.time('created_at', 'creation time'),
    ofDocument.time('updated_at', 'update time'),
    ofDocument.user('owner_uid', 'user id of the creator', 'owner'),
  ]
}

/** docs/service-api.md#page. */
export const pages: Table = {
  name: 'pages',
  comment: 'Documents',
  key: ['pid', 'page_id'],
  columns: [
    project,
    ofPage.key('page_id', 'document id'),
    ofPage.id('parent_id', 'parent document id; null at the top level'),
    ...documentColumns('document name', 'document content'),
  ],
  streams: ['pages'],
  deletedBy: 'absence',
  isRecord: true,
  hashed: true,
  indexes: [{ name: 'pages_updated_at', columns: ['updated_at'], where: LIVE }],
}

/** docs/service-api.md#post. */
export const posts: Table = {
  name: 'posts',
  comment: 'Discussion posts that are known; the service does not list them',
  key: ['pid', 'post_id'],
  columns: [project, ofPost.key('post_id', 'post id'), ...documentColumns('title', 'content')],
  streams: ['posts'],
  deletedBy: 'gone',
  isRecord: true,
}

/** docs/service-api.md#file. */
export const files: Table = {
  name: 'files',
  comment: 'Files and folders that are known; the service does not list them',
  key: ['pid', 'fid'],
  columns: [
    project,
    ofFile.key('fid', 'file id'),
    ofFile.text('name', 'name'),
    ofFile.text('description', 'description', 'desc'),
    ofFile.size('size_bytes', 'size in bytes', 'size'),
    ofFile.text('path', 'path'),
    ofFile.id('folder_id', 'parent folder id; null at the top'),
    ofFile.enumeration('type', 'kind', { 0: 'file', 1: 'folder' }),
    ofFile.time('created_at', 'upload time'),
    ofFile.time('updated_at', 'update time'),
    ofFile.user('owner_uid', 'user id of the uploader', 'owner'),
  ],
  streams: ['files'],
  deletedBy: 'gone',
  isRecord: true,
}

/** docs/service-api.md#comment: the columns that comments of posts and of files share. */
const commentColumns = [
  ofComment.key('cid', 'comment id'),
  ofComment.text('message', 'content'),
  ofComment.text('raw_message', 'content in markdown'),
  ofComment.enumeration('type', 'kind of content', { 1: 'text', 2: 'emotion', 3: 'audio' }),
  ofComment.enumeration('format', 'format of the content', { 1: 'text', 2: 'html' }),
  ofComment.user('owner_uid', 'user id of the author', 'owner'),
  ofComment.time('created_at', 'comment time'),
] as const

const ofPages = childrenOf('pages', ['page_id', 'document id'], ['pages'])
const ofPosts = childrenOf('posts', ['post_id', 'post id'], ['posts'])
const ofFiles = childrenOf('files', ['fid', 'file id'], ['files'])

export const pageWatchers = ofPages.users('page_watchers', 'Members watching documents', 'watchers')
export const postWatchers = ofPosts.users('post_watchers', 'Members watching posts', 'watchers')
export const fileWatchers = ofFiles.users('file_watchers', 'Members watching files', 'watchers')

export const postComments = ofPosts.table('post_comments', 'Comments of posts', commentColumns, { isRecord: true })
export const fileComments = ofFiles.table('file_comments', 'Comments of files', commentColumns, { isRecord: true })

export const commentFiles: Table = {
  name: 'comment_files',
  comment: 'Files attached to comments; a file that is only named by its id has no more than that',
  // ids of comments are unique within one post or file, not beyond it
  key: ['pid', 'parent_kind', 'parent_id', 'cid', 'fid'],
  columns: [
    project,
    given('parent_kind', 'what was commented on: post or file'),
    given('parent_id', 'post or file id, by parent_kind'),
    given('cid', 'comment id'),
    ofCommentFile.key('fid', 'file id'),
    ofCommentFile.text('name', 'file name'),
    ofCommentFile.text('description', 'file description', 'desc'),
    ofCommentFile.size('size_bytes', 'size in bytes', 'size'),
    ofCommentFile.text('path', 'file path'),
    ofCommentFile.id('folder_id', 'containing folder id; null at the top'),
  ],
  streams: ['posts', 'files'],
  deletedBy: 'parent',
  parent: {
    tables: ['post_comments', 'file_comments'],
    on: ['parent_kind', 'parent_id', 'cid'],
    as: {
      post_comments: { columns: { parent_id: 'post_id', cid: 'cid' }, fixed: { parent_kind: 'post' } },
      file_comments: { columns: { parent_id: 'fid', cid: 'cid' }, fixed: { parent_kind: 'file' } },
    },
  },
  shared: true,
}
